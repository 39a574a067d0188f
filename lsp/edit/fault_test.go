package edit_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

// The scene has every kind of step, several of them on top of each other.
var (
	sceneBefore = files{"a": "a1\na2\n", "b": "b\n", "gone": "gone\n", "c": "c\n", "over": "over\n", "p/x": "x\n",
		"p/sub/y": "y\n",
		"old/k":   "\xff", "old/sub/l": "l\n", "stay": "stay\n", "link": "-> b"}
	sceneAfter = files{"a": "A1\na2\n", "b": "B\n", "over": "C\n", "q/x": "X\n", "q/sub/y": "y\n", "q/new/n": "n\n",
		"gone/back": "",
		"stay":      "stay\n", "link": "-> b"}
)

func scene(root string) []j {
	return []j{
		document(root+"/a", replace(0, 0, 1, "A")),
		document(root+"/link", replace(0, 0, 1, "B")),
		document(root+"/p/x", replace(0, 0, 1, "X")),
		remove(root+"/gone", nil),
		create(root+"/gone/back", nil),
		rename(root+"/c", root+"/over", j{"overwrite": true}),
		document(root+"/over", replace(0, 0, 1, "C")),
		rename(root+"/p", root+"/q", nil),
		create(root+"/q/new/n", nil),
		document(root+"/q/new/n", replace(0, 0, 0, "n\n")),
		remove(root+"/old", j{"recursive": true}),
	}
}

// counted counts the operations and fails those that fails says.
func counted(w *edit.Writer, fails func(n int, point, path string) error) *int {
	n := new(int)
	w.SetHook(func(point, path string) error {
		*n++
		return fails(*n, point, path)
	})
	return n
}

var errInjected = errors.New("injected")

// eachFault calls run with every number of an operation of the scene, with and without exchange. Tests that combine
// the operations with files leave combinations out by testkit.Times, so that each operation meets some of the
// files: all of them take two minutes under -race.
func eachFault(t *testing.T, run func(t *testing.T, n int, newWriter func(state string) *edit.Writer)) {
	for _, exchange := range []bool{true, false} {
		newWriter := func(state string) *edit.Writer {
			w := edit.NewWriter(state)
			if !exchange {
				w.SetNoExchange()
			}
			return w
		}
		root := makeTree(t, sceneBefore)
		w := newWriter(testkit.MemoryDir(t))
		total := counted(w, func(int, string, string) error { return nil })
		if _, err := apply(t, w, planOf(t, root, scene(root)...)); err != nil {
			t.Fatal(err)
		}
		sameTree(t, root, sceneAfter)
		if *total < 60 {
			t.Fatalf("only %d operations", *total)
		}
		for n := 1; n <= *total; n++ {
			t.Run(fmt.Sprintf("exchange %v/%d of %d", exchange, n, *total), func(t *testing.T) { run(t, n, newWriter) })
		}
	}
}

// whole checks that a tree is the old or the new one, and that nothing is left.
func whole(t *testing.T, root, state string, must files) {
	t.Helper()
	got := readTree(t, root)
	if must == nil {
		must = sceneBefore
		if got["a"] == sceneAfter["a"] {
			must = sceneAfter
		}
	}
	testkit.Diff(t, got, must, "tree")
	noJournal(t, state)
}

// TestOneFault: one operation fails, before or after it took effect. All is put back at once, or, behind the commit,
// the rest is done by the next start.
func TestOneFault(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
		w := newWriter(state)
		counted(w, func(i int, point, path string) error {
			if i == n {
				return fmt.Errorf("%w: %s %s", errInjected, point, path)
			}
			return nil
		})
		_, err := apply(t, w, planOf(t, root, scene(root)...))
		if err == nil {
			if _, err := newWriter(state).Recover(t.Context(), []string{root}); err != nil {
				t.Error(err)
			}
			whole(t, root, state, sceneAfter)
			return
		}
		said := err.Error()
		if rejectedFor(err) != "write_failed" || !errors.Is(err, errInjected) || !strings.Contains(said, "put back") &&
			!strings.Contains(said, "journal") {
			t.Error(err)
		}
		whole(t, root, state, sceneBefore)
	})
}

