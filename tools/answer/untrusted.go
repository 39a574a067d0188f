package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"lspi/contract"
)

// What a repository or a server says is shown to a model and on terminals, where some characters make it read otherwise
// than it is; see contract.EscapeLine. This file escapes them where an envelope is finished, and takes back in
// arguments what was shown so.

// encode finishes an envelope and writes it as JSON: messages are one line each, and characters that would be invisible
// or speak to a terminal are shown by their numbers, with a warning.
func encode(e contract.Envelope) (contract.Envelope, []byte, error) {
	e = withPlainMessages(e)
	raw, err := contract.Marshal(e)
	if err != nil {
		return e, nil, err
	}
	out, n := contract.EscapeJSON(raw)
	if n == 0 {
		return e, out, nil
	}
	e.Warnings = append(e.Warnings[:len(e.Warnings):len(e.Warnings)],
		contract.Warning{Kind: contract.WarnHiddenCharacters,
			Facts: contract.Facts{"total": n}, Message: hiddenCharacters(n)})
	if raw, err = contract.Marshal(e); err == nil {
		raw, _ = contract.EscapeJSON(raw)
	}
	return e, raw, err
}

func hiddenCharacters(n int) string {
	which := fmt.Sprintf("%d characters that are invisible or control how text is displayed are shown", n)
	if n == 1 {
		which = "1 character that is invisible or controls how text is displayed is shown"
	}
	return which +
		` as \u{…}; the files hold the text itself, and paths, names and old_text may be given back as they are shown`
}

// withPlainMessages is an envelope whose messages are one line each, so that nothing that they quote begins a line.
func withPlainMessages(e contract.Envelope) contract.Envelope {
	if e.Error != nil && contract.OneLine(e.Error.Message) != e.Error.Message {
		copied := *e.Error
		copied.Message = contract.OneLine(copied.Message)
		e.Error = &copied
	}
	e.Warnings = withPlain(e.Warnings, func(w *contract.Warning) *string { return &w.Message })
	e.NextSteps = withPlain(e.NextSteps, func(s *contract.NextStep) *string { return &s.Message })
	return e
}

// withPlain is a list with one text of each item made one line; the list itself when all of them are.
func withPlain[T any](list []T, text func(*T) *string) []T {
	out := list
	for i := range list {
		plain := contract.OneLine(*text(&list[i]))
		if plain == *text(&list[i]) {
			continue
		}
		if &out[0] == &list[0] {
			out = append([]T{}, list...)
		}
		*text(&out[i]) = plain
	}
	return out
}

// encodedArguments are the arguments of a step as JSON within a text: what has to be exact decodes to what it is.
func encodedArguments(arguments map[string]any) []byte {
	raw, _ := contract.Marshal(arguments)
	raw, _ = contract.EscapeJSON(raw)
	return raw
}

// AsShown is what an argument means in a text: itself when it stands there, else what an answer showed like it.
func AsShown(content, given string) string {
	if strings.Contains(content, given) {
		return given
	}
	return contract.Unescape(given)
}

// AbsolutePath is the clean absolute path that an argument names. One that is not there may be given as an answer
// showed it.
func (c *Call) AbsolutePath(given string) string {
	path := c.underWorkspace(given)
	if meant := contract.Unescape(given); meant != given && !exists(path) {
		if other := c.underWorkspace(meant); exists(other) {
			return other
		}
	}
	return path
}

func (c *Call) underWorkspace(given string) string {
	path := filepath.FromSlash(given)
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Workspace.Root, path)
	}
	return filepath.Clean(path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// GivenBack are arguments whose names are as the project has them. No language lets a brace belong to a name, so
// that its form in answers cannot be meant literally; nor does a pattern of Go's regexp know it.
func GivenBack(arguments json.RawMessage) json.RawMessage {
	if !bytes.Contains(arguments, []byte(`u{`)) {
		return arguments
	}
	given, err := Object(arguments)
	if err != nil {
		return arguments
	}
	changed := maps.Clone(given)
	for _, argument := range []string{"symbol_name", "query"} {
		var name string
		if json.Unmarshal(given[argument], &name) == nil && contract.Unescape(name) != name {
			changed[argument], _ = contract.Marshal(contract.Unescape(name)) // of a string
		}
	}
	raw, err := contract.Marshal(changed)
	if err != nil {
		return arguments
	}
	return raw
}
