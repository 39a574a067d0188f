//go:build unix

package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
)

// inBothModes runs a case with events of the system and with comparing.
func inBothModes(t *testing.T, test func(t *testing.T, m watch.Mode)) {
	for _, m := range []watch.Mode{watch.Auto, watch.Compare} {
		t.Run(m.String(), func(t *testing.T) { test(t, m) })
	}
}

// told is what the server was told of texts since the last time, one line for each message, in order.
func (f *fake) told(t testing.TB, from *int) []string {
	t.Helper()
	var out []string
	all := lsptest.Messages(f.seen(), "")
	for _, e := range all[*from:] {
		var p struct {
			TextDocument struct {
				URI, LanguageID, Text string
				Version               int
			}
			ContentChanges []struct{ Text string }
			Changes        []struct {
				URI  string
				Type int
			}
		}
		f.must(json.Unmarshal(e.Params, &p))
		name := filepath.Base(p.TextDocument.URI)
		switch e.Method {
		case "textDocument/didOpen":
			out = append(out, fmt.Sprintf("open %s %d %q", name, p.TextDocument.Version, p.TextDocument.Text))
		case "textDocument/didChange":
			out = append(out, fmt.Sprintf("change %s %d %q", name, p.TextDocument.Version, p.ContentChanges[0].Text))
		case "textDocument/didSave", "textDocument/didClose":
			out = append(out, e.Method[len("textDocument/did"):]+" "+name)
		case "workspace/didChangeWatchedFiles":
			line := "watched"
			for _, c := range p.Changes {
				line += fmt.Sprintf(" %s:%d", filepath.Base(c.URI), c.Type)
			}
			out = append(out, line)
		}
	}
	*from = len(all)
	return out
}

// synced passes a Sync and one question, so that all that was told has arrived, and compares.
type synced struct {
	*fake
	s    *Server
	from int
}

func newSynced(t *testing.T, m watch.Mode, change func(*spec.Spec), files ...string) *synced {
	t.Helper()
	f := newFake(t, words(), files...)
	f.spec.Freshness.QueryClosed = true
	f.watch.Mode = m
	if change != nil {
		change(f.spec)
	}
	return &synced{fake: f, s: f.start()}
}

func (c *synced) flush() {
	c.Helper()
	_, _, err := c.s.Unverified().WorkspaceSymbols(c.Context(), "nothing has this name")
	if err != nil && kindOf(err) != contract.KindRequestUnsupported {
		c.Fatal(err)
	}
}

func (c *synced) want(want ...string) {
	c.Helper()
	c.must(c.s.Sync(c.Context()))
	c.flush()
	if got := c.told(c, &c.from); !slices.Equal(got, want) {
		c.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (c *synced) open(rel string) {
	c.Helper()
	if _, err := c.s.docs.OpenDocument(c.Context(), c.path(rel)); err != nil {
		c.Fatal(err)
	}
	c.flush()
	c.told(c, &c.from)
}

func (c *synced) references(want int) {
	c.Helper()
	places, err := c.s.Unverified().References(c.Context(), c.path("a.w"), at(1, 5), true)
	if err != nil || len(places) != want {
		c.Errorf("%d references, want %d: %v", len(places), want, err)
	}
}

func TestSyncClosedFiles(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		c := newSynced(t, m, nil, "a.w", "def X\n", "b.w", "X\n", "sub/c.w", "X\n")
		c.want()
		c.references(3)
		c.write("b.w", "X X\n")
		c.write("new.w", "X\n")
		c.must(os.Remove(c.path("sub/c.w")))
		c.write("README.md", "not its business")
		c.want("watched b.w:2 new.w:1 c.w:3")
		c.references(4)
		c.want()
		c.must(os.Rename(c.path("b.w"), c.path("z.w")))
		c.want("watched b.w:3 z.w:1")
		c.references(4)
		c.must(os.Rename(c.path("sub"), c.path("other"))) // now empty
		c.write("fresh/deep/d.w", "X\n")
		c.want("watched d.w:1")
		c.must(os.Rename(c.path("fresh"), c.path("moved")))
		c.want("watched d.w:3 d.w:1")
		c.references(5)
		if report := c.s.State().LastSync; report.Changed != 2 || report.At.IsZero() {
			t.Errorf("report %+v", report)
		}
	})
}