// TestDeadDisk: from one operation on nothing works any more, and in some rounds the recovery fares no better. The next
// start leaves a whole tree.
func TestDeadDisk(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		for round := range testkit.Times(1, 3) {
			root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
			dead := func(from int) func(int, string, string) error {
				return func(i int, _, _ string) error {
					if i >= from {
						return errInjected
					}
					return nil
				}
			}
			w := newWriter(state)
			counted(w, dead(n))
			_, first := apply(t, w, planOf(t, root, scene(root)...))
			for range round {
				w := newWriter(state)
				counted(w, dead(1+r.IntN(40)))
				w.Recover(t.Context(), []string{root})
			}
			recovered, err := newWriter(state).Recover(t.Context(), []string{root})
			if err != nil || len(recovered) == 1 && len(recovered[0].Kept) > 0 {
				t.Errorf("%+v, %v", recovered, err)
			}
			if first == nil {
				whole(t, root, state, sceneAfter)
			} else {
				whole(t, root, state, nil)
			}
		}
	})
}

// TestKill is a real SIGKILL at every operation; also of the recovery.
func TestKill(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		if n%testkit.Times(41, 1) != 0 {
			t.Skip("one process for each step; LSPI_TESTS=all runs every one")
		}
		t.Parallel()
		root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
		o := order{Root: root, State: state, KillAt: n, NoExchange: strings.Contains(t.Name(), "false"),
			Edit: marshal(t, j{"documentChanges": scene(root)})}
		if !o.dies(t) {
			t.Fatal("it lived")
		}
		if n%3 == 0 {
			order{Root: root, State: state, KillAt: 1 + n%37, NoExchange: o.NoExchange}.dies(t)
		}
		unfinished, err := newWriter(state).Unfinished([]string{root})
		if err != nil {
			t.Error(err)
		}
		recovered, err := newWriter(state).Recover(t.Context(), []string{root})
		if err != nil || len(recovered) > 0 && len(recovered[0].Kept) > 0 {
			t.Errorf("%+v, %v", recovered, err)
		}
		testkit.Equal(t, len(unfinished) > 0, len(recovered) > 0, "unfinished", unfinished, "recovered", recovered)
		ended(t, state)
		if rest, err := newWriter(state).Unfinished([]string{root}); len(rest) > 0 || err != nil {
			t.Errorf("unfinished in the end: %v, %v", rest, err)
		}
		whole(t, root, state, nil)
	})
}

// meddling is what somebody does to a file.
var meddling = map[string]func(path string) error{
	"writes": func(path string) error { return os.WriteFile(path, []byte("mine\n"), 0o666) },
	"replaces": func(path string) error {
		other := filepath.Join(filepath.Dir(path), "other~")
		return errors.Join(os.WriteFile(other, []byte("mine\n"), 0o666), os.Rename(other, path))
	},
}

// place is a file of the scene: its path in the old and in the new tree, "" for none.
type place struct{ before, after string }

var meddled = []place{{"a", "a"}, {"b", "b"}, {"c", "over"}, {"gone", ""}, {"p/x", "q/x"}, {"", "q/new/n"},
	{"", "gone/back"}, {"old/sub/l", ""}}

// meddle changes the file where it is now; false when it is nowhere.
func (p place) meddle(t *testing.T, root, how string) bool {
	t.Helper()
	for _, name := range []string{p.before, p.after} {
		info, err := os.Lstat(filepath.Join(root, name))
		if name == "" || err != nil || !info.Mode().IsRegular() {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(root, name)); name != p.before && err == nil &&
			string(text) == sceneBefore[name] {
			continue // another file, which p is yet to replace; p itself is in the middle of an exchange
		}
		testkit.Must(t, meddling[how](filepath.Join(root, name)))
		return true
	}
	return false
}

// around checks that somebody's change of the file is there, and that the rest is the old or the new tree.
func (p place) around(t *testing.T, root string) {
	t.Helper()
	before, after := maps.Clone(sceneBefore), maps.Clone(sceneAfter)
	if before[p.before] = "mine\n"; p.before == "" {
		delete(before, "")
		before[p.after] = "mine\n" // made by the edit, then somebody's
	}
	if after[p.after] = "mine\n"; p.after == "" {
		delete(after, "")
	}
	got := readTree(t, root)
	if p.after == "" && maps.Equal(got, after) {
		t.Errorf("the change of %s is gone", p.before)
	}
	if !maps.Equal(got, before) && !maps.Equal(got, after) {
		t.Errorf("with the change of %v neither old nor new (-old +got):\n%s", p, cmp.Diff(before, got))
	}
}

