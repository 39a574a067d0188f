package compare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit"
)

// coldQuestions are those whose answers depend on what a server has indexed, the most telling first.
var coldQuestions = []string{"references", "calls", "implementations", "definition"}

// cold asks fresh sessions one question each, right after their start. An answer that says it is complete must have all
// that the loaded server has; how many are complete is only reported. When such an answer differs, a loaded server that
// has open only what lspi opened decides: the one that was asked first has had many more documents open, and clangd
// finds calls inside macros (with empty fromRanges) only in documents that were open.
func cold(t *testing.T, l language, project string, spots []spot, truth []score) {
	complete, total := 0, 0
	for i, try := range coldTries(t, project, spots, truth, number(t, "LSPI_COMPARE_COLD", testkit.Times(1, 3))) {
		root, index := project, "as the server left it"
		if l.fresh && i == 0 {
			root, index = copied(t, project), "none"
		}
		at := try.spot
		at.path = filepath.Join(root, try.rel)
		s := open(t, root, l.row)
		began := time.Now()
		e := s.ask(t, try.q.tool, with(at.at(root), try.q.arguments))
		took := time.Since(began)
		s.session.Close() // the server writes its index before it ends
		total++
		if !e.OK {
			t.Errorf("cold %s of %s: %s", try.q.name, at.word, e.Error.Message)
			continue
		}
		got := try.q.got(t, e)
		t.Logf("cold %-15s of %-16s (index: %s): %s, %d of %d items after %v", try.q.name, at.word, index,
			e.Completeness,
			len(got), len(try.want), took.Round(10*time.Millisecond))
		switch {
		case e.Completeness == "complete":
			complete++
			if !slices.Equal(s.certain(got), s.certain(try.want)) &&
				!slices.Equal(s.certain(got), s.certain(try.alone(t, l, s))) {
				t.Errorf("cold %s of %q at %s:%d:%d is called complete: -server +lspi\n%.3000s", try.q.name, at.word,
					try.rel,
					at.line, at.column, cmp.Diff(try.want, got))
			}
		case len(e.Warnings) == 0:
			t.Errorf("cold %s of %q is %s, and no warning says why", try.q.name, at.word, e.Completeness)
		}
	}
	t.Logf("cold: %d of %d complete", complete, total)
}

// coldTry is a question with the answer of the loaded server.
type coldTry struct {
	q    question
	spot spot
	rel  string
	want []string
}

// coldTries picks positions with many answers, which half an index cannot give.
func coldTries(t *testing.T, root string, spots []spot, truth []score, n int) []coldTry {
	var out []coldTry
	taken := map[spot]bool{}
	for i := 0; len(out) < n && i < 4*n; i++ {
		name := coldQuestions[i%len(coldQuestions)]
		at := slices.IndexFunc(questions, func(q question) bool { return q.name == name })
		best := coldTry{q: questions[at]}
		for _, s := range spots {
			want := truth[at].truth[s]
			if taken[s] || len(want) > 400 || len(want) <= len(best.want) ||
				marked(want, cut) {
				continue
			}
			rel, err := filepath.Rel(root, s.path)
			testkit.Must(t, err)
			best.spot, best.rel, best.want = s, rel, want
		}
		if len(best.want) > 0 {
			taken[best.spot] = true
			out = append(out, best)
		}
	}
	return out
}

// alone returns the answer of a loaded server that has only those documents open that lspi had.
func (c coldTry) alone(t *testing.T, l language, s *compared) []string {
	r := s.startRaw(t)
	s.mirror(t, r, true)
	l.warm(t, r)
	at := c.spot
	at.path = filepath.Join(s.root, c.rel)
	want, err := c.q.want(&asker{t: t, r: r, root: s.root, texts: sources{}, direct: s.spec.DirectImplementations}, at)
	if err != nil {
		t.Error(err)
	}
	return want
}

// copied is the project in a new folder, without what servers and build tools left in it; absolute paths in its
// compilation database follow.
func copied(t *testing.T, root string) string {
	t.Helper()
	to, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(built, d.Name()) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if d.Name() == "compile_commands.json" {
			raw = []byte(strings.ReplaceAll(string(raw), root, to))
		}
		return os.WriteFile(filepath.Join(to, rel), raw, 0o644)
	})
	testkit.Must(t, err)
	return to
}
