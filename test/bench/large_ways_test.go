//go:build linux

package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// wayOutcome is the first right answer about a project by one of the ways to have one.
type wayOutcome struct {
	name, way string
	files     int
	made      time.Duration // what another machine does once: the index; 0 where nothing is made
	first     firstAnswer
}

var wayOutcomes []wayOutcome

// containerRoot is where a container has the project.
const containerRoot = "/mnt/app"

// measureWays measures projects by a server here, by one with another root, as in a container, by the index that clangd
// asks at a server of indexes, and by a SCIP index without any language server. Each has caches of its own, which are
// empty.
func measureWays(b *testing.B) {
	for _, project := range []struct {
		name, indexer string // of SCIP; "" for none
		open          func(b *testing.B) (p *largeProject, files int)
	}{
		{"clang-tools-extra/clangd", "", clangdTree},
		{madeProjects[0].name, "scip-typescript", func(b *testing.B) (*largeProject, int) { return madeProjects[0].opened(b, 50_000) }},
		{madeProjects[1].name, "rust-analyzer", func(b *testing.B) (*largeProject, int) { return madeProjects[1].opened(b, 10_000) }},
		// scip-go has the go command compile all of it first, with its tests: more than ten minutes on two cores.
		{"kubernetes " + kubernetesVersion, "", kubernetesProject},
	} {
		b.Run(strings.NewReplacer("/", "-", " ", "-").Replace(project.name), func(b *testing.B) {
			testkit.Need(b, "bwrap", "git")
			p, files := project.open(b)
			p.committed(b)
			w := &wayMeasure{p: p, name: project.name, files: files}
			w.note(b, "here", 0)
			w.inContainer(b)
			if p.row == "clangd" {
				w.remoteIndex(b)
			}
			if project.indexer != "" {
				w.scip(b, project.indexer)
			}
			for b.Loop() { // one sample
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// wayMeasure measures one project.
type wayMeasure struct {
	p     *largeProject
	name  string
	files int
	uses  int // that the server here finds
}

// note measures one way, which p is set up for.
func (w *wayMeasure) note(b *testing.B, way string, made time.Duration) {
	b.Helper()
	o := wayOutcome{name: w.name, way: way, files: w.files, made: made, first: w.p.first(b)}
	b.Logf("%s: %+v", way, o)
	switch total := o.first.total; {
	case w.uses == 0:
		w.uses = total
	case total < w.uses && strings.HasPrefix(o.first.claim, "complete"):
		b.Errorf("%s: %d uses are called complete, and there are %d", way, total, w.uses)
	}
	wayOutcomes = append(wayOutcomes, o)
}

// fresh gives the project empty caches, and a configuration with more in its server's entry.
func (w *wayMeasure) fresh(b *testing.B, entry string) {
	b.Helper()
	for _, left := range []string{".cache", "target"} {
		testkit.Must(b, os.RemoveAll(filepath.Join(w.p.root, left)))
	}
	w.p.env = append(ownHome(b), "LSPI_CONFIG_PATH="+largeConfig(b, w.p.row, entry))
}

// inContainer starts the server with another root, in which the project has another path and its path here is empty.
func (w *wayMeasure) inContainer(b *testing.B) {
	b.Helper()
	command := rowOf(b, w.p.row).Commands[0]
	words := []string{"--dev-bind", "/", "/", "--tmpfs", "/mnt", "--bind", w.p.root, containerRoot, "--tmpfs", w.p.root,
		"--chdir", containerRoot, command.Name}
	var quoted []string
	for _, word := range append(words, command.Args...) {
		quoted = append(quoted, strconv.Quote(word))
	}
	w.fresh(b, fmt.Sprintf("command = \"bwrap\"\nargs = [%s]\npaths = { \".\" = %q }\n", strings.Join(quoted, ", "), containerRoot))
	database := filepath.Join(w.p.root, "compile_commands.json")
	if raw, err := os.ReadFile(database); err == nil { // it is made there
		testkit.Must(b, os.WriteFile(database, bytes.ReplaceAll(raw, []byte(w.p.root), []byte(containerRoot)), 0o644))
		defer func() { testkit.Must(b, os.WriteFile(database, raw, 0o644)) }()
	}
	w.note(b, "in a container", 0)
}

// remoteIndex has clangd ask a server of indexes.
func (w *wayMeasure) remoteIndex(b *testing.B) {
	needRemoteIndex(b)
	r := remoteProject{w.p.root, filepath.Join(testkit.TempDir(b), "project.idx")}
	w.fresh(b, "")
	began := time.Now()
	r.makeIndex(b)
	made := time.Since(began)
	address := r.serve(b)
	for _, v := range w.p.env {
		if config, ok := strings.CutPrefix(v, "XDG_CONFIG_HOME="); ok {
			testkit.Write(b, filepath.Join(config, "clangd", "config.yaml"), clangdConfig(address, w.p.root))
		}
	}
	w.note(b, "clangd's remote index", made)
}

// scip answers by an index alone.
func (w *wayMeasure) scip(b *testing.B, indexer string) {
	if _, err := exec.LookPath(indexer); err != nil {
		b.Log(indexer + " is not there: run scripts/servers.sh " + indexer)
		return
	}
	w.fresh(b, "command = \"lspi-bench-no-such-program\"\n")
	began := time.Now()
	cmd := exec.Command(testkit.Program(b), "index", indexer, "--workspace-root", w.p.root, "--trust", "all")
	cmd.Env = append(os.Environ(), w.p.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Errorf("lspi index: %v\n%s", err, out)
		return
	}
	made := time.Since(began)
	w.p.right = func(total int) bool { return total > 1 }
	w.note(b, "SCIP index ("+indexer+")", made)
}

// committed makes the project a repository whose tree is clean.
func (p *largeProject) committed(b *testing.B) {
	b.Helper()
	testkit.Must(b, os.RemoveAll(filepath.Join(p.root, ".git")))
	git := func(words ...string) {
		output(b, exec.Command("git", append([]string{"-C", p.root, "-c", "user.name=b", "-c", "user.email=b@example.com"},
			words...)...))
	}
	git("init", "-q")
	// The database has the paths of one machine; the others are what is made here.
	testkit.Write(b, filepath.Join(p.root, ".git", "info", "exclude"), "compile_commands.json\n.cache/\ntarget/\n*.commit\n")
	git("add", "-A")
	git("commit", "-q", "-m", "all")
}

// clangdTree is clangd's own part of LLVM.
func clangdTree(b *testing.B) (*largeProject, int) {
	from, root := testkit.Corpus(b, "tree-clangd"), filepath.Join(testkit.TempDir(b), "clang-tools-extra")
	project := filepath.Join(from, "project")
	testkit.Must(b, os.CopyFS(root, os.DirFS(project)))
	database := filepath.Join(root, "compile_commands.json")
	raw, err := os.ReadFile(database)
	testkit.Must(b, err)
	testkit.Must(b, os.WriteFile(database, bytes.ReplaceAll(raw, []byte(project), []byte(root)), 0o644))
	p := newLargeProject(b, "clangd", root)
	p.arguments = map[string]any{"file_path": "clangd/ParsedAST.h", "symbol_name": "ParsedAST", "max_results": 5000}
	uses := wordUses(b, root, `\bParsedAST\b`, ".cpp", ".h")
	p.right = func(total int) bool { return total > uses/4 && total <= uses }
	return p, bytes.Count(raw, []byte(`"file"`))
}
