package compare

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/index"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// TestIndexTrial makes an index of each corpus by its language's indexer, and holds the references of random names by
// that index against those of the live server: an answer of the index that is called complete has to have them all.
// LSPI_INDEX_TRIAL=50 asks about so many names in each corpus, LSPI_COMPARE_SEED gives other names.
func TestIndexTrial(t *testing.T) {
	n := number(t, "LSPI_INDEX_TRIAL", 0)
	if n == 0 {
		t.Skip("set LSPI_INDEX_TRIAL to a number of names")
	}
	for _, l := range []language{
		{name: "scip-go", row: "gopls", corpus: "cobra", extensions: []string{"go"}},
		{name: "rust-analyzer", row: "rust-analyzer", corpus: "regex-syntax", extensions: []string{"rs"}},
		{name: "scip-typescript", row: "typescript-language-server", corpus: "zod", extensions: []string{"ts"}},
		{name: "scip-python", row: "pyright", corpus: "click", extensions: []string{"py"}},
		{name: "scip-go", row: "gopls", corpus: "x-tools", extensions: []string{"go"}},
	} {
		t.Run(l.corpus, func(t *testing.T) { holdIndex(t, l, n) })
	}
}

// holdIndex compares an index with the server of its language.
func holdIndex(t *testing.T, l language, n int) {
	root := copied(t, testkit.Corpus(t, l.corpus))
	commit := committed(t, root)
	made := filepath.Join(root, index.Name)
	makeIndex(t, l.name, root, made, commit)
	testkit.Must(t, os.WriteFile(made+index.CommitSuffix, []byte(commit+"\n"), 0o600))

	live := toolstest.Real(t, root, l.row)
	if l.row == "rust-analyzer" {
		toolstest.WholeStd(live) // the indexer read it, too
	}
	byIndex := withoutServer(t, root, l.row)

	claims := map[string]int{}
	asked, same, listed, found, right := 0, 0, 0, 0, 0
	claimed, wrong := 0, 0
	for _, s := range sample(t, root, l.extensions, 6*n, uint64(number(t, "LSPI_COMPARE_SEED", 1))) {
		if asked == n {
			break
		}
		if s.class == "text" || s.class == "keyword" {
			continue
		}
		server, state := usesAt(t, live, s)
		if len(server) == 0 || state == "error" {
			continue
		}
		ours, claim := usesAt(t, byIndex, s)
		asked++
		claims[claim]++
		listed += len(server)
		both := 0
		for _, p := range ours {
			if slices.Contains(server, p) {
				both++
			}
		}
		found, right = found+len(ours), right+both
		if both == len(server) && both == len(ours) {
			same++
		} else {
			t.Logf("%s at %s:%d:%d: server %d (%s), index %d (%s), both %d; only server %v, only index %v", s.word,
				filepath.Base(s.path), s.line, s.column, len(server), state, len(ours), claim, both,
				few(lacking(server, ours)), few(lacking(ours, server)))
		}
		if claim == "complete" {
			claimed++
			if both < len(server) {
				wrong++
				t.Errorf("%s at %s:%d: complete by the index, and the server has %v", s.word, s.path, s.line,
					few(lacking(server, ours)))
			}
		}
	}
	t.Logf("%s on %s: %d names, %d the same; recall %d of %d, precision %d of %d; %d called complete, %d of them wrong; %v",
		l.name, l.corpus, asked, same, right, listed, right, found, claimed, wrong, claims)
}

