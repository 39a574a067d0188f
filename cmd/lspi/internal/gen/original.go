package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/symbol"
)

// recordedAnswers are answers of gopls in the shape of today, about one file of a workspace at /w.
//
//go:embed testdata/answers.json
var recordedAnswers []byte

// recorded is what recordedAnswers has.
type recorded struct {
	File    string
	Text    string
	Servers []session.ServerConfig
	Calls   []recordedCall
}

type recordedCall struct {
	Called    string // the name by which the tool was called
	Arguments map[string]any
	At        *struct { // what it asked about; nil for a call about no symbol
		Line, Character int
		Name            string
	}
	Answer map[string]any
}

const recordedRoot = "/w"

func readRecorded() (r recorded, err error) {
	err = json.Unmarshal(recordedAnswers, &r)
	return r, err
}

// original returns a recorded answer in the shape of the original.
func (r recorded) original(c recordedCall) (map[string]any, error) {
	o := &answer.OriginalShape{Called: c.Called, Root: recordedRoot, Input: c.Arguments, Servers: r.Servers,
		Read: func(string) (*source.Text, error) { return source.New(path.Join(recordedRoot, r.File), r.Text), nil }}
	if c.At != nil {
		o.At = &symbol.Located{Path: path.Join(recordedRoot, r.File), Name: c.At.Name,
			At: contract.Position{Line: c.At.Line, Character: c.At.Character}}
	}
	if now, _ := c.Answer["tool"].(string); strings.Contains(c.Called, "type_definition") && now == "find_definition" {
		o.Input = maps.Clone(c.Arguments)
		o.Input["target"] = "type_definition" // as the old name sets it
	}
	a, err := copied(c.Answer)
	if err != nil {
		return nil, err
	}
	o.Shape(a)
	return copied(a)
}

// copied returns an answer as a host reads it.
func copied(a map[string]any) (out map[string]any, err error) {
	raw, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(raw, &out)
	return out, err
}

// maxFieldDepth is how deep the names of fields go in the list of differences.
const maxFieldDepth = 4

// fieldNames adds the paths of the fields of a value to names; the elements of a list are [].
func fieldNames(names map[string]bool, at string, v any, depth int) {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			below := strings.TrimPrefix(at+"."+name, ".")
			names[below] = true
			if depth < maxFieldDepth {
				fieldNames(names, below, field, depth+1)
			}
		}
	case []any:
		for _, item := range v {
			fieldNames(names, at+"[]", item, depth)
		}
	}
}

// onlyIn returns the fields of a that b has not, without those below a field that is listed itself.
func onlyIn(a, b map[string]any) []string {
	of, others := map[string]bool{}, map[string]bool{}
	fieldNames(of, "", a, 1)
	fieldNames(others, "", b, 1)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if others[name] || slices.ContainsFunc(out, func(above string) bool {
			return strings.HasPrefix(name, above+".") || strings.HasPrefix(name, above+"[]")
		}) {
			continue
		}
		out = append(out, name)
	}
	return out
}

// differencesTable lists, for each call of the original, which fields only one of the two shapes has.
func differencesTable() (string, error) {
	r, err := readRecorded()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| call | only in the shape of today | only in that of the original |\n|---|---|---|\n")
	for _, c := range r.Calls {
		original, err := r.original(c)
		if err != nil {
			return "", err
		}
		name := "`" + c.Called + "`"
		if c.Answer["ok"] == false {
			name += ", an error"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, codes(onlyIn(c.Answer, original)), codes(onlyIn(original, c.Answer)))
	}
	return b.String(), nil
}

func codes(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// originalKindsTable lists the kinds of errors that the original called otherwise.
func originalKindsTable() string {
	var b strings.Builder
	b.WriteString("| `lspi_error.kind` today | `original_kind` |\n|---|---|\n")
	for _, k := range contract.ErrorKinds() {
		e := &contract.Error{Kind: k.Kind, Facts: contract.Facts{"method": "textDocument/rename"}}
		if was := e.Original(); was != "" {
			fmt.Fprintf(&b, "| `%s` | `%s` |\n", k.Kind, was)
		}
	}
	return b.String()
}
