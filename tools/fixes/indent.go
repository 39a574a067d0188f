package fixes

import (
	"strconv"
	"strings"

	"github.com/editorconfig/editorconfig-core-go/v2"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// defaultIndent is the number of columns of a step of indentation in a text that shows none.
const defaultIndent = 4

// indentation returns how a text is indented: as the .editorconfig files above it say, else as its lines are.
func indentation(text *source.Text) lsp.FormatOptions {
	o := indentOf(text)
	// One that cannot be read says nothing.
	said, err := editorconfig.GetDefinitionForFilename(text.Path)
	if err != nil {
		return o
	}
	switch said.IndentStyle {
	case "tab":
		o.InsertSpaces = false
	case "space":
		o.InsertSpaces = true
	}
	if n, err := strconv.Atoi(said.IndentSize); err == nil && n > 0 {
		o.TabSize = n
	} else if said.TabWidth > 0 {
		o.TabSize = said.TabWidth
	}
	return o
}

// indentOf goes by the lines of a text: with which sign most of them begin, and by how much they most often go in.
func indentOf(text *source.Text) lsp.FormatOptions {
	tabs, steps, before := 0, map[int]int{}, 0
	for line := range strings.Lines(text.Content()) {
		code := strings.TrimLeft(line, " \t")
		in := line[:len(line)-len(code)]
		switch {
		case strings.TrimSpace(code) == "":
			continue
		case strings.HasPrefix(in, "\t"):
			tabs++
		case len(in) > before+1: // by one space goes the body of a block comment
			steps[len(in)-before]++
		}
		before = len(in)
	}
	size, lines := defaultIndent, 0
	for step, n := range steps {
		if n > lines || n == lines && step < size {
			size, lines = step, n
		}
	}
	if tabs == 0 && len(steps) == 0 {
		return lsp.FormatOptions{TabSize: defaultIndent, InsertSpaces: !lang.Of(text.Path).Tabs}
	}
	return lsp.FormatOptions{TabSize: size, InsertSpaces: lines >= tabs}
}