// TestMeddlingDuringApply: at every operation somebody changes one of the files. The change stays, and the rest is
// whole.
func TestMeddlingDuringApply(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		for k, file := range meddled {
			for how := range meddling {
				if (n+k)%testkit.Times(51, 1) != 0 {
					continue
				}
				root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
				w := newWriter(state)
				did := false
				counted(w, func(i int, point, _ string) error {
					// there is no name, or there are two
					if i == n && !strings.HasPrefix(point, "during exchange") && point != "during move" {
						did = file.meddle(t, root, how)
					}
					return nil
				})
				applied, err := apply(t, w, planOf(t, root, scene(root)...))
				if err != nil && rejectedFor(err) != "file_changed" {
					t.Errorf("%v %s: %v", file, how, err)
				}
				if !did {
					whole(t, root, state, sceneAfter)
					continue
				}
				file.around(t, root)
				noJournal(t, state)
				if err == nil && len(applied.Changed)+len(applied.Kept) == 0 {
					t.Errorf("%v %s: nothing says that it was changed", file, how)
				}
			}
		}
	})
}

// TestMeddlingBeforeRecovery: after a crash at every operation somebody changes a file, and the recovery comes then.
func TestMeddlingBeforeRecovery(t *testing.T) {
	outcomes := map[edit.Outcome]int{}
	defer func() {
		// at a few points it is not known whether the commit was written
		if outcomes[edit.RolledBack] < 5 || outcomes[edit.Completed] < 5 {
			t.Errorf("one of the two ways was hardly ever taken: %v", outcomes)
		}
	}()
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		for k, file := range meddled {
			if (n+k)%testkit.Times(10, 1) != 0 {
				continue
			}
			root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
			w := newWriter(state)
			counted(w, func(i int, _, _ string) error {
				if i >= n {
					return errInjected
				}
				return nil
			})
			_, first := apply(t, w, planOf(t, root, scene(root)...))
			if !file.meddle(t, root, "replaces") {
				continue
			}
			recovered, err := newWriter(state).Recover(t.Context(), []string{root})
			if err != nil {
				t.Errorf("%v: %v", file, err)
			}
			noJournal(t, state)
			if len(recovered) == 1 && first != nil && file.before == "a" {
				outcomes[recovered[0].Outcome]++
			}
			if len(recovered) == 1 && recovered[0].Outcome == edit.Conflicted {
				file.checkKept(t, root, state)
				for _, k := range recovered[0].Kept {
					if _, err := os.Lstat(k.Kept); k.Kept != "" && err != nil {
						t.Errorf("%v: what was kept is not there: %+v", file, k)
					}
				}
				continue
			}
			file.around(t, root)
		}
	})
}

// checkKept: neither way was possible for the changed file. Its change is where it was made, and each text of the
// old tree somewhere.
func (p place) checkKept(t *testing.T, root, state string) {
	t.Helper()
	texts := map[string]bool{}
	for _, text := range readTree(t, root) {
		texts[text] = true
	}
	if !texts["mine\n"] {
		t.Errorf("the change of %v is gone", p)
	}
	for _, text := range readTree(t, state) {
		texts[text] = true
	}
	for name, text := range sceneBefore {
		if !texts[text] && name != p.before {
			t.Errorf("the text of %s is nowhere", name)
		}
	}
}

// TestMeddlingDuringRollback: the last step fails, and while all is put back somebody changes one of the files.
func TestMeddlingDuringRollback(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		for k, file := range meddled {
			for how := range meddling {
				if (n+k)%testkit.Times(51, 1) != 0 {
					continue
				}
				root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
				w := newWriter(state)
				failed, did := 0, false
				ops := counted(w, func(i int, point, path string) error {
					switch {
					case point == "before move" && path == root+"/old":
						failed = i
						return errInjected
					case failed > 0 && i == failed+n && !strings.HasPrefix(point, "during exchange") &&
						point != "during move":
						did = file.meddle(t, root, how)
					}
					return nil
				})
				if _, err := apply(t, w, planOf(t, root, scene(root)...)); err == nil {
					t.Fatal("it did not fail")
				}
				if *ops < failed+n {
					return // all of it was walked
				}
				if did {
					file.checkKept(t, root, state)
				} else {
					whole(t, root, state, sceneBefore)
				}
				noJournal(t, state)
			}
		}
	})
}

// TestOpenHandle: somebody had a file open before the edit and writes through that handle at every operation. What was
// written before the commit is in the file, what comes later is kept.
func TestOpenHandle(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		for k, name := range []string{"a", "gone", "over"} {
			if (n+k)%testkit.Times(7, 1) != 0 {
				continue
			}
			root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
			handle, err := os.OpenFile(filepath.Join(root, name), os.O_WRONLY, 0)
			testkit.Must(t, err)
			defer handle.Close()
			w := newWriter(state)
			removing := false
			counted(w, func(i int, point, _ string) error {
				removing = removing || i <= n && strings.Contains(point, "remove") // the last comparison was before
				if i == n {
					handle.WriteAt([]byte("mine\n"), 0)
				}
				return nil
			})
			applied, err := apply(t, w, planOf(t, root, scene(root)...))
			switch {
			case rejectedFor(err) == "file_changed":
				if got := readTree(t, root); !strings.HasPrefix(got[name], "mine\n") {
					t.Errorf("%s: %v", name, got)
				}
			case err != nil:
				t.Error(err)
			case len(applied.Kept) == 1:
				if raw, err := os.ReadFile(applied.Kept[0].Kept); err != nil ||
					!strings.HasPrefix(string(raw), "mine\n") {
					t.Errorf("%s: %q %v", name, raw, err)
				}
			case !removing:
				t.Errorf("%s: what was written is lost", name)
			}
		}
	})
}