// TestUnitsOfTools shows in which units the tools count columns that do not say it (index.knownEncodings): a name
// behind characters beyond U+FFFF is found on disk.
func TestUnitsOfTools(t *testing.T) {
	if number(t, "LSPI_INDEX_TRIAL", 0) == 0 {
		t.Skip("runs with TestIndexTrial")
	}
	for _, c := range []struct {
		tool, row, file, text string
		more                  map[string]string
	}{
		{"scip-typescript", "typescript-language-server", "a.ts",
			"export const total = 1;\nexport const s = \"𝛼𝛽é\" + total;\n", map[string]string{
				"tsconfig.json": `{"include":["*.ts"]}`, "package.json": `{"name":"e","version":"1.0.0"}`}},
		{"scip-python", "pyright", "a.py", "total = 1\ns = \"𝛼𝛽é\" + str(total)\n", nil},
	} {
		t.Run(c.tool, func(t *testing.T) {
			root := testkit.Project(t, c.more)
			testkit.Write(t, filepath.Join(root, c.file), c.text)
			commit := committed(t, root)
			makeIndex(t, c.tool, root, filepath.Join(root, index.Name), commit)
			s := withoutServer(t, root, c.row)
			places, claim := usesAt(t, s, spot{path: filepath.Join(root, c.file), line: 1, column: strings.Index(c.text,
				"total") + 1})
			if len(places) != 2 || strings.Contains(claim, "stale") {
				t.Errorf("got %v, %s", places, claim)
			}
		})
	}
}

// withoutServer opens a session in which no server of a row is installed.
func withoutServer(t *testing.T, root, row string) *session.Session {
	var rows []spec.Spec
	for _, r := range servers.Servers() {
		if r.ID == row {
			r.Commands = []spec.Command{{Name: "lspi-test-no-such-program"}}
			rows = append(rows, r)
		}
	}
	s := toolstest.OpenWith(t, root, func(*router.PoolOptions) {}, rows...)
	s.Settings.Index = session.Index{Cache: t.TempDir()}
	return s
}

// committed makes a repository of a folder and returns the commit that has all of it.
func committed(t testing.TB, root string) string {
	t.Helper()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	testkit.Must(t, os.RemoveAll(filepath.Join(root, ".git")))
	git("init", "-q")
	git("add", "-A", "-f")
	// cargo's output, which the server writes
	testkit.Must(t, os.WriteFile(filepath.Join(root, ".git", "info", "exclude"), []byte("target\n"), 0o600))
	git("commit", "-q", "-m", "all")
	return git("rev-parse", "HEAD")
}

// makeIndex runs an indexer.
func makeIndex(t testing.TB, name, root, output, commit string) {
	t.Helper()
	i := slices.IndexFunc(index.Indexers, func(i index.Indexer) bool { return i.Name == name })
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: %s", name, index.Indexers[i].Install)
	}
	cmd := exec.Command(program, index.Indexers[i].Args(root, output, commit)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// usesAt are the references of what stands at a place, as path:line:column, with what the answer claims.
func usesAt(t testing.TB, s *session.Session, at spot) (places []string, claim string) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"file_path": at.path, "line": at.line, "character": at.column,
		"max_results": 5000, "include_snippet": false, "max_total_chars": 1 << 20})
	testkit.Must(t, err)
	var a struct {
		OK           bool
		Completeness string
		Warnings     []struct{ Kind, Reason string }
		Files        []struct {
			FilePath   string `json:"file_path"`
			References []string
		}
	}
	testkit.Must(t, json.Unmarshal(tools.Run(t.Context(), s, nil, answer.Request{Tool: "find_references", Arguments: raw}).Structured, &a))
	if !a.OK {
		return nil, "error"
	}
	for _, f := range a.Files {
		for _, r := range f.References {
			place, _, _ := strings.Cut(r, " ")
			if !filepath.IsAbs(f.FilePath) { // an index has the project alone
				places = append(places, f.FilePath+":"+place)
			}
		}
	}
	claim = a.Completeness
	for _, w := range a.Warnings {
		if w.Reason != "" {
			claim += " " + w.Reason
		}
	}
	return places, claim
}

func lacking(of, in []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(p string) bool { return slices.Contains(in, p) })
}

func few(places []string) []string { return places[:min(len(places), 4)] }
