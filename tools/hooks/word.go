package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// SearchBudget is how long the answer to a search may take: the host waits, and nobody asked for it.
const SearchBudget = 150 * time.Millisecond

// Tool runs a tool as a host would, and returns its fields; false when it refused.
type Tool func(ctx context.Context, name string, arguments map[string]any) (fields json.RawMessage, ok bool)

// AfterSearch returns what the word is that a tool of the host has searched for, or of which declaration it has read
// lines, where that is, and how often it is used. It tells only what is certain: one declaration, in a workspace whose
// servers all run, before ctx ends, for which the caller takes [SearchBudget].
func AfterSearch(ctx context.Context, c *answer.Call, e *Event, run Tool) Answer {
	word := searchedWord(e)
	if word == "" && e.Lines == [2]int{} {
		return Answer{}
	}
	if !warm(ctx, c) {
		return Answer{}
	}
	var d declaration
	var ok bool
	if word != "" {
		d, ok = declarationOf(ctx, word, run)
	} else {
		d, ok = declarationRead(ctx, c, e, run)
	}
	if !ok {
		return Answer{}
	}
	if !ownOf(ctx, d, run) {
		return Answer{}
	}
	uses, ok := usesOf(ctx, c, d, run)
	if !ok || ctx.Err() != nil {
		return Answer{}
	}
	return Answer{Text: fmt.Sprintf("lspi: %s\n%s", contract.OneLine(d.text), uses)}
}

// warm reports whether all servers that the workspace needs run and have loaded it. It starts none.
func warm(ctx context.Context, c *answer.Call) bool {
	routes, err := ask.WorkspaceRoutes(ctx, c, lsp.MethodDefinition)
	if err != nil || len(routes) == 0 {
		return false
	}
	return !slices.ContainsFunc(routes, func(r router.Route) bool {
		return readinessOf(c, r) != ready
	})
}

// declaration is where a name is declared.
type declaration struct {
	name, file string
	line       int
	text       string // "base/base.go:15 function Sum: func(a, b int) int"
}

// symbolLine is a declaration as search_workspace_symbols has it: file, line, kind, name, detail. Captures all but the
// kind and the detail.
var symbolLine = source.LazyRegexp(`^(.+?):(\d+) (?:generated )?[a-z_]+ (.+?)(?:: |$)`)

// maxSymbols bounds the symbols that are looked at; where a search finds more, nothing is certain.
const maxSymbols = 100

// declarationOf returns the declaration of a word; false unless there is exactly one.
func declarationOf(ctx context.Context, word string, run Tool) (d declaration, ok bool) {
	raw, ok := run(ctx, "search_workspace_symbols", map[string]any{"query": word, "max_results": maxSymbols})
	if !ok {
		return d, false
	}
	var found struct {
		Completeness contract.Completeness `json:"completeness"`
		Symbols      []string              `json:"symbols"`
	}
	if json.Unmarshal(raw, &found) != nil || found.Completeness != contract.Complete {
		return d, false
	}
	n := 0
	for _, line := range found.Symbols {
		m := symbolLine.FindStringSubmatch(line)
		if m == nil || !named(m[3], word) {
			continue
		}
		n++
		d = declaration{name: word, file: m[1], text: answer.CutText(line, 300)}
		d.line, _ = strconv.Atoi(m[2])
	}
	return d, n == 1
}

// named reports whether a qualified name ends in a word.
func named(name, word string) bool {
	name = strings.NewReplacer("::", ".", "#", ".").Replace(name)
	return name == word || strings.HasSuffix(name, "."+word) || path.Base(name) == word
}

// ownOf reports whether the workspace alone declares a word. What assigns to a name of a library (globalThis.Set = …)
// is a declaration for some servers, and the uses are those of the library's.
func ownOf(ctx context.Context, d declaration, run Tool) bool {
	raw, ok := run(ctx, "find_definition", map[string]any{"symbol_name": d.name, "file_path": d.file,
		"line": d.line})
	if !ok {
		return false
	}
	var found struct {
		Definitions []struct {
			FilePath string `json:"file_path"`
		} `json:"definitions"`
	}
	err := json.Unmarshal(raw, &found)
	for _, at := range found.Definitions {
		if filepath.IsAbs(at.FilePath) { // it is outside of the workspace
			return false
		}
	}
	return err == nil
}

// usesOf counts the uses of what is declared, in words.
func usesOf(ctx context.Context, c *answer.Call, d declaration, run Tool) (text string, ok bool) {
	raw, ok := run(ctx, "find_references", map[string]any{"symbol_name": d.name, "file_path": d.file, "line": d.line,
		"include_declaration": false, "include_snippet": false, "max_results": 5000})
	if !ok {
		return "", false
	}
	var found struct {
		Completeness contract.Completeness `json:"completeness"`
		Total        int                   `json:"total"`
		Files        []struct{}            `json:"files"`
		Truncated    bool                  `json:"truncated"`
	}
	if json.Unmarshal(raw, &found) != nil || found.Truncated {
		return "", false
	}
	whole := "complete"
	if found.Completeness != contract.Complete {
		if found.Total == 0 {
			return "", false
		}
		whole = "there may be more"
	}
	return fmt.Sprintf("%s in %s (%s): find_references {\"symbol_name\":%q,\"file_path\":%q}",
		answer.Counted(found.Total, "use"), answer.Counted(len(found.Files), "file"), whole, d.name, c.Show(d.file)), true
}
