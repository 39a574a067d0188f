package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/setup"
	"lspi/contract"
	"lspi/internal/source"
	"lspi/router"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// questionLimit bounds the check at the end of setup, because a person waits for it.
const questionLimit = 40 * time.Second

// seeDoctor is the next step when the question had no answer.
const seeDoctor = "Next: lspi doctor says which language servers work here, and how to get those that are missing."

// checkSetup runs the doctor in this project and asks a language server a real question about it. A failure is printed
// and does not change the exit status.
func checkSetup(cmd *cobra.Command, p setup.Place) {
	out := cmd.OutOrStdout()
	if p.Project == "" {
		fmt.Fprintln(out,
			"Next: start the host in a project and ask it who uses a function. lspi doctor in a project says which "+
				"language servers work there.")
		return
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), questionLimit)
	defer cancel()
	f := &sessionFlags{workspaceRoot: p.Project, readOnly: true, Flags: config.Flags{LogLevel: "error"}}
	if r, err := examine(ctx, cmd, f, doctorFlags{}); err != nil {
		fmt.Fprintf(out, "lspi doctor could not look at this project: %s\n", contract.EscapeLine(err.Error()))
	} else if err := r.Brief(out, colourful(out)); err != nil {
		return
	}
	line := newProgressLine(cmd.ErrOrStderr())
	first, second := newWiring(f, cmd.ErrOrStderr()).tryQuestion(ctx, line)
	if line != nil {
		line.Clear()
	}
	fmt.Fprintf(out, "%s\n%s\n", contract.EscapeLine(first), contract.EscapeLine(second))
}

// tryQuestion asks who uses the first symbol of a source file. first is what was tried and the head of its answer,
// second the next step.
func (s *wiring) tryQuestion(ctx context.Context, line *progressLine) (first, second string) {
	c, err := s.load(nil)
	if err != nil {
		return "lspi could not be tried here: " + err.Error(), seeDoctor
	}
	counted, err := router.SurveyWorkspace(ctx, c.Table(), s.process.Files)
	if err != nil {
		return "lspi could not be tried here: " + err.Error(), seeDoctor
	}
	failed := "There is no source file here to ask about."
	for _, file := range samples(c.Workspace, counted.Kinds()) {
		if line != nil {
			line.Show("trying lspi: asking about " + file)
		}
		outline := s.ask(ctx, "get_document_symbols", map[string]any{"file_path": file})
		symbol := firstSymbol(outline)
		if symbol == "" {
			if !outline.OK {
				failed = "Tried the outline of " + file + ": " + headOf(outline.Text)
			}
			continue
		}
		uses := s.ask(ctx, "find_references", map[string]any{"file_path": file, "symbol_name": symbol})
		if !uses.OK {
			return "Tried: who uses " + symbol + " of " + file + "? " + headOf(uses.Text), seeDoctor
		}
		return fmt.Sprintf("Tried: who uses %s of %s? %s", symbol, file, headOf(uses.Text)),
			"Next: start the host here and ask it the same. lspi doctor says more."
	}
	return failed, seeDoctor
}

// samples returns files to ask about, relative to the workspace: some of each kind, the kinds with most files first.
// Within a kind longer files come first, because they are more likely to have a symbol.
func samples(root string, kinds []router.FileKind) (out []string) {
	const ofKind, allKinds = 3, 3
	for _, kind := range kinds[:min(allKinds, len(kinds))] {
		files := slices.SortedFunc(slices.Values(kind.Samples), func(a, b string) int {
			return cmp.Compare(size(b), size(a))
		})
		for _, file := range files[:min(ofKind, len(files))] {
			if rel, err := filepath.Rel(root, file); err == nil {
				out = append(out, filepath.ToSlash(rel))
			}
		}
	}
	return out
}

// size returns the size of a file in bytes; 0 for a file that is too long for a quick question, or not there.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 100_000 {
		return 0
	}
	return info.Size()
}

// ask calls a tool in this process.
func (s *wiring) ask(ctx context.Context, tool string, arguments map[string]any) tools.Result {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return tools.Result{Text: err.Error()}
	}
	return s.callHere(ctx, answer.Request{Tool: tool, Arguments: raw, Host: session.CallHost()})
}

// symbolLine matches a line of an outline: lines, kind, name.
var symbolLine = source.LazyRegexp(`(?m)^\s*\d+(?:-\d+)? (?:function|method|class|struct|interface) ([^\s:(]+)`)

// firstSymbol returns the first function or type of an outline, "" when it has none.
func firstSymbol(outline tools.Result) string {
	if m := symbolLine.FindStringSubmatch(outline.Text); outline.OK && m != nil {
		return m[1]
	}
	return ""
}

// headOf returns the first line of an answer.
func headOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
