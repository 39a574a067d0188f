package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// recorded is the session of the README: the words of lspi call, asked about the project testdata/shop.
var recorded = [][]string{
	{"find_references", "file_path=price/price.go", "symbol_name=Total"},
	{"check_edit", `edits=[{"file_path": "price/price.go", "old_text": "Cents int", "new_text": "Cents int64"}]`},
	{"rename_symbol", "file_path=price/price.go", "symbol_name=Total", "new_name=Sum", "apply=if_safe"},
	{"find_references", "symbol_name=Totl"},
}

// record runs the recorded session in the folder project, which it may change, and returns it with its answers as
// Markdown.
func record(program, project string) (string, error) {
	var b strings.Builder
	for _, words := range recorded {
		cmd := exec.Command(program, append([]string{"call"}, words...)...)
		cmd.Dir = project
		cmd.Env = append(os.Environ(), "LSPI_SHARE=off", "LSPI_TRUST=all")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		if _, failed := err.(*exec.ExitError); err != nil && !failed { // exit status 1 is an answer that is an error
			return "", fmt.Errorf("running lspi call %s: %w", words[0], err)
		}
		fmt.Fprintf(&b, "$ lspi call %s\n%s\n", shellWords(words), out.String())
	}
	return "```console\n" + strings.TrimSpace(b.String()) + "\n```\n", nil
}

// shellWords returns the command line that a shell splits into these words.
func shellWords(words []string) string {
	var out []string
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok && strings.ContainsAny(value, ` "{[`) {
			w = key + "='" + value + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// recordInto replaces the part of a Markdown file between the comments "recorded session" and "end" by a new recording,
// and the picture of it.
func recordInto(file, program string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	program, err = filepath.Abs(program)
	if err != nil {
		return err
	}
	project, err := os.MkdirTemp("", "lspi-demo-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(project)
	if err := os.CopyFS(project, os.DirFS("cmd/lspi/internal/demo/testdata/shop")); err != nil {
		return err
	}
	session, err := record(program, project)
	if err != nil {
		return err
	}
	before, _, after, ok := parts(string(raw))
	if !ok {
		return fmt.Errorf("%s has no part %q", file, beginSession)
	}
	if err := os.WriteFile(file, []byte(before+session+after), 0o644); err != nil {
		return err
	}
	return draw(file)
}

const (
	beginSession = "<!-- recorded session: make session -->\n"
	endSession   = "<!-- end of the session -->"
)

// parts splits a file at its recorded session; ok is false when it has none.
func parts(text string) (before, session, after string, ok bool) {
	i := strings.Index(text, beginSession)
	j := strings.Index(text, endSession)
	if i < 0 || j < i {
		return "", "", "", false
	}
	i += len(beginSession)
	return text[:i], text[i:j], text[j:], true
}
