package watch

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"lspi/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inBothModes runs the case with events, where the system has them, and by comparing.
func inBothModes(t *testing.T, test func(t *testing.T, o Options)) {
	t.Helper()
	for _, m := range []Mode{Auto, Compare} {
		t.Run(m.String(), func(t *testing.T) {
			if m == Auto && noEvents != "" {
				t.Skip(noEvents)
			}
			test(t, Options{Mode: m})
		})
	}
}

// bench is a journal over a folder that the test changes.
type bench struct {
	testing.TB
	root string
	j    *Journal
	mark Mark
}

// newBench opens the journal of a folder with the files (path, text, path, text, …) and waits for the first walk.
func newBench(t testing.TB, o Options, files ...string) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	b := &bench{TB: t, root: root}
	for i := 0; i < len(files); i += 2 {
		b.write(files[i], files[i+1])
	}
	b.open(o)
	return b
}

func (b *bench) open(o Options) {
	b.Helper()
	if testing.Verbose() && o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(b.Output(), nil))
	}
	b.j = Open(b.root, o)
	b.Cleanup(func() { b.j.Close() })
	b.mark = b.barrier()
}

func (b *bench) barrier() Mark {
	b.Helper()
	m, err := b.j.Barrier(b.Context())
	b.must(err)
	return m
}

func (b *bench) must(err error) {
	b.Helper()
	testkit.Must(b, err)
}

func (b *bench) path(rel string) string { return filepath.Join(b.root, filepath.FromSlash(rel)) }

func (b *bench) write(rel, text string) {
	b.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(rel)), 0o755))
	b.must(os.WriteFile(b.path(rel), []byte(text), 0o644))
}

func (b *bench) mkdir(rel string)       { b.Helper(); b.must(os.MkdirAll(b.path(rel), 0o755)) }
func (b *bench) remove(rel string)      { b.Helper(); b.must(os.RemoveAll(b.path(rel))) }
func (b *bench) rename(from, to string) { b.Helper(); b.must(os.Rename(b.path(from), b.path(to))) }

// save writes as editors do: a temporary sibling, renamed over the file.
func (b *bench) save(rel, text string) {
	b.Helper()
	b.write(rel+".tmp", text)
	b.rename(rel+".tmp", rel)
}

// changes passes a barrier and returns what changed since the last time.
func (b *bench) changes() []string {
	b.Helper()
	m := b.barrier()
	changes, ok := b.j.Since(b.mark)
	if !ok {
		b.Fatal("the history was trimmed")
	}
	b.mark = m
	got := []string{}
	for _, c := range changes {
		rel, err := filepath.Rel(b.root, c.Path)
		b.must(err)
		got = append(got, c.Kind.String()+" "+filepath.ToSlash(rel))
	}
	return got
}

func (b *bench) want(want ...string) {
	b.Helper()
	if want == nil {
		want = []string{}
	}
	testkit.Diff(b, b.changes(), want, "changes")
	b.consistent()
}

// consistent compares the snapshot with that of a fresh walk.
func (b *bench) consistent() {
	b.Helper()
	o := b.j.tree.o
	o.Mode, o.fault, o.Log = Compare, nil, nil
	fresh := Open(b.root, o)
	defer fresh.Close()
	if _, err := fresh.Barrier(b.Context()); err != nil {
		b.Fatal(err)
	}
	testkit.Diff(b, tracked(b.j), tracked(fresh), "tracked files")
}

func tracked(j *Journal) []string {
	var all []string
	for path := range j.Files() {
		all = append(all, strings.TrimPrefix(path, j.Root()))
	}
	return all
}

// mode checks the mode and that the reason holds the text.
func (b *bench) mode(m Mode, reason string) {
	b.Helper()
	got, why := b.j.Mode()
	if got != m || !strings.Contains(why, reason) {
		b.Errorf("mode %v, reason %q; want %v, …%q…", got, why, m, reason)
	}
}

// content is what a reader of the path sees: text, where a link points, or that it is not there.
func content(path string) string {
	if to, err := os.Readlink(path); err == nil {
		return "-> " + to
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return "text " + string(text)
}

// view is a consumer: what it has read, kept fresh by the journal alone.
type view struct {
	j    *Journal
	mark Mark
	seen map[string]string
}

func (v *view) readAll() {
	v.seen = make(map[string]string)
	for path := range v.j.Files() {
		v.read(path)
	}
}

func (v *view) read(path string) {
	if text := content(path); text != "" {
		v.seen[path] = text
		return
	}
	delete(v.seen, path)
}

// refresh goes by the kinds alone: what was created and deleted since the mark is not told, so it must not have been
// read before it was told.
func (v *view) refresh(t testing.TB) {
	t.Helper()
	m, err := v.j.Barrier(t.Context())
	testkit.Must(t, err)
	changes, ok := v.j.Since(v.mark)
	v.mark = m
	if !ok {
		v.readAll()
	}
	kept := make(map[string]bool)
	for path := range v.j.Files() {
		kept[path] = true
	}
	for _, c := range changes {
		// A file that is reported and not tracked was left out by an ignore file (or is gone since): nothing
		// more will be told of it.
		if c.Kind == Deleted || !kept[c.Path] {
			delete(v.seen, c.Path)
			continue
		}
		v.read(c.Path)
	}
}

// missing lists the tracked files of which the view does not have what is on disk, and files that it has and are
// gone; and what the journal chooses otherwise than it has it.
func (v *view) missing() []string {
	var bad, some []string
	wanted := func(path string) bool { return len(path)%2 == 0 }
	for path := range v.j.Files() {
		if wanted(path) {
			some = append(some, path)
		}
		if now := content(path); v.seen[path] != now {
			bad = append(bad, fmt.Sprintf("%s: has %.40q, on disk is %.40q", path, v.seen[path], now))
		}
	}
	for path := range v.seen {
		if _, err := os.Lstat(path); err != nil {
			bad = append(bad, path+": is gone")
		}
	}
	if chosen := v.j.Choose("of even length", wanted); !slices.Equal(chosen, some) {
		bad = append(bad, fmt.Sprintf("chosen %q of %q", chosen, some))
	}
	return bad
}
