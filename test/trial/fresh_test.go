package trial

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// TestFresh makes random changes to a project, on disk as an agent's editor does, and asks the lspi that was there
// all the time and one that is new the same questions: what both call complete is the same. LSPI_FRESH is how many
// rounds of changes each project has, LSPI_SEED which ones.
func TestFresh(t *testing.T) {
	eachProject(t, "LSPI_FRESH", func(t *testing.T, tree *movedTree, n int) {
		f := &freshener{symbolMover: symbolMover{tree}}
		for i := range n {
			f.round(i)
		}
		if f.ended["asked"] == 0 {
			t.Error("nothing was compared")
		}
	})
}

// freshener changes a project.
type freshener struct {
	symbolMover
	before []question // of the round before
}

// question is a call of a tool.
type question struct {
	tool      string
	arguments map[string]any
}

// round makes up to three changes, and asks about the last one.
func (f *freshener) round(i int) {
	var what []string
	var name string
	for range 1 + f.r.IntN(3) {
		said, of := f.change()
		what, name = append(what, said), of
	}
	questions := f.questions(name)
	f.before, questions = questions, append(questions, f.before...)
	var had []string
	for _, q := range questions {
		had = append(had, f.ask(f.h, q))
	}
	fresh := f.host()
	defer fresh.Close()
	for range 30 { // until it has loaded
		if f.ask(fresh, question{"search_workspace_symbols", map[string]any{"query": name}}) != "" {
			break
		}
		time.Sleep(time.Second)
	}
	for j, q := range questions {
		has := f.ask(fresh, q)
		if has == "" || had[j] == "" {
			f.ended["not complete"]++
			continue
		}
		if f.ended["asked"]++; has != had[j] {
			f.ended["other"]++
			n := 0
			for n < min(len(had[j]), len(has)) && had[j][n] == has[n] {
				n++
			}
			f.Errorf("%d behind %s: %s %v, from byte %d on\nhad %.600s\nnew %.600s", i, strings.Join(what, ", "), q.tool,
				q.arguments, n, had[j][max(n-200, 0):], has[max(n-200, 0):])
		}
	}
}

// ask is what an answer says, an error by its kind; "" where it is not complete.
func (f *freshener) ask(h *testkit.Host, q question) string {
	f.Helper()
	var result struct{ StructuredContent map[string]any }
	raw := h.Start(q.tool, q.arguments).Wait(f)
	testkit.Must(f, json.Unmarshal(raw, &result))
	out := result.StructuredContent
	if out["ok"] != true {
		var failed struct{ StructuredContent moveAnswer }
		testkit.Must(f, json.Unmarshal(raw, &failed))
		return "error " + failed.StructuredContent.Error.Data.Error.Kind
	}
	if out["completeness"] != "complete" {
		return ""
	}
	delete(out, "warnings")
	delete(out, "next_steps")
	said, err := json.Marshal(out)
	testkit.Must(f, err)
	// Its hovers have the parts of a union in the order in which it met them.
	if q.tool == "hover" && out["server_id"] == "typescript-language-server" {
		words := strings.Fields(string(said))
		slices.Sort(words)
		return strings.Join(words, " ")
	}
	return string(said)
}

// change changes a declaration or a file, or takes back all changes of a file, and returns what it did with a name that
// this is about.
func (f *freshener) change() (what, name string) {
	for {
		files, _ := f.sources()
		if len(files) == 0 { // all are gone, or in folders that are none of the project
			f.restore(f.dir)
			continue
		}
		file := files[f.r.IntN(len(files))]
		if changed := strings.Split(strings.TrimSpace(f.changed(f.dir)), "\n"); changed[0] != "" && f.r.IntN(4) == 0 {
			kind, of, _ := strings.Cut(strings.TrimSpace(changed[f.r.IntN(len(changed))]), " ")
			if of = strings.TrimSpace(of); kind == "??" {
				testkit.Must(f, os.Remove(filepath.Join(f.dir, of)))
			} else {
				f.git(f.dir, "checkout", "-q", "--", of)
				file = of
			}
			what = "as it was: " + of
		}
		names := f.declared(file)
		if len(names) == 0 {
			continue
		}
		name = names[f.r.IntN(len(names))]
		if what != "" {
			return what, name
		}
		path := filepath.Join(f.dir, file)
		raw, err := os.ReadFile(path)
		testkit.Must(f, err)
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
		at := word.FindIndex(raw)
		if at == nil {
			continue
		}
		text, line := string(raw), strings.LastIndexByte(string(raw[:at[0]]), '\n')+1
		switch f.r.IntN(11) {
		case 10: // as another branch does
			f.restore(f.dir)
			return "all as it was", name
		case 9:
			if from := filepath.Dir(file); from != "." {
				to := from + "_moved"
				testkit.Must(f, os.Rename(filepath.Join(f.dir, from), filepath.Join(f.dir, to)))
				return "folder moved: " + from, name
			}
		case 8:
			sign := "//"
			if strings.HasSuffix(file, ".py") {
				sign = "#"
			}
			indent := text[line:][:len(text[line:])-len(strings.TrimLeft(text[line:], " \t"))]
			said := fmt.Sprintf("%s%s Said of %s: %d.\n", indent, sign, name, f.r.IntN(1000))
			if end := strings.IndexByte(text[line:], '\n'); sign == "//" && f.r.IntN(2) == 0 && end >= 0 {
				testkit.Write(f, path, text[:line+end]+" "+strings.TrimSpace(said)+text[line+end:])
				return "a comment behind " + name + " in " + file, name
			}
			testkit.Write(f, path, text[:line]+said+text[line:])
			return "a comment before " + name + " in " + file, name
		case 0:
			testkit.Must(f, os.Remove(path))
			return "gone: " + file, name
		case 1:
			testkit.Write(f, filepath.Join(f.dir, beside(file, "_copy")), text)
			return "copied: " + file, name
		case 2, 3:
			testkit.Write(f, path, text[:line]+"\n\n"+text[line:])
			return "lines before " + name + " in " + file, name
		default:
			testkit.Write(f, path, text[:at[1]]+"X"+text[at[1]:])
			return "another name for " + name + " in " + file, name
		}
	}
}

// questions are about a name at up to three of its places, and about the files there.
func (f *freshener) questions(name string) (out []question) {
	files, _ := f.sources()
	f.r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(f.dir, file))
		testkit.Must(f, err)
		at := word.FindAllIndex(raw, -1)
		if at == nil || len(out) >= 21 {
			continue
		}
		place := map[string]any{"file_path": file, "symbol_name": name,
			"line": 1 + strings.Count(string(raw[:at[f.r.IntN(len(at))][0]]), "\n")}
		out = append(out, question{"find_definition", place}, question{"find_references", place},
			question{"call_hierarchy", map[string]any{"file_path": file, "symbol_name": name, "line": place["line"],
				"direction": "incoming"}}, question{"hover", place}, question{"find_implementations", place},
			question{"get_document_symbols", map[string]any{"file_path": file}},
			question{"get_diagnostics", map[string]any{"file_path": file}})
	}
	return out
}