func TestSyncOpenDocuments(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		c := newSynced(t, m, nil, "a.w", "def X\n", "b.w", "X\n")
		c.open("a.w")
		c.open("b.w")
		c.write("a.w", "def X\nX\n")
		c.want("watched a.w:2", `change a.w 3 "def X\nX\n"`, "Save a.w")
		c.references(3)
		c.write("a.w", "def X\nX\n") // the same text: only the disk changed
		c.want("watched a.w:2")
		c.must(os.Remove(c.path("b.w")))
		c.want("watched b.w:3", "Close b.w")
		c.references(2)
		c.write("b.w", "X X\n")
		c.want("watched b.w:1") // it is not opened for that
		c.open("b.w")
		c.must(os.Rename(c.path("b.w"), c.path("c.w")))
		c.want("watched b.w:3 c.w:1", "Close b.w")
		c.write("a.w", "def X\n\xff\n")
		c.want("watched a.w:2", "change a.w 5 \"def X\\n\ufffd\\n\"", "Save a.w")
		c.must(os.Remove(c.path("a.w")))
		c.must(os.Mkdir(c.path("a.w"), 0o755))
		c.want("watched a.w:3", "Close a.w")
		testkit.Equal(t, c.s.docs.count(), 0)
		if _, err := c.s.docs.Open(t.Context(), c.path("a.w")); kindOf(err) != contract.KindNotAFile {
			t.Errorf("%v", err)
		}
	})
}

// An open document that grows too large is closed, and who asks is told why.
func TestSyncOfAFileThatBecameTooLarge(t *testing.T) {
	f := newFake(t, &lsptest.Script{}, "a.w", "def X\n") // knows no language, or it would read all of it
	c := &synced{fake: f, s: f.start()}
	c.open("a.w")
	c.must(os.Truncate(c.path("a.w"), source.MaxBytes+1))
	c.want("watched a.w:2", "Close a.w")
	if _, err := c.s.docs.Open(t.Context(), c.path("a.w")); kindOf(err) != contract.KindFileTooLarge {
		t.Errorf("%v", err)
	}
}

// The files that are no source of the server, but in its row or registered by itself.
func TestSyncOtherFiles(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		c := newSynced(t, m, func(s *spec.Spec) {
			s.Freshness.Globs = []string{"*.mod"}
			s.Freshness.RestartOn = []string{"restart.me"}
		}, "a.w", "def X\n")
		c.write("x.mod", "1")
		c.write("y.md", "1")
		c.want("watched x.mod:1")
		c.write("restart.me", "1")
		if err := c.s.Sync(t.Context()); !errors.Is(err, ErrRestartNeeded) {
			t.Errorf("%v", err)
		}
		if err := c.s.Sync(t.Context()); !errors.Is(err, ErrRestartNeeded) {
			t.Errorf("forgotten: %v", err)
		}
	})
}

func TestSyncByRegistration(t *testing.T) {
	registration :=
		`{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/*.md","kind":1}]}}]}`
	f := newFake(t,
		words(rule("initialized",
			lsptest.Action{Request: &lsptest.Message{Method: "client/registerCapability", Params: raw(registration),
				Await: true}})))
	s := f.start()
	c := &synced{fake: f, s: s}
	wait(t, "the registration", func() bool { return len(s.capabilities.watchers()) == 1 })
	f.write("a.md", "1")
	c.want("watched a.md:1")
	f.write("a.md", "2")
	c.want()
}

