//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/testkit"
)

// question is one call of a tool, with its true answer in any state of the tree.
type question struct {
	tool      string
	arguments map[string]any
	truth     func(t *tree) []string                      // sorted; nil when the symbol or file does not exist
	read      func(raw json.RawMessage) ([]string, error) // reads an answer in the form of truth
}

func (q question) String() string {
	raw, _ := json.Marshal(q.arguments)
	return q.tool + " " + string(raw)
}

// asker makes questions about a tree.
type asker struct {
	l      language
	t      *tree
	p      *project
	r      *rand.Rand
	only   string // the tool to ask; "" for all
	moving bool   // the tree changes while they are asked, so only names, and no lines, identify symbols
}

var kinds = []weighted[func(a *asker) question]{
	{10, (*asker).references},
	{6, (*asker).definition},
	{5, (*asker).search},
	{5, func(a *asker) question { return a.calls("incoming") }},
	{3, func(a *asker) question { return a.calls("outgoing") }},
	{4, (*asker).hover},
	{4, (*asker).outline},
	{4, (*asker).diagnostics},
	{1, (*asker).allDiagnostics},
	{2, (*asker).implementations},
	{2, (*asker).ghost},
}

func (a *asker) random() question {
	for {
		if q := choose(a.r, kinds)(a); q.tool != "" && !slices.Contains(a.l.skips, q.tool) &&
			(a.only == "" || a.only == q.tool) {
			return q
		}
	}
}

func (a *asker) function() *symbol { return pick(a.r, a.p.functions()) }

// address returns arguments that identify a symbol, in one of the possible ways, by one of its places in these roles.
func (a *asker) address(name string, more map[string]any, roles ...role) map[string]any {
	m := pick(a.r, a.t.of(name, roles...))
	out := map[string]any{}
	way := a.r.IntN(4)
	if a.moving {
		way = 3
	} else if len(roles) == 1 && roles[0] == used && way > 1 { // a name alone would mean the definition
		way = 0
	}
	switch way {
	case 0:
		out["file_path"], out["line"], out["character"] = m.path, m.line, m.column
	case 1:
		out["file_path"], out["line"], out["symbol_name"] = m.path, m.line, m.name
	case 2:
		out["file_path"], out["symbol_name"] = m.path, m.name
	default:
		out["symbol_name"] = m.name
	}
	maps.Copy(out, more)
	return out
}

var everyRole = []role{defined, declared, used}

// maxChars is a limit that cuts no answer.
const maxChars = 2_000_000

func (a *asker) references() question {
	name := pick(a.r, a.p.symbols()).name
	with := a.r.IntN(2) == 0
	more := map[string]any{"include_declaration": with, "max_results": 5000, "max_total_chars": maxChars}
	return question{"find_references", a.address(name, more, everyRole...), func(t *tree) []string {
		if _, ok := t.definition(name); !ok {
			return nil
		}
		roles := []role{used}
		if with {
			roles = everyRole
		}
		return marks(t.of(name, roles...))
	}, func(raw json.RawMessage) ([]string, error) { return paged(raw, "references") }}
}

func marks(of []mark) []string {
	out := []string{}
	for _, m := range of {
		out = append(out, m.String())
	}
	slices.Sort(out)
	return out
}

// paged reads the places of an answer that is grouped by file.
func paged(raw json.RawMessage, field string) ([]string, error) {
	var body struct {
		Files []map[string]json.RawMessage `json:"files"`
	}
	err := json.Unmarshal(raw, &body)
	out := []string{}
	for _, f := range body.Files {
		var path string
		var lines []string
		err = errors.Join(err, json.Unmarshal(f["file_path"], &path), json.Unmarshal(f[field], &lines))
		for _, l := range lines {
			at, _, _ := strings.Cut(l, " ")
			out = append(out, path+":"+at)
		}
	}
	slices.Sort(out)
	return out, err
}

// sure returns a symbol and the roles of its places from which the server finds the definition; nil when it has no such
// place.
func (a *asker) sure() (name string, roles []role) {
	name = pick(a.r, a.p.symbols()).name
	if !a.l.toggles {
		return name, everyRole
	}
	if a.moving || len(a.t.of(name, used)) == 0 {
		return name, nil
	}
	return name, []role{used}
}

