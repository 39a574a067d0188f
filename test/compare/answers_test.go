package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// question is one tool with its arguments, the function that reads its answer, and the one that asks the server itself.
// Both return lines in the order of the contract.
type question struct {
	name      string
	tool      string
	arguments map[string]any
	got       func(t testing.TB, e envelope) []string
	want      func(k *asker, s spot) ([]string, error)
}

// everything is a limit that cuts no answer.
var everything = map[string]any{"max_results": 5000, "max_total_chars": 2_000_000}

var questions = []question{
	{"definition", "find_definition", map[string]any{"max_total_chars": 2_000_000}, definitions, (*asker).definition},
	{"declaration", "find_definition", map[string]any{"target": "declaration", "max_total_chars": 2_000_000},
		definitions, (*asker).declaration},
	{"type definition", "find_definition", map[string]any{"target": "type_definition", "max_total_chars": 2_000_000},
		definitions, (*asker).typeDefinition},
	{"references", "find_references", everything, references, (*asker).references},
	{"uses", "find_references", with(map[string]any{"include_declaration": false}, everything), references,
		(*asker).uses},
	{"implementations", "find_implementations", everything, implementations, (*asker).implementations},
	{"calls", "call_hierarchy", map[string]any{"direction": "both", "max_breadth": maxBreadth,
		"max_total_chars": 2_000_000}, calls, (*asker).calls},
	{"hover", "hover", map[string]any{"max_total_chars": 2_000_000}, hover, (*asker).hover},
}

// asker asks the server itself and writes its answers in the form in which lspi should.
type asker struct {
	t     testing.TB
	r     *rawServer
	root  string
	texts sources
	build map[string]bool // the files that the build has; nil when not known

	direct bool // the server gives one level of implementations at a time
	// request that tells which of two places is the definition, where the server leads from each to the other; ""
	// elsewhere
	info string
}

// place is where an answer points, as hosts have it.
type place struct {
	path         string // absolute
	line, column int
	end          [2]int // of the server, to tell equal starts apart
}

func (k *asker) show(path string) string {
	if rel, err := filepath.Rel(k.root, path); err == nil && !strings.HasPrefix(rel, "../") {
		return rel
	}
	return path
}

func (k *asker) position(s spot) map[string]any {
	character := k.texts.get(k.t, s.path).character(k.r.encoding, s.line-1, s.column)
	return map[string]any{
		"textDocument": map[string]any{"uri": uriOf(s.path)},
		"position":     map[string]any{"line": s.line - 1, "character": character},
	}
}

// place converts a start in the server's terms.
func (k *asker) place(uri string, r rawRange) place {
	path := pathOf(k.t, uri)
	column := k.texts.get(k.t, path).column(k.r.encoding, r.Start.Line, r.Start.Character)
	return place{path, r.Start.Line + 1, column, [2]int{r.End.Line, r.End.Character}}
}

// places asks for locations and puts them into the order of the contract, each once.
func (k *asker) places(method string, s spot, more map[string]any) ([]place, error) {
	var raw json.RawMessage
	if err := k.r.call(method, with(k.position(s), more), &raw); err != nil {
		return nil, err
	}
	out := k.locations(raw)
	k.sort(out, s)
	return slices.Compact(out), nil
}

// sort puts places into the order of the contract.
func (k *asker) sort(places []place, s spot) {
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(first(a.path, b.path, s.path), cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line),
			cmp.Compare(a.column, b.column), slices.Compare(a.end[:], b.end[:]))
	})
}

// locations reads every form of answer that gives places.
func (k *asker) locations(raw json.RawMessage) []place {
	type location struct {
		URI                  string
		Range                rawRange
		TargetURI            string   `json:"targetUri"`
		TargetSelectionRange rawRange `json:"targetSelectionRange"`
	}
	var found []location
	if strings.HasPrefix(string(raw), "{") {
		raw = json.RawMessage("[" + string(raw) + "]")
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		k.t.Fatalf("%v\n%s", err, raw)
	}
	var out []place
	for _, f := range found {
		if f.TargetURI != "" {
			f.URI, f.Range = f.TargetURI, f.TargetSelectionRange
		}
		out = append(out, k.place(f.URI, f.Range))
	}
	return out
}

// first puts what is in the file that was asked about first.
func first(a, b, asked string) int {
	switch {
	case a == asked && b != asked:
		return -1
	case b == asked && a != asked:
		return 1
	}
	return 0
}

func (k *asker) definition(s spot) ([]string, error) {
	return k.points("textDocument/definition", s)
}

func (k *asker) declaration(s spot) ([]string, error) {
	return k.points("textDocument/declaration", s)
}

func (k *asker) typeDefinition(s spot) ([]string, error) {
	return k.points("textDocument/typeDefinition", s)
}

