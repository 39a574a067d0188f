package lang

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// notebookLanguage returns the language of the cells with code of a Jupyter notebook (nbformat 4), by its metadata:
// Python where they name none. ok is false for a text that is no notebook.
func notebookLanguage(text string) (l *Language, ok bool) {
	var head struct {
		Metadata struct {
			Kernelspec struct {
				Language string `json:"language"`
			} `json:"kernelspec"`
			LanguageInfo struct {
				Name string `json:"name"`
			} `json:"language_info"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &head) != nil {
		return &likeC, false
	}
	name := strings.ToLower(cmp.Or(head.Metadata.Kernelspec.Language, head.Metadata.LanguageInfo.Name, "python"))
	if strings.HasPrefix(name, "c++") { // with the year of the standard
		name = "cpp"
	}
	return ByID(cmp.Or(interpreters[name], name)), true
}

// notebook marks the sources of the cells with code. A text that is no notebook is marked as prose.
func (m *marked) notebook() {
	l, ok := notebookLanguage(m.text)
	if !ok {
		m.fill(0, len(m.text), TextUse)
		return
	}
	for _, s := range notebookSources(m.text) {
		// The line as it is in the file, with blanks for the escapes, so that offsets stay those of the file.
		raw := []byte(m.text[s[0]:s[1]])
		for i := 0; i+1 < len(raw); i++ {
			if raw[i] == '\\' {
				raw[i], raw[i+1] = ' ', escaped(raw[i+1])
				i++
			}
		}
		line := marked{text: string(raw), uses: m.uses[s[0]:s[1]]}
		line.source(l, 0, len(raw))
	}
}

// escaped is what stands for an escaped character of JSON in a text of the same length.
func escaped(b byte) byte {
	switch b {
	case 'n', 'r':
		return '\n'
	case '"':
		return '"'
	}
	return ' '
}

// notebookSources returns where the strings with the sources of the cells with code begin and end, without their
// quotes.
func notebookSources(text string) (out [][2]int) {
	d := jsontext.NewDecoder(bytes.NewBufferString(text))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return out
		}
		if token.Kind() == '"' && token.String() == "cells" && d.StackDepth() == 1 {
			break
		}
	}
	if token, err := d.ReadToken(); err != nil || token.Kind() != '[' {
		return nil
	}
	for d.PeekKind() == '{' {
		base := int(d.InputOffset())
		value, err := d.ReadValue()
		if err != nil {
			return out
		}
		base += bytes.Index([]byte(text[base:]), []byte("{"))
		out = append(out, sourcesOfCell(value, base)...)
	}
	return out
}

// sourcesOfCell is [notebookSources] of one cell, which begins at base.
func sourcesOfCell(cell jsontext.Value, base int) (out [][2]int) {
	d := jsontext.NewDecoder(bytes.NewReader(cell))
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	code := false
	var strings [][2]int
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		end := int(d.InputOffset())
		switch key {
		case "cell_type":
			code = string(value) == `"code"`
		case "source":
			strings = stringsIn(value, base+end-len(value))
		}
	}
	if !code {
		return nil
	}
	return strings
}

// stringsIn returns where the strings of a JSON value, which begins at base, are.
func stringsIn(value jsontext.Value, base int) (out [][2]int) {
	d := jsontext.NewDecoder(bytes.NewReader(value))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return out
		}
		if token.Kind() == '"' {
			end := int(d.InputOffset())
			from := end - 1
			// The beginning of the string: the quote that the last one closes.
			for from--; from >= 0 && !(value[from] == '"' && !oddSlashes(value[:from])); from-- {
			}
			out = append(out, [2]int{base + from + 1, base + end - 1})
		}
	}
}

// oddSlashes reports whether a text ends with an odd number of backslashes, so that what follows is escaped.
func oddSlashes(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}