func (a *asker) definition() question {
	name, roles := a.sure()
	if roles == nil {
		return question{}
	}
	return question{"find_definition", a.address(name, nil, roles...), func(t *tree) []string {
		if m, ok := t.definition(name); ok {
			return []string{m.String()}
		}
		return nil
	}, listed("definitions", func(d place) string { return fmt.Sprintf("%s:%d:%d", d.FilePath, d.Line, d.Character) })}
}

// place has the members of an item of an answer that soak reads.
type place struct {
	FilePath  string `json:"file_path"`
	Line      int    `json:"line"`
	Character int    `json:"character"`
	Symbol    string `json:"symbol"`
}

func (p place) lineOnly() string { return fmt.Sprintf("%s:%d", p.FilePath, p.Line) }

// listed returns a function that reads the list in a field of an answer, sorted.
func listed(field string, show func(place) string) func(raw json.RawMessage) ([]string, error) {
	return func(raw json.RawMessage) ([]string, error) {
		var body map[string]json.RawMessage
		err := json.Unmarshal(raw, &body)
		var items []place
		if err == nil && body[field] != nil {
			err = json.Unmarshal(body[field], &items)
		}
		out := []string{}
		for _, item := range items {
			out = append(out, show(item))
		}
		slices.Sort(out)
		return out, err
	}
}

func (a *asker) search() question {
	return search(pick(a.r, a.p.symbols()).name)
}

// search looks for a name. A name that does not exist is not found, which is no error.
func search(name string) question {
	return question{"search_workspace_symbols", map[string]any{"query": name, "match": "exact"},
		func(t *tree) []string {
			out := []string{}
			if m, ok := t.definition(name); ok {
				out = append(out, fmt.Sprintf("%s:%d", m.path, m.line))
			}
			return out
		}, foundAt}
}

// placed matches the place at the beginning of a line about a symbol; the path may contain spaces.
var placed = regexp.MustCompile(`^(.+?:\d+) `)

// foundAt reads the places of the symbols that a search found.
func foundAt(raw json.RawMessage) ([]string, error) {
	var body struct {
		Symbols []string `json:"symbols"`
	}
	err := json.Unmarshal(raw, &body)
	out := []string{}
	for _, s := range body.Symbols {
		m := placed.FindStringSubmatch(s)
		if m == nil {
			return nil, errors.Join(err, fmt.Errorf("no place of a symbol: %q", s))
		}
		out = append(out, m[1])
	}
	slices.Sort(out)
	return out, err
}

// calls asks for one level of the call hierarchy.
func (a *asker) calls(direction string) question {
	name := a.function().name
	arguments := a.address(name, map[string]any{"direction": direction, "max_breadth": 80,
		"max_total_chars": maxChars}, defined)
	return question{"call_hierarchy", arguments, func(t *tree) []string {
		at, ok := t.definition(name)
		if !ok {
			return nil
		}
		found := map[string][]int{}
		for _, m := range t.marks {
			if m.role == used && direction == "incoming" && m.name == name && m.in != "" {
				found[m.in] = append(found[m.in], m.line)
			}
			if m.role == used && direction == "outgoing" && m.in == name && m.path == at.path {
				found[m.name] = append(found[m.name], m.line)
			}
		}
		return t.callLines(found)
	}, func(raw json.RawMessage) ([]string, error) {
		var body map[string]json.RawMessage
		err := json.Unmarshal(raw, &body)
		var lines []string
		if err == nil && body[direction] != nil {
			err = json.Unmarshal(body[direction], &lines)
		}
		nodes, broken := testkit.ReadNodes(lines)
		out := []string{}
		for _, n := range nodes {
			out = append(out, callLine(lastPart(n.Symbol), n.Path, n.Line, n.Calls))
		}
		slices.Sort(out)
		return out, errors.Join(err, broken)
	}}
}

func (t *tree) callLines(found map[string][]int) []string {
	out := []string{}
	for name, lines := range found {
		at, _ := t.definition(name)
		out = append(out, callLine(name, at.path, at.line, lines))
	}
	slices.Sort(out)
	return out
}

func callLine(name, path string, line int, calls []int) string {
	calls = slices.Compact(slices.Sorted(slices.Values(calls)))
	return fmt.Sprintf("%s %s:%d calls %v", name, path, line, calls)
}

func lastPart(name string) string { return name[strings.LastIndexAny(name, ".:/")+1:] }