// points are places without their lines, then the line of the name that the snippet has to hold.
func (k *asker) points(method string, s spot) ([]string, error) {
	found, err := k.places(method, s, nil)
	if err == nil {
		found, err = k.itself(method, s, found)
	}
	var out []string
	for _, p := range found {
		out = append(out, fmt.Sprintf("%s %d:%d", k.show(p.path), p.line, p.column))
	}
	return out, err
}

// itself is the position that was asked about, where that is the definition (or the declaration) that was asked for
// and the server leads to the other one instead (clangd 22.1.8); else what was found.
func (k *asker) itself(method string, s spot, found []place) ([]place, error) {
	if k.info == "" || len(found) == 0 {
		return found, nil
	}
	type location struct {
		URI   string
		Range rawRange
	}
	var symbols []struct{ DeclarationRange, DefinitionRange *location }
	if err := k.r.call(k.info, k.position(s), &symbols); err != nil {
		return nil, err
	}
	here := func(l *location) (place, bool) {
		if l == nil {
			return place{}, false
		}
		p := k.place(l.URI, l.Range)
		return p, p.path == s.path && p.line == s.line && p.column <= s.column && s.column < p.column+
			len([]rune(s.word))
	}
	for _, symbol := range symbols {
		definition, defined := here(symbol.DefinitionRange)
		declaration, declared := here(symbol.DeclarationRange)
		switch {
		case method == "textDocument/definition" && defined:
			return []place{definition}, nil
		case method == "textDocument/declaration" && declared && !defined:
			return []place{declaration}, nil
		}
	}
	return found, nil
}

// definitions reads the answer of find_definition. Another function compares its snippets with the files.
func definitions(t testing.TB, e envelope) []string {
	var body struct {
		Definitions []struct {
			FilePath        string `json:"file_path"`
			Line, Character int
		}
	}
	e.decode(t, &body)
	var out []string
	for _, d := range body.Definitions {
		out = append(out, fmt.Sprintf("%s %d:%d", d.FilePath, d.Line, d.Character))
	}
	return out
}

func (k *asker) references(s spot) ([]string, error) {
	return k.lines(k.places("textDocument/references", s,
		map[string]any{"context": map[string]any{"includeDeclaration": true}}))
}

func (k *asker) uses(s spot) ([]string, error) {
	return k.lines(k.places("textDocument/references", s,
		map[string]any{"context": map[string]any{"includeDeclaration": false}}))
}

func (k *asker) implementations(s spot) ([]string, error) {
	found, err := k.places("textDocument/implementation", s, nil)
	if err != nil || !k.direct {
		return k.lines(found, err)
	}
	for i := 0; i < len(found); i++ { // it grows: clangd gives one level, an answer has all
		next := spot{path: found[i].path, line: found[i].line, column: found[i].column}
		below, err := k.places("textDocument/implementation", next, nil)
		if err != nil {
			return nil, err
		}
		for _, b := range below {
			if !slices.Contains(found, b) {
				found = append(found, b)
			}
		}
	}
	k.sort(found, s)
	return k.lines(found, nil)
}

// maxCode is how much of a line a place shows, in code points.
const maxCode = 160

// lines are places as the contract writes them: "135:24 pkgs, err := packages.Load(cfg, path)".
func (k *asker) lines(found []place, err error) ([]string, error) {
	var out []string
	for _, p := range found {
		text := []rune(strings.TrimSpace(k.texts.get(k.t, p.path).line(p.line - 1)))
		if len(text) > maxCode {
			text = append(text[:maxCode-1], '…')
		}
		out = append(out,
			strings.TrimSuffix(fmt.Sprintf("%s %d:%d %s", k.show(p.path), p.line, p.column, string(text)), " "))
	}
	return out, err
}

func references(t testing.TB, e envelope) []string {
	return paged(t, e, "references")
}

func implementations(t testing.TB, e envelope) []string {
	return paged(t, e, "implementations")
}

// paged reads an answer with places grouped by file, and checks its counts.
func paged(t testing.TB, e envelope, field string) []string {
	var body struct {
		Total, Returned int
		Files           []map[string]json.RawMessage
	}
	e.decode(t, &body)
	var out []string
	seen := map[string]bool{}
	for _, f := range body.Files {
		var path string
		var count int
		var lines []string
		for name, into := range map[string]any{"file_path": &path, "count": &count, field: &lines} {
			if err := json.Unmarshal(f[name], into); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, e.raw)
			}
		}
		if count != len(lines) || seen[path] {
			t.Errorf("%s is said to have %d and has %d; seen before: %v", path, count, len(lines), seen[path])
		}
		seen[path] = true
		for _, l := range lines {
			out = append(out, path+" "+l)
		}
	}
	if body.Total != len(out) || body.Returned != len(out) {
		t.Errorf("total is %d, returned %d, and there are %d", body.Total, body.Returned, len(out))
	}
	return out
}
