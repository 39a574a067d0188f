//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// coldSizes are the numbers of sources in the projects of BenchmarkCold.
var coldSizes = []int{10, 100, 1000}

// coldQuestions are asked of the function f1, which is declared in the second file and called in the first.
var coldQuestions = []struct {
	tool, method string
	atUse        bool // where it is asked: at the call, not at the declaration
}{
	{"hover", "textDocument/hover", true},
	{"find_definition", "textDocument/definition", true},
	{"find_references", "textDocument/references", false},
}

// coldOutcome is the first answer of one session: from the start of the process to the answer.
type coldOutcome struct {
	server, tool string
	files        int
	alone, lspi  time.Duration
	claim        string
}

var coldOutcomes []coldOutcome

// BenchmarkCold measures first answers: -bench 'Cold/gopls/100/hover' selects. Each session has a new project and
// empty caches. The server alone is asked repeatedly until its answer is right, which only a benchmark can know.
func BenchmarkCold(b *testing.B) {
	for _, l := range benchLanguages {
		for _, files := range coldSizes {
			for _, q := range coldQuestions {
				b.Run(fmt.Sprintf("%s/%d/%s", l.row, files, q.tool), func(b *testing.B) {
					cold := coldProject(b, l, files)
					p := newPairOn(b, cold, cold.written)
					o := coldOutcome{server: l.row, tool: q.tool, files: files}
					spot := p.asked
					if q.atUse {
						spot = p.used
					}
					right := func(answer json.RawMessage) bool {
						switch q.tool {
						case "hover":
							return strings.Contains(string(answer), "f1")
						case "find_definition":
							return strings.Contains(string(answer), p.asked.file)
						}
						return strings.Contains(string(answer), p.asked.file) &&
							strings.Contains(string(answer), p.used.file)
					}
					p = p.fresh(b)
					o.alone = since(func() {
						d := p.startAlone(b)
						if spot.file != p.file {
							d.open(b, spot.file)
						}
						d.until(b, q.method, p.at(b, d, spot), right)
						d.end()
					})
					a := p.session(b, q.tool, p.arguments(b, spot))
					if !right(a.structured) {
						b.Errorf("%.2000s", a.structured)
					}
					o.lspi, o.claim = a.took, a.claim()
					for b.Loop() { // one sample
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(micros(o.alone)/1e3, "alone-ms")
					b.ReportMetric(micros(o.lspi)/1e3, "lspi-ms")
					coldOutcomes = append(coldOutcomes, o)
				})
			}
		}
	}
}

// until asks repeatedly until the answer is right.
func (d *direct) until(b *testing.B, method string, params any, right func(json.RawMessage) bool) {
	b.Helper()
	testkit.Wait(b, method, func() bool {
		var raw json.RawMessage
		return d.Call(b.Context(), method, params, &raw) == nil && right(raw) // an error: it loads
	})
}

// coldProject returns a project of n files; each but the last calls a function of the next one.
func coldProject(b *testing.B, l language, files int) language {
	b.Helper()
	name := func(i int) string { return fmt.Sprintf(coldLanguages[l.row].file, i) }
	l.files = files
	l.file, l.query = name(0), "f1"
	l.used = spotOf{name(0), coldLanguages[l.row].before, "f1()"}
	l.asked = spotOf{name(1), coldLanguages[l.row].declares, "f1("}
	return l
}

// coldLanguages are the projects by row: the name of a file, its text, what stands in front of the call and of the
// declaration, and the project file; %[1]d is the number of the file and %[2]d the next one.
var coldLanguages = map[string]struct {
	file, text, last, before, declares string
	project                            func(files int) map[string]string
}{
	"gopls": {"f%d.go", "package chain\n\nfunc f%[1]d() int { return f%[2]d() }\n",
		"package chain\n\nfunc f%[1]d() int { return 1 }\n",
		"return ", "func ", func(int) map[string]string {
			return map[string]string{"go.mod": "module example.com/chain\n\ngo 1.24\n"}
		}},
	"clangd": {"f%d.cc", "#include \"all.h\"\n\nint f%[1]d() { return f%[2]d(); }\n",
		"#include \"all.h\"\n\nint f%[1]d() { return 1; }\n",
		"return ", "int ", func(files int) map[string]string {
			var header, database strings.Builder
			for i := range files {
				fmt.Fprintf(&header, "int f%d();\n", i)
				fmt.Fprintf(&database,
					",\n{\"directory\": \".\", \"file\": \"f%d.cc\", \"command\": \"c++ -c f%d.cc\"}", i, i)
			}
			return map[string]string{"all.h": header.String(), "compile_commands.json": "[" +
				strings.TrimPrefix(database.String(), ",") + "]\n"}
		}},
	"rust-analyzer": {"src/f%d.rs", "pub fn f%[1]d() -> i32 {\n    crate::f%[2]d::f%[2]d()\n}\n",
		"pub fn f%[1]d() -> i32 {\n    1\n}\n",
		"::", "pub fn ", func(files int) map[string]string {
			var lib strings.Builder
			for i := range files {
				fmt.Fprintf(&lib, "pub mod f%d;\n", i)
			}
			return map[string]string{"src/lib.rs": lib.String(),
				"Cargo.toml": "[package]\nname = \"chain\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"Cargo.lock": "version = 3\n\n[[package]]\nname = \"chain\"\nversion = \"0.1.0\"\n"}
		}},
	"typescript-language-server": {"src/f%d.ts",
		"import { f%[2]d } from \"./f%[2]d\";\n\nexport function f%[1]d(): number {\n  return f%[2]d();\n}\n",
		"export function f%[1]d(): number {\n  return 1;\n}\n", "return ", "export function ",
		func(int) map[string]string {
			return map[string]string{
				"tsconfig.json": "{\"compilerOptions\": {\"strict\": true}, \"include\": [\"src\"]}\n"}
		}},
	"pyright": {"f%d.py", "from f%[2]d import f%[2]d\n\n\ndef f%[1]d() -> int:\n    return f%[2]d()\n",
		"def f%[1]d() -> int:\n    return 1\n",
		"return ", "def ", func(int) map[string]string { return map[string]string{"pyrightconfig.json": "{}\n"} }},
}

// written writes the project into a folder of the benchmark's own.
func (l language) written(b testing.TB) string {
	b.Helper()
	dir, how := testkit.TempDir(b), coldLanguages[l.row]
	for name, text := range how.project(l.files) {
		testkit.Write(b, filepath.Join(dir, name), strings.ReplaceAll(text, `"directory": "."`,
			fmt.Sprintf(`"directory": %q`, dir)))
	}
	for i := range l.files {
		text := fmt.Sprintf(how.text, i, i+1)
		if i == l.files-1 {
			text = fmt.Sprintf(how.last, i)
		}
		testkit.Write(b, filepath.Join(dir, fmt.Sprintf(how.file, i)), text)
	}
	testkit.Must(b, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	return dir
}

// coldTable is the part of the page with the first answers.
func coldTable(b *bytes.Buffer, all []coldOutcome) (missing []error) {
	b.WriteString(
		"\n## First answers\n\nFrom the start of the process to the first right answer, in seconds: the server alone, and lspi. Each session has a new project of so " +
			"many files, each of which calls a function of the next, and empty caches; one sample each. The server alone is asked again until its answer is right.\n\n")
	b.WriteString("| server | files | hover | definition | references |\n|---|---:|---|---|---|\n")
	for _, l := range benchLanguages {
		for _, files := range coldSizes {
			fmt.Fprintf(b, "| %s | %d |", l.row, files)
			for _, q := range coldQuestions {
				i := slices.IndexFunc(all, func(o coldOutcome) bool {
					return o.server == l.row && o.files == files && o.tool == q.tool
				})
				if i < 0 {
					missing = append(missing, errors.New("no first answer of "+l.row+" to "+q.tool))
					continue
				}
				o := all[i]
				fmt.Fprintf(b, " %.2f, %.2f", o.alone.Seconds(), o.lspi.Seconds())
				if o.claim != "complete" {
					fmt.Fprintf(b, " %s", o.claim)
				}
				b.WriteString(" |")
			}
			b.WriteString("\n")
		}
	}
	return missing
}