var revision = regexp.MustCompile(`has revision (\d+)`)

func (a *asker) hover() question {
	name, roles := a.sure()
	if roles == nil {
		return question{}
	}
	return question{"hover", a.address(name, nil, roles...), func(t *tree) []string {
		m, ok := t.definition(name)
		if !ok {
			return nil
		}
		return []string{fmt.Sprintf("%s:%d revision %d", m.path, m.line, t.docs[name])}
	}, func(raw json.RawMessage) ([]string, error) {
		var body struct {
			Documentation string `json:"documentation"`
			Definition    place  `json:"definition"`
		}
		err := json.Unmarshal(raw, &body)
		documented := "undocumented"
		if m := revision.FindStringSubmatch(body.Documentation); m != nil {
			documented = "revision " + m[1]
		}
		return []string{body.Definition.lineOnly() + " " + documented}, err
	}}
}

// file returns any file with code.
func (a *asker) file() string {
	return pick(a.r, slices.Sorted(maps.Keys(a.t.outline)))
}

// generated matches the line of a generated function in get_document_symbols.
var generated = regexp.MustCompile(`^(\d+(?:-\d+)?) \w+ (F\d+é?)(:|$)`)

func (a *asker) outline() question {
	path := a.file()
	// In detail, a function has a line of its own with all of its lines.
	return question{"get_document_symbols", map[string]any{"file_path": path, "detail": true,
		"max_total_chars": maxChars}, func(t *tree) []string {
		if _, ok := t.files[path]; !ok {
			return nil
		}
		return append([]string{}, t.outline[path]...)
	}, func(raw json.RawMessage) ([]string, error) {
		var body struct {
			Symbols []string `json:"symbols"`
		}
		err := json.Unmarshal(raw, &body)
		out := []string{}
		for _, s := range body.Symbols {
			if m := generated.FindStringSubmatch(s); m != nil {
				out = append(out, m[1]+" "+m[2])
			}
		}
		return out, err
	}}
}

func (a *asker) diagnostics() question {
	return diagnosticsOf(a.file())
}

func diagnosticsOf(path string) question {
	return question{"get_diagnostics", map[string]any{"file_path": path, "severities": []string{"error"}},
		func(t *tree) []string {
			if _, ok := t.files[path]; !ok {
				return nil
			}
			return errorLines(path, t.broken[path])
		}, readDiagnostics}
}

func (a *asker) allDiagnostics() question {
	return question{"get_diagnostics", map[string]any{"severities": []string{"error"}, "max_results": 500},
		func(t *tree) []string {
			out := []string{}
			for path, lines := range t.broken {
				out = append(out, errorLines(path, lines)...)
			}
			slices.Sort(out)
			return out
		}, readDiagnostics}
}

func errorLines(path string, lines []int) []string {
	out := []string{}
	for _, n := range lines {
		out = append(out, fmt.Sprintf("%s:%d", path, n))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func readDiagnostics(raw json.RawMessage) ([]string, error) {
	var body struct {
		Files []struct {
			FilePath    string  `json:"file_path"`
			Diagnostics []place `json:"diagnostics"`
		} `json:"files"`
	}
	err := json.Unmarshal(raw, &body)
	out := []string{}
	for _, f := range body.Files {
		for _, d := range f.Diagnostics {
			out = append(out, fmt.Sprintf("%s:%d", f.FilePath, d.Line))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

func (a *asker) implementations() question {
	more := map[string]any{"max_results": 5000, "max_total_chars": maxChars}
	return question{"find_implementations", a.address(interfaceName, more, defined), func(t *tree) []string {
		return marks(t.impls)
	}, func(raw json.RawMessage) ([]string, error) { return paged(raw, "implementations") }}
}

// ghost asks about a name that may never have existed, or no longer exists.
func (a *asker) ghost() question {
	name := fmt.Sprint("F", 1+a.r.IntN(a.p.numbers))
	if a.r.IntN(2) == 0 {
		return search(name)
	}
	q := a.references()
	q.arguments = map[string]any{"symbol_name": name, "max_results": 5000, "max_total_chars": maxChars}
	q.truth = func(t *tree) []string {
		if _, ok := t.definition(name); !ok {
			return nil
		}
		return marks(t.of(name, everyRole...))
	}
	return q
}
