package compare

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// update with LSPI_PARTIAL_BEFORE and LSPI_PARTIAL_AFTER, which name logs of TestPartial (LSPI_PARTIAL_LOG), of two
// versions of lspi, enters their figures into testdata/partial.json and writes docs/partial.md anew.
var update = flag.Bool("update", false, "write docs/partial.md anew")

const (
	figuresFile = "testdata/partial.json"
	tableFile   = "../../docs/partial.md"
)

// figures are those of one workspace in one version of lspi.
type figures struct {
	Asked   int               `json:"asked"`
	Partial int               `json:"partial"` // and unknown
	Kinds   map[string]int    `json:"kinds"`   // answers with a warning of the kind; one may have several
	First   map[string]string `json:"first"`   // the words of the first of each kind
}

// versions are the figures of a workspace before and after; nil where it was not measured.
type versions struct {
	Before *figures `json:"before,omitempty"`
	After  *figures `json:"after,omitempty"`
}

// why says, by kind of warning, what is behind the partial answers that remain.
var why = map[string]string{
	"unresolved_name":         "The server does not resolve the name that was asked about: its module is not installed, its code is not built here, or depends on a template's arguments. No other file is at fault; the line is that of the error or the name.",
	"dynamic_uses":            "Until November 2026: places use a member of this name on a value whose type the server does not know.",
	"unexplained":             "Places hold the name and may be uses of the symbol: neither their text nor the server, asked there, tells what they are. The warning has the reason for each file.",
	"mentions":                "Strings are the name; this alone does not make an answer partial.",
	"unlisted_sources":        "Sources contain the name and are in no build, project or database that the server loaded: Go files for another system or with a build tag, build output when the question is about it, sources that clangd could not parse in 15 s.",
	"not_built":               "#if, #ifdef or #[cfg] leaves code out of the build that contains the name.",
	"not_compiled":            "A file has errors at the places that contain the name.",
	"truncated":               "The answer reached max_results or max_breadth.",
	"server_limit":            "gopls gives no more than 100 symbols.",
	"no_project_file":         "Scripts beside a Go module declare what the search would list, and no tsconfig.json or jsconfig.json includes them.",
	"no_compilation_database": "C sources beside a Go module declare what the search would list, and there is no compile_commands.json.",
	"dependencies_missing":    "Packages are not installed, and a file that imports some of them contains the name at a place that the server did not resolve.",
	"linked_projects":         "Modules that use each other by path contain the name, and no go.work joins them.",
	"more_warnings":           "An answer shows three such warnings and counts the others.",
}

// TestPartialTable compares docs/partial.md with the figures, and checks that it explains each kind.
func TestPartialTable(t *testing.T) {
	raw, err := os.ReadFile(figuresFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	all := map[string]*versions{}
	if err == nil {
		testkit.Must(t, json.Unmarshal(raw, &all))
	}
	if *update {
		enter(t, all)
	}
	text := page(t, all)
	if *update {
		testkit.Write(t, tableFile, text)
		return
	}
	if have, err := os.ReadFile(tableFile); err != nil || string(have) != text {
		t.Errorf("%s is not what %s gives (-update writes it): %v", tableFile, figuresFile, err)
	}
}

// enter takes the figures of logs.
func enter(t *testing.T, all map[string]*versions) {
	t.Helper()
	for variable, version := range map[string]func(*versions) **figures{
		"LSPI_PARTIAL_BEFORE": func(v *versions) **figures { return &v.Before },
		"LSPI_PARTIAL_AFTER":  func(v *versions) **figures { return &v.After },
	} {
		name := os.Getenv(variable)
		if name == "" {
			continue
		}
		for workspace, f := range readLog(t, name) {
			if all[workspace] == nil {
				all[workspace] = &versions{}
			}
			*version(all[workspace]) = f
		}
	}
	raw, err := json.MarshalIndent(all, "", " ")
	if err == nil {
		err = os.WriteFile(figuresFile, append(raw, '\n'), 0o644)
	}
	testkit.Must(t, err)
}

func readLog(t *testing.T, name string) map[string]*figures {
	t.Helper()
	file, err := os.Open(name)
	testkit.Must(t, err)
	defer file.Close()
	out := map[string]*figures{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var one struct {
			Test, Claim string
			Warnings    []string
		}
		testkit.Must(t, json.Unmarshal(lines.Bytes(), &one))
		f := out[strings.ReplaceAll(strings.TrimPrefix(one.Test, "TestPartial/"), "_", " ")]
		if f == nil {
			f = &figures{Kinds: map[string]int{}, First: map[string]string{}}
			out[strings.ReplaceAll(strings.TrimPrefix(one.Test, "TestPartial/"), "_", " ")] = f
		}
		f.Asked++
		if one.Claim == "partial" || one.Claim == "unknown" {
			f.add(one.Warnings)
		}
	}
	testkit.Must(t, lines.Err())
	return out
}

func (f *figures) add(warnings []string) {
	f.Partial++
	seen := map[string]bool{}
	for _, w := range warnings {
		kind, words, _ := strings.Cut(w, ": ")
		if !seen[kind] {
			seen[kind] = true
			f.Kinds[kind]++
		}
		if f.First[kind] == "" {
			words, _, _ = strings.Cut(words, " [") // the files once more
			f.First[kind] = words
		}
	}
}

// page is docs/partial.md.
func page(t *testing.T, all map[string]*versions) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(
		"<!-- Written by go test ./test/compare -run TestPartialTable -update; do not edit. -->\n\n# How many answers are partial\n\n" +
			"Questions about random identifiers of each repository (definition, references, hover, outline, callers, implementations,\n" +
			"search), asked with every server of the catalogue that is installed (test/compare/partial_test.go, LSPI_PARTIAL=500). An answer is\n" +
			"partial only if something can be missing in it. The tables below say what, with the first warning of each kind.\n\n" +
			"| repository | asked | partial before | partial after |\n|---|---|---|---|\n")
	show := func(f *figures) string {
		if f == nil {
			return "not measured"
		}
		return fmt.Sprint(f.Partial)
	}
	for _, w := range workspaces {
		if v := all[w.name]; v != nil {
			asked := 0
			for _, f := range []*figures{v.Before, v.After} {
				if f != nil {
					asked = f.Asked
				}
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", w.name, asked, show(v.Before), show(v.After))
		}
	}
	b.WriteString("\n## What remains\n")
	for _, w := range workspaces {
		v := all[w.name]
		if v == nil {
			continue
		}
		f := v.After
		if f == nil {
			f = v.Before
		}
		fmt.Fprintf(&b, "\n**%s**\n\n| warning | answers | why | the first of them |\n|---|---|---|---|\n", w.name)
		for _, kind := range slices.SortedFunc(maps.Keys(f.Kinds), func(a, b string) int {
			return f.Kinds[b]*1000 - f.Kinds[a]*1000 + strings.Compare(a, b)
		}) {
			if why[kind] == "" {
				t.Errorf("%s of %s is not explained", kind, w.name)
			}
			fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", kind, f.Kinds[kind], why[kind],
				escaped.ReplaceAllString(f.First[kind], `\$0`))
		}
	}
	return b.String()
}

var escaped = regexp.MustCompile(`[|<>]`)