// A server that sees changes only of open files gets them opened, and is waited for until it has parsed them.
func TestSyncByOpening(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		push := lsptest.Action{Notify: message("textDocument/publishDiagnostics", nil)}
		f := newFake(t, &lsptest.Script{})
		f.write("b.w", "one")
		b := "file://" + f.path("b.w")
		push.Notify.Params = lsptest.Raw(map[string]any{"uri": b, "version": 1, "diagnostics": []any{}})
		late := lsptest.Rule{Method: "textDocument/didOpen", Contains: "b.w", Actions: []lsptest.Action{{DelayMS: 150},
			push}}
		f.server.Replace(t, &lsptest.Script{Rules: []lsptest.Rule{late}})
		f.watch.Mode = m
		f.spec.Freshness = spec.Freshness{Open: true}
		f.spec.Diagnostics.Versioned = true
		s := f.start()
		f.write("b.w", "two")
		f.must(s.Sync(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		testkit.Equal(t, s.docs.AwaitParsed(ctx), 1)
		began := time.Now()
		if left := s.docs.AwaitParsed(t.Context()); left != 0 || len(s.docs.unparsed) != 0 {
			t.Errorf("%d are left, %v", left, s.docs.unparsed)
		}
		if time.Since(began) > 10*time.Second {
			t.Error("it took too long")
		}
		from := 0
		if got := f.told(t, &from); !slices.Equal(got, []string{`open b.w 1 "two"`}) {
			t.Errorf("told %q", got)
		}
	})
}

// A push for a version before the one that is waited for proves nothing, and a wait that is over does not end a
// newer one.
func TestAwaitParsedByVersion(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		s := silent(nil)
		push := func(version int) {
			s.requests.hear("textDocument/publishDiagnostics",
				fmt.Appendf(nil, `{"uri":"file:///w/a.w","version":%d,"diagnostics":[]}`, version))
		}
		soon := func() int {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return s.docs.AwaitParsed(ctx)
		}
		testkit.Equal(t, soon(), 0, "waits for nothing")
		doc := &document{path: "/w/a.w", version: 3}
		s.docs.add(doc)
		s.docs.unparsed["/w/a.w"] = 3
		push(2)
		testkit.Equal(t, soon(), 1, "an older version is taken")
		var group sync.WaitGroup
		group.Go(func() {
			testkit.Equal(t, soon(), 0, "the version is not taken")
		})
		time.Sleep(time.Millisecond)
		release, _ := s.docs.Lock(t.Context())
		push(3)
		time.Sleep(time.Millisecond)
		s.docs.replace(doc, nil, 4, 0) // a sync meanwhile
		s.docs.unparsed["/w/a.w"] = 4
		release()
		group.Wait()
		testkit.Equal(t, soon(), 1, "the newer wait was ended by the older")
		s.docs.remove(doc)
		if soon() != 0 || len(s.docs.unparsed) != 0 {
			t.Error("waits for a closed document")
		}
	})
}

func TestSyncOpensNewFiles(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		c := newSynced(t, m, func(s *spec.Spec) { s.Freshness.OpenNew = true }, "a.w", "def X\n")
		c.write("new.w", "X\n")
		c.write("new.md", "X\n")
		c.want("watched new.w:1", `open new.w 1 "X\n"`)
		c.write("a.w", "def X\nX\n")
		c.write("new.w", "X X\n")
		c.want("watched a.w:2 new.w:2", `change new.w 2 "X X\n"`, "Save new.w")
	})
}

// More changes than may be opened are cheaper for a new process; those that are open already do not count.
func TestSyncRestartsInsteadOfOpeningMany(t *testing.T) {
	c := newSynced(t, watch.Auto, func(s *spec.Spec) { s.Freshness = spec.Freshness{Open: true} }, "a.w", "def X\n")
	for i := range maxOpenedBySync {
		c.write(fmt.Sprintf("f%d.w", i), "X\n")
	}
	c.must(c.s.Sync(t.Context()))
	for i := range maxOpenedBySync {
		c.write(fmt.Sprintf("f%d.w", i), "X X\n")
	}
	c.write("a.w", "def X X\n")
	c.must(c.s.Sync(t.Context()))
	for i := range maxOpenedBySync + 1 {
		c.write(fmt.Sprintf("g%d.w", i), "X\n")
	}
	if err := c.s.Sync(t.Context()); !errors.Is(err, ErrRestartNeeded) {
		t.Errorf("%v", err)
	}
}

