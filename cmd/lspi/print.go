package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"

	"lspi/contract"
)

// printJSON prints a value with indentation, keys in the order that they have.
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

// firstSentence of a description says when to use the tool.
func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	if i := strings.Index(text, "; "); i >= 0 {
		return text[:i] + "."
	}
	return text
}

// colourful reports whether colours are wanted: a terminal that does not say NO_COLOR (no-color.org).
func colourful(out io.Writer) bool {
	return terminal(out) && os.Getenv("NO_COLOR") == "" && !dumb()
}

// dumb reports whether the terminal says that it can neither colour nor go back.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

// terminal reports whether a person sees what is written.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
