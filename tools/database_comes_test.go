package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// rounds is how often a race of a test is run: few, or as LSPI_ROUNDS says.
func rounds(t *testing.T, few int) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("LSPI_ROUNDS")); err == nil {
		return n
	}
	return few
}

// usesOf is a C++ project in which each of n sources uses one function, and the truth of its references.
func usesOf(n int) (files map[string]string, all []string) {
	files = map[string]string{"f.h": "#pragma once\nint foo();\n",
		"f.cc": "#include \"f.h\"\nint foo() { return 1; }\n"}
	all = []string{"f.cc:2", "f.h:2"}
	cmake := "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_library(p f.cc"
	for i := range n {
		name := fmt.Sprintf("u%d.cc", i)
		files[name] = fmt.Sprintf("#include \"f.h\"\n#include <cstddef>\nint u%d() { return foo(); }\n", i)
		all = append(all, name+":3")
		cmake += " " + name
	}
	files["CMakeLists.txt"] = cmake + ")\n"
	slices.Sort(all)
	return files, all
}

// database is a compilation database of sources.
func database(dir string, sources ...string) string {
	var entries []string
	for _, f := range sources {
		entries = append(entries, fmt.Sprintf(`{"directory":%q,"file":%q,"command":"c++ -c %s"}`, dir, f, f))
	}
	return "[\n" + strings.Join(entries, ",\n") + "\n]\n"
}

// comingDatabase is a project with a live session that has asked clangd without a compilation database.
type comingDatabase struct {
	t       *testing.T
	session *session.Session
	dir     string
	sources []string // that it lists in the end
	all     []string // references then
}

func newComingDatabase(t *testing.T) *comingDatabase {
	const uses = 6
	files, all := usesOf(uses)
	d := &comingDatabase{t: t, dir: project(t, files), sources: []string{"f.cc"}, all: all}
	for i := range uses {
		d.sources = append(d.sources, fmt.Sprintf("u%d.cc", i))
	}
	d.session = toolstest.Real(t, d.dir, "clangd")
	if completeness, got := d.ask(nil); completeness != "partial" {
		t.Fatalf("without a database: %s %s", completeness, got)
	}
	return d
}

// ask checks that an answer that says so is complete. progress may be nil.
func (d *comingDatabase) ask(progress func(int, string)) (completeness, got string) {
	d.t.Helper()
	r := Run(d.t.Context(), d.session, nil, answer.Request{Tool: "find_references", Progress: progress,
		Arguments: json.RawMessage(`{"file_path":"f.h","symbol_name":"foo"}`)})
	var a reply
	testkit.Must(d.t, json.Unmarshal(r.Structured, &a))
	if !r.OK {
		return "no", string(r.Structured)
	}
	completeness, got = fmt.Sprint(a["completeness"]), lines(a["files"], "references")
	if completeness == "complete" && got != strings.Join(d.all, " ") {
		d.t.Errorf("complete, but %s", got)
	}
	return completeness, got + " " + kinds(a)
}

// during asks again and again while f writes, and until the answer is complete then, which the first one has to be.
func (d *comingDatabase) during(f func()) {
	d.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for written := false; !written; {
		select {
		case <-done:
			written = true
		default:
		}
		if completeness, got := d.ask(nil); written && completeness != "complete" {
			d.t.Errorf("%s once the database is whole: %s", completeness, got)
		}
	}
}

func (d *comingDatabase) cmake() {
	out, err := exec.Command("cmake", "-S", d.dir, "-B", filepath.Join(d.dir, "build"),
		"-DCMAKE_EXPORT_COMPILE_COMMANDS=ON").CombinedOutput()
	if err != nil {
		d.t.Errorf("%v\n%s", err, out)
	}
}

func (d *comingDatabase) write(text string) { write(d.t, d.dir, "compile_commands.json", text) }

// cmake writes the database under a live session, and once more when a source has come.
func TestCmakeUnderALiveSession(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	needServer(t, "cmake")
	for range rounds(t, 1) {
		d := newComingDatabase(t)
		d.during(d.cmake)
		files, all := usesOf(7)
		d.all = all
		write(t, d.dir, "u6.cc", files["u6.cc"])
		write(t, d.dir, "CMakeLists.txt", files["CMakeLists.txt"])
		d.during(d.cmake)
		d.session.Close()
	}
}

// What a process knows is of the database as it was at some time after its start, while what the database leaves out is
// looked up behind the answer: the database may have been written meanwhile.
func TestADatabaseThatIsWrittenWhileItIsRead(t *testing.T) {
	needServer(t, "clangd")
	for _, half := range []string{"whole entries", "cut"} {
		t.Run(half, func(t *testing.T) {
			testkit.Always(t, half, "whole entries")
			t.Parallel()
			d := newComingDatabase(t)
			text := database(d.dir, d.sources[:3]...)
			if half == "cut" {
				text = strings.TrimSuffix(text, "\n]\n") + ","
			}
			d.write(text)
			var once sync.Once
			completeness, got := d.ask(func(_ int, message string) {
				// clangd has read it, and its end is waited for
				if strings.Contains(message, "index") || half == "cut" {
					once.Do(func() { d.write(database(d.dir, d.sources...)) })
				}
			})
			if completeness == "partial" { // of the half that was read
				t.Log("written after the answer")
				d.write(database(d.dir, d.sources...))
				completeness, got = d.ask(nil)
			}
			testkit.Equal(t, completeness, "complete", got)
		})
	}
}