// What was changed is no longer known after very many changes: everything is to be read anew. Here 300 files appear
// in a folder to which 230 links point.
func TestSyncAfterALostHistory(t *testing.T) {
	c := newSynced(t, watch.Auto, nil, "a.w", "def X\n")
	away := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for i := range 300 {
		path := filepath.Join(away, fmt.Sprint(i))
		c.must(os.WriteFile(path, nil, 0o600))
		c.must(os.Chtimes(path, old, old))
	}
	links := t.TempDir()
	var paths []string
	for n := range 230 {
		link := filepath.Join(links, fmt.Sprint(n))
		c.must(os.Symlink(filepath.Join(links, "target"), link))
		for i := range 300 {
			paths = append(paths, filepath.Join(link, fmt.Sprint(i)))
		}
	}
	c.journal().Extra(paths...)
	c.want()
	c.must(os.Symlink(away, filepath.Join(links, "target")))
	if err := c.s.Sync(t.Context()); !errors.Is(err, ErrRestartNeeded) {
		t.Errorf("%v", err)
	}
}

// Open documents are bounded, the least recently used goes; versions grow over all of them.
func TestOpenDocumentsAreBounded(t *testing.T) {
	c := newSynced(t, watch.Auto, nil, "a.w", "def X\n")
	for i := range maxOpenDocuments + 6 {
		c.write(fmt.Sprintf("f%02d.w", i), "X\n")
	}
	for i := range maxOpenDocuments + 6 {
		for _, n := range []int{i, 0} {
			if _, err := c.s.docs.OpenDocument(t.Context(), c.path(fmt.Sprintf("f%02d.w", n))); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.flush()
	var closed []string
	version := 0
	for _, line := range c.told(t, &c.from) {
		if name, ok := strings.CutPrefix(line, "Close "); ok {
			closed = append(closed, name)
		}
		var name string
		var v int
		if n, _ := fmt.Sscanf(line, "open %s %d", &name, &v); n == 2 {
			if v <= version {
				t.Errorf("version %d after %d", v, version)
			}
			version = v
		}
	}
	if want := []string{"f01.w", "f02.w", "f03.w", "f04.w", "f05.w", "f06.w"}; !slices.Equal(closed, want) ||
		c.s.docs.count() != maxOpenDocuments {
		t.Errorf("closed %v, open %d", closed, c.s.docs.count())
	}
}

// Many callers and a writer at once: at the end the server has what is on disk.
func TestSyncConcurrently(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		c := newSynced(t, m, nil, "a.w", "def X\n", "b.w", "X\n")
		var group sync.WaitGroup
		for n := range 4 {
			group.Go(func() {
				for i := range 15 {
					name := fmt.Sprintf("f%d.w", n)
					c.write(name, strings.Repeat("X\n", i+1))
					if err := c.s.Sync(t.Context()); err != nil {
						t.Error(err)
					}
					if n%2 == 0 {
						if _, err := c.s.docs.OpenDocument(t.Context(), c.path(name)); err != nil {
							t.Error(err)
						}
					}
					places, err := c.s.Unverified().References(t.Context(), c.path("a.w"), at(1, 5), true)
					own := 0
					for _, p := range places {
						if p.Path == c.path(name) {
							own++
						}
					}
					if err != nil || own != i+1 {
						t.Errorf("%s: %d of %d: %v", name, own, i+1, err)
					}
				}
			})
		}
		group.Wait()
		c.must(c.s.Sync(t.Context()))
		c.references(2 + 4*15)
	})
}

// What changes while a question is answered is in the next answer, and does not wait for the first.
func TestChangeDuringARequest(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		f := newFake(t, words(rule(MethodHover, lsptest.Action{DelayMS: 60_000})), "a.w", "def X\n")
		f.spec.Freshness.QueryClosed = true
		f.watch.Mode = m
		c := &synced{fake: f, s: f.start()}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := c.s.Unverified().Hover(ctx, c.path("a.w"), at(1, 5)); kindOf(err) != contract.KindCancelled {
				t.Errorf("%v", err)
			}
		})
		wait(t, "the question", func() bool { return len(lsptest.Messages(f.seen(), MethodHover)) == 1 })
		c.write("b.w", "X\n")
		c.want("watched b.w:1")
		c.references(2)
		cancel()
		group.Wait()
	})
}