// TestTwoProcesses: of two processes with plans made from one text, exactly one applies its plan.
func TestTwoProcesses(t *testing.T) {
	for range 5 {
		root, state := makeTree(t, files{"a": "0\n", "b": "0\n"}), testkit.MemoryDir(t)
		pair := [2]*process{}
		for i, text := range []string{"1", "2"} {
			o := order{Root: root, State: state, Edit: marshal(t, j{"documentChanges": []j{
				document(root+"/a", replace(0, 0, 1, text)), document(root+"/b", replace(0, 0, 1, text))}})}
			pair[i] = o.start(t)
		}
		for _, p := range pair {
			p.planned(t)
		}
		for _, p := range pair {
			p.input.Close() // go on
		}
		first, second := pair[0].end(), pair[1].end()
		got := readTree(t, root)
		won := first == "done  <nil>\n"
		text := map[bool]string{true: "1\n", false: "2\n"}[won]
		if won == (second == "done  <nil>\n") || got["a"] != text || got["b"] != text || len(got) != 2 {
			t.Errorf("%s%s%v", first, second, got)
		}
		noJournal(t, state)
	}
}

// TestUncertainCommit: the line "committed" may be in the journal though writing it failed, and it could not be
// taken back. Then nothing may be undone that a recovery would take for committed.
func TestUncertainCommit(t *testing.T) {
	lines := 0
	root := makeTree(t, sceneBefore)
	w := edit.NewWriter(testkit.MemoryDir(t))
	counted(w, func(_ int, point, _ string) error {
		if point == "after journal" {
			lines++
		}
		return nil
	})
	if _, err := apply(t, w, planOf(t, root, scene(root)...)); err != nil {
		t.Fatal(err)
	}
	for later := 0; later < 60; later += testkit.Times(3, 1) { // operations until nothing works any more
		root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
		w := edit.NewWriter(state)
		written, since := 0, 0
		counted(w, func(_ int, point, _ string) error {
			if point == "after journal" {
				written++
			}
			if written < lines {
				return nil
			}
			since++
			// the line itself, taking it back, the next line
			if since <= 3 && point != "before remove" || since > 3+later {
				return errInjected
			}
			return nil
		})
		apply(t, w, planOf(t, root, scene(root)...))
		if _, err := edit.NewWriter(state).Recover(t.Context(), []string{root}); err != nil {
			t.Error(err)
		}
		whole(t, root, state, nil)
	}
}

// TestConflictInAMovedFolder: a step that cannot be undone, as somebody has put a file in the way, lies in a folder
// whose move is undone. The old text is kept and found where the report says.
func TestConflictInAMovedFolder(t *testing.T) {
	root, state := makeTree(t, files{"p/a": "a\n", "p/y": "y\n"}), testkit.MemoryDir(t)
	w := edit.NewWriter(state)
	dead := false
	counted(w, func(_ int, point, path string) error {
		if dead = dead || point == "after move" && path == root+"/q/y"; dead {
			return errInjected
		}
		return nil
	})
	if _, err := apply(t, w, planOf(t, root, rename(root+"/p", root+"/q", nil),
		remove(root+"/q/y", nil))); rejectedFor(err) != "rollback_failed" {
		t.Fatal(err)
	}
	files{"q/y": "mine\n"}.write(t, root)
	recovered, err := edit.NewWriter(state).Recover(t.Context(), []string{root})
	if err != nil || len(recovered) != 1 || recovered[0].Outcome != edit.Conflicted || len(recovered[0].Kept) != 1 {
		t.Fatalf("%+v, %v", recovered, err)
	}
	sameTree(t, root, files{"p/a": "a\n", "p/y": "mine\n"})
	k := recovered[0].Kept[0]
	if text, err := os.ReadFile(k.Kept); string(text) != "y\n" || k.Path != root+"/p/y" {
		t.Errorf("%+v: %q, %v", k, text, err)
	}
}