// The same at other times, as often as LSPI_ROUNDS says: clangd gives no sign of when it reads the list, so each
// round leaves other pauses between the writes. The pauses are what is tried; nothing is waited for by them.
func TestADatabaseInPieces(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	rounds := rounds(t, 0)
	if rounds == 0 {
		t.Skip("runs with LSPI_ROUNDS")
	}
	for round := range rounds {
		pause := time.Duration(round%8) * 150 * time.Millisecond
		d := newComingDatabase(t)
		d.during(func() {
			whole := database(d.dir, d.sources...)
			for _, n := range []int{0, 1, strings.Index(whole, "}") + 1, len(whole) / 2, len(whole)} {
				d.write(whole[:n])
				time.Sleep(pause)
			}
		})
		d.session.Close()
		d = newComingDatabase(t)
		d.during(func() {
			for n := 1; n <= len(d.sources); n += 2 {
				d.write(database(d.dir, d.sources[:n]...))
				time.Sleep(pause)
			}
		})
		d.session.Close()
	}
}

// Without a file that tells what the project is, an answer is partial where other files can change it, or the file
// itself was misread; and says by which.
func TestALackingProjectFileLimitsWhatItConcerns(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	needServer(t, "typescript-language-server")
	session := toolstest.Real(t, project(t, map[string]string{
		"js/a.js": "export function aim(x) { return alone(x) }\nfunction alone(y) { return y }\nexport default class Thing {}\n",
		"js/b.js": "import { aim } from './a'\nimport Renamed from './a'\naim(new Renamed())\n",
		"c/a.cc":  "int one() { int local = 1; return local; }\nstatic int own() { return one(); }\nint alone() { return own(); }\n",
		"c/b.cc":  "int one();\nint own() { int local = one(); return local; }\n",
		"c/m.cc":  "#include \"gone.h\"\nEXPORT int misread() { return 1; }\n",
	}), "clangd", "typescript-language-server")
	for _, q := range []struct{ tool, file, name, missing string }{
		{"get_document_symbols", "js/a.js", "", ""},
		{"find_references", "js/a.js", "aim", "js/b.js"},
		{"find_references", "js/a.js", "Thing", ""}, // it has the open file now
		{"hover", "js/b.js", "aim", ""},
		{"find_definition", "js/b.js", "aim", ""},
		{"find_references", "js/a.js", "aim", ""}, // it has the open file now
		{"get_document_symbols", "c/a.cc", "", ""},
		{"hover", "c/a.cc", "local", ""},
		{"find_references", "c/a.cc", "local", ""},
		{"find_references", "c/a.cc", "own", ""},
		{"find_references", "c/a.cc", "alone", ""},
		{"find_definition", "c/a.cc", "alone", ""},
		{"find_definition", "c/a.cc", "one", "c/b.cc:1"},
		{"find_references", "c/a.cc", "one", "c/b.cc:1"},
		{"get_document_symbols", "c/m.cc", "", "c/m.cc:1 has an error"},
		{"symbol_bundle", "c/a.cc", "alone", ""},
		{"symbol_bundle", "c/a.cc", "one", ""}, // and both of these
	} {
		arguments := map[string]any{"file_path": q.file}
		if q.name != "" {
			arguments["symbol_name"] = q.name
		}
		a := run(t, session, q.tool, arguments)
		claim := "complete"
		if q.missing != "" {
			claim = "partial"
		}
		if warnings := fmt.Sprint(a["warnings"]); a["completeness"] != claim || !strings.Contains(warnings, q.missing) {
			t.Errorf("%s of %s in %s: %s wanted (%s): %v", q.tool, q.name, q.file, claim, q.missing, a)
		}
	}
}

// A search is limited by a source without a compilation database only where that holds what the search would list,
// whether its server is asked about the folder (.git marks it) or not.
func TestASearchBesideASourceThatIsNotIndexed(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	for _, mark := range []string{".git/HEAD", "notes.txt"} {
		session := toolstest.Real(t, project(t, map[string]string{mark: "\n", "a.cc": "int exporter() { return 1; }\n",
			"b/hello.c": "int main(void) { return 0; }\n"}), "clangd")
		for _, q := range []struct{ query, match, missing string }{
			{"NewExporter", "fuzzy", ""}, {"NewExporter", "exact", ""}, {"expo", "fuzzy", "a.cc:1"},
			{"main", "exact", "b/hello.c:1"}} {
			a := run(t, session, "search_workspace_symbols", map[string]any{"query": q.query, "match": q.match})
			if claim := map[bool]string{true: "complete",
				false: "partial"}[q.missing == ""]; a["completeness"] != claim ||
				!strings.Contains(fmt.Sprint(a["warnings"]), q.missing) {
				t.Errorf("%s, %s: %s wanted (%s): %v", mark, q.query, claim, q.missing, a)
			}
		}
	}
}