// A server that keeps only what is open gets the file open that a position is asked about, and no other.
func TestOpenAsked(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		packages := t.TempDir()
		c := newSynced(t, m, func(s *spec.Spec) {
			s.Freshness.OpenAsked, s.Sources = true, &spec.Sources{Folders: []string{packages}}
		}, "a.w", "def X\n", "b.w", "X\n")
		if _, _, err := c.s.Unverified().DocumentSymbols(t.Context(), c.path("b.w")); err != nil {
			t.Fatal(err)
		}
		c.references(2)
		dependency := filepath.Join(packages, "c.w")
		testkit.Write(t, dependency, "X\n")
		if _, err := c.s.Unverified().Locate(t.Context(), MethodDefinition, dependency, at(1, 1)); err != nil {
			t.Fatal(err)
		}
		if got := c.s.docs.Paths(); !slices.Equal(got, []string{c.path("a.w")}) {
			t.Errorf("open are %v", got)
		}
		c.write("a.w", "def X\nX\n")
		c.references(3)
	})
}

// What was given up on the way to a server that does not read was not told, and is told later.
func TestGivenUpIsNotTold(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		spec := &spec.Spec{ID: "fake", Languages: []spec.Language{{ID: "words", Extensions: []string{"w"}}},
			Freshness: spec.Freshness{Watched: true}}
		s := inside(t, spec, words(rule("initialized", lsptest.Action{StopReading: true})))
		s.folders.journal = watch.Open(s.folders.root, watch.Options{Mode: watch.Compare})
		defer s.folders.journal.Close()
		testkit.Must(t, s.folders.track(t.Context(), s.folders.root))
		a, b := filepath.Join(s.folders.root, "a.w"), filepath.Join(s.folders.root, "b.w")
		large := strings.Repeat("x", wire.DefaultQueueBytes/2+1) // the queue holds one of them
		testkit.Write(t, a, large)
		testkit.Write(t, b, large)
		_, err := s.docs.OpenDocument(t.Context(), a)
		testkit.Must(t, err)
		soon := func() context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			t.Cleanup(cancel)
			return ctx
		}
		if _, err := s.docs.OpenDocument(soon(), b); kindOf(err) != contract.KindRequestTimeout || s.docs.count() != 1 {
			t.Errorf("%v, %d open", err, s.docs.count())
		}
		testkit.Write(t, a, large+"y")
		for range 2 {
			mark := s.folders.tracked[0].synced
			if err := s.Sync(soon()); kindOf(err) != contract.KindRequestTimeout ||
				s.folders.tracked[0].synced != mark {
				t.Errorf("%v", err)
			}
			testkit.Equal(t, s.docs.sentText(a).Content(), large, "the text counts as sent")
		}
		testkit.Must(t, os.Remove(a))
		if err := s.docs.sendClose(soon(), s.docs.get(a)); err == nil && s.docs.count() != 0 {
			t.Error("closed, and still there")
		}
	})
}

// The compilation database lies where the journal does not look: in a build folder that is left out.
func TestProjectFileInAnIgnoredFolder(t *testing.T) {
	inBothModes(t, func(t *testing.T, m watch.Mode) {
		f := newFake(t, words(), "a.w", "def X\n", "build/db.json", "1")
		f.watch = watch.Options{Mode: m, SkipDir: func(path string) bool {
			return slices.Contains([]string{"build", "out"}, filepath.Base(path))
		}}
		f.spec.Freshness.RestartOn = []string{"db.json"}
		f.spec.Project = &spec.ProjectFile{Files: []string{"db.json"}, Dirs: []string{"build", "out/*"}}
		s := f.start()
		f.must(s.Sync(t.Context()))
		if s.projects.Missing(f.dir) != nil {
			t.Error("it is there")
		}
		f.write("build/db.json", "22")
		if err := s.Sync(t.Context()); !errors.Is(err, ErrRestartNeeded) {
			t.Errorf("changed: %v", err)
		}
		s.Close()
		f.must(os.Remove(f.path("build/db.json")))
		s = f.start()
		if s.projects.Missing(f.dir) == nil {
			t.Error("it is not there")
		}
		f.must(s.Sync(t.Context()))
		f.write("out/debug/db.json", "1")
		if err := s.Sync(t.Context()); !errors.Is(err, ErrRestartNeeded) {
			t.Errorf("appeared: %v", err)
		}
	})
}

