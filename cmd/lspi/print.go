package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"

	"lspi/contract"
)

// printJSON prints a value as indented JSON without escape sequences of terminals.
func printJSON(out io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(contract.PlainJSON(b.Bytes()))
	return err
}

// firstSentence returns the first sentence of a description; in those of tools it says when to use the tool.
func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	if i := strings.Index(text, "; "); i >= 0 {
		return text[:i] + "."
	}
	return text
}

// colourful reports whether to print colours: out is a terminal, and NO_COLOR (no-color.org) is not set.
func colourful(out io.Writer) bool {
	return terminal(out) && os.Getenv("NO_COLOR") == "" && !dumb()
}

// dumb reports whether TERM says that the terminal can neither colour nor move its cursor.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