// A project file that a notification is enough for: known from the next sync on.
func TestProjectFileComes(t *testing.T) {
	c := newSynced(t, watch.Auto, func(s *spec.Spec) {
		s.Project = &spec.ProjectFile{Files: []string{"pro.ject"}}
		s.Readiness = spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"never"}}
		s.Freshness.Globs = []string{"pro.ject"}
	})
	if c.s.projects.Missing(c.dir) == nil || !c.s.Ready(t.Context(), 0, nil).Ready {
		t.Error("waits for a project that is not there")
	}
	c.write("pro.ject", "")
	c.want("watched pro.ject:1")
	if c.s.projects.Missing(c.dir) != nil || c.s.Ready(t.Context(), 0, nil).Ready {
		t.Error("the project came and is not waited for")
	}
	c.must(os.Remove(c.path("pro.ject")))
	c.want("watched pro.ject:3")
	if c.s.projects.Missing(c.dir) == nil {
		t.Error("the project went")
	}
}

// A folder in another tree is followed by the journal of that tree.
func TestSyncOfSeveralTrees(t *testing.T) {
	c := newSynced(t, watch.Auto, nil, "a.w", "def X\n")
	other, err := filepath.EvalSymlinks(t.TempDir())
	c.must(err)
	j := watch.Open(other, watch.Options{})
	defer j.Close()
	c.s.folders.journalOf = func(dir string) *watch.Journal {
		if dir == other {
			return j
		}
		return nil
	}
	c.must(c.s.AddFolder(t.Context(), other))
	c.must(os.WriteFile(filepath.Join(other, "b.w"), []byte("X\n"), 0o600))
	c.want("watched b.w:1")
	c.references(2)
	c.write("c.w", "X\n")
	c.want("watched c.w:1")
	c.want()
}

func TestSymbolsAreForgottenWithAChange(t *testing.T) {
	c := newSynced(t, watch.Auto, nil, "a.w", "def X\n", "b.w", "X\n")
	ask := func() {
		c.flush()
		_, _, err := c.s.Unverified().DocumentSymbols(t.Context(), c.path("a.w"))
		c.must(err)
	}
	count := func() int { return len(lsptest.Messages(c.seen(), MethodDocumentSymbol)) }
	ask()
	ask()
	testkit.Equal(t, count(), 1, "asked")
	c.write("b.w", "X X\n") // another file may change how this one is understood
	c.must(c.s.Sync(t.Context()))
	ask()
	testkit.Equal(t, count(), 2, "asked")
}

// firstListed reads a project file with a path on each line.
func (f *fake) firstListed(folder string, n int) (out []string) {
	raw, err := os.ReadFile(filepath.Join(folder, "compile_commands.json"))
	f.must(err)
	for line := range strings.Lines(string(raw)) {
		out = append(out, f.path(strings.TrimSpace(line)))
	}
	return out[:min(n, len(out))]
}

func TestOpenAny(t *testing.T) {
	f := newFake(t, words(), "z.md", "no", "b.w", "X\n", "a.w", "def X\n", "deep/c.w", "X\n")
	f.write("db/compile_commands.json", "gone.w\ndeep/c.w\n")
	f.spec.Readiness = spec.Readiness{Sign: spec.SignWaits, OpenFirst: true}
	s := f.start()
	f.must(s.OpenAny(t.Context()))
	f.must(s.OpenAny(t.Context()))
	if n := s.docs.count(); n != 1 || s.docs.sentText(f.path("z.md")) != nil {
		t.Errorf("%d open", n)
	}
	s.Close()
	f.spec.Project = &spec.ProjectFile{Files: []string{"compile_commands.json"}, Dirs: []string{"db"}}
	o := f.options()
	o.Launcher = NewHooks(func(*Server) *Hooks {
		return &Hooks{ProjectHooks: ProjectHooks{FirstListed: f.firstListed}}
	})
	s, err := Start(t.Context(), o)
	f.must(err)
	defer s.Close()
	f.must(s.OpenAny(t.Context()))
	if s.docs.sentText(f.path("deep/c.w")) == nil || s.docs.count() != 1 {
		t.Errorf("open: %v", s.docs.Paths())
	}
	s.Close()
	f.spec.Readiness.OpenFirst = false
	s = f.start()
	f.must(s.OpenAny(t.Context()))
	testkit.Equal(t, s.docs.count(), 0, "open:", s.docs.Paths())
}

func TestReadyWaits(t *testing.T) {
	begin, end := progress("t", "begin", "Index", "percentage", 10), progress("t", "end", "")
	f := newFake(t,
		words(rule("initialized", begin, lsptest.Action{DelayMS: 200}, progress("t", "report", "", "percentage", 60,
			"message", "a.w"), end)), "a.w", sample)
	f.spec.Readiness = spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Index"}}
	s := f.start()
	var mu sync.Mutex
	var reports []string
	st := s.Ready(t.Context(), 20*time.Second, func(st Status) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, fmt.Sprintf("%d %s", st.Percent, st.Message))
	})
	if !st.Ready || !st.Known {
		t.Errorf("%+v", st)
	}
	if len(reports) == 0 || !slices.Contains(reports, "60 Index: a.w") && !slices.Contains(reports, "10 Index") {
		t.Errorf("reports %q", reports)
	}
}

// Between the notification and the server's word that it loads anew, it answers from the old project.
func TestSyncExpectsTheWordAboutAProjectFile(t *testing.T) {
	f := newFake(t, &lsptest.Script{Rules: []lsptest.Rule{rule("initialized", status("ok", true, ""))}},
		"a.w", "def a\n", "p.toml", "1\n")
	f.spec.Readiness = spec.Readiness{Sign: spec.SignServerStatus, Reloads: []string{"p.toml"},
		Announces: 100 * time.Millisecond}
	f.spec.Freshness.Globs = []string{"p.toml"}
	s := f.start()
	if st := s.Ready(t.Context(), 20*time.Second, nil); !st.Ready {
		t.Fatalf("%+v", st)
	}
	before := s.Status().Generation
	f.write("a.w", "def b\n")
	f.must(s.Sync(t.Context()))
	if st := s.Status(); !st.Ready || st.Generation != before {
		t.Errorf("after a source: %+v", st)
	}
	f.write("p.toml", "2\n")
	f.must(s.Sync(t.Context()))
	if s.Status().Generation == before {
		t.Error("after the project file nothing is expected")
	}
	if st := s.Ready(t.Context(), 20*time.Second, nil); !st.Ready {
		t.Errorf("in vain: %+v", st)
	}
}

// A server of incremental changes gets the range of the text that it has, in its own units; none where it may count
// lines in another way.
func TestChangesOfWholeTexts(t *testing.T) {
	for name, c := range map[string]struct{ sync, before, want string }{
		"full":            {`1`, "one\ntwo", `{"text":"x"}`},
		"options of full": {`{"openClose":true,"change":1}`, "one\ntwo", `{"text":"x"}`},
		"no kind":         {`{"openClose":true,"change":null}`, "one\ntwo", `{"text":"x"}`},
		"incremental": {`2`, "one\ntwo",
			`{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":3}},"text":"x"}`},
		"options": {`{"openClose":true,"change":2}`, "one\r\n\r\n",
			`{"range":{"start":{"line":0,"character":0},"end":{"line":2,"character":0}},"text":"x"}`},
		"units of two": {`2`, "ö😀",
			`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"text":"x"}`},
		"empty": {`2`, "",
			`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"x"}`},
		"a form feed":       {`2`, "one\ftwo", `{"text":"x"}`},
		"a line separator":  {`2`, "one\u2028two", `{"text":"x"}`},
		"a carriage return": {`2`, "one\rtwo\r\n", `{"text":"x"}`},
		"letters of Latin-1": {`2`, "x\xe9",
			`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":2}},"text":"x"}`},
	} {
		f := newFake(t, &lsptest.Script{CapabilitiesPatch: raw(`{"textDocumentSync":` + c.sync + `}`)}, "a.w", c.before)
		s := f.start()
		_, err := s.docs.Open(t.Context(), f.path("a.w"))
		f.must(err)
		f.write("a.w", "x")
		f.must(s.Sync(t.Context()))
		_, err = s.docs.Open(t.Context(), f.path("a.w"))
		f.must(err)
		s.Close()
		var got []string
		for _, m := range lsptest.Messages(f.seen(), "textDocument/didChange") {
			var p struct{ ContentChanges []json.RawMessage }
			f.must(json.Unmarshal(m.Params, &p))
			got = append(got, string(p.ContentChanges[0]))
		}
		if !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
