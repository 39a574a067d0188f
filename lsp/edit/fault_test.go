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

	"lspi/lsp/edit"
)

// The scene has every kind of step, several of them on top of each other.
var (
	sceneBefore = files{"a": "a1\na2\n", "b": "b\n", "gone": "gone\n", "c": "c\n", "over": "over\n", "p/x": "x\n", "p/sub/y": "y\n",
		"old/k": "\xff", "old/sub/l": "l\n", "stay": "stay\n", "link": "-> b"}
	sceneAfter = files{"a": "A1\na2\n", "b": "B\n", "over": "C\n", "q/x": "X\n", "q/sub/y": "y\n", "q/new/n": "n\n", "gone/back": "",
		"stay": "stay\n", "link": "-> b"}
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

// eachFault calls run with every number of an operation of the scene, with and without exchange.
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
		w := newWriter(tempDir(t))
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
	if diff := cmp.Diff(must, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	noJournal(t, state)
}

// TestOneFault: one operation fails, before or after it took effect. All is put back at once, or, behind the commit,
// the rest is done by the next start.
func TestOneFault(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		root, state := makeTree(t, sceneBefore), tempDir(t)
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
		if rejectedFor(err) != "write_failed" || !errors.Is(err, errInjected) {
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
		for round := range 3 {
			root, state := makeTree(t, sceneBefore), tempDir(t)
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
	if testing.Short() {
		t.Skip("starts hundreds of processes")
	}
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		t.Parallel()
		root, state := makeTree(t, sceneBefore), tempDir(t)
		o := order{Root: root, State: state, KillAt: n, NoExchange: strings.Contains(t.Name(), "false"),
			Edit: marshal(t, j{"documentChanges": scene(root)})}
		if !o.dies(t) {
			t.Fatal("it lived")
		}
		if n%3 == 0 {
			order{Root: root, State: state, KillAt: 1 + n%37, NoExchange: o.NoExchange}.dies(t)
		}
		recovered, err := newWriter(state).Recover(t.Context(), []string{root})
		if err != nil || len(recovered) > 0 && len(recovered[0].Kept) > 0 {
			t.Errorf("%+v, %v", recovered, err)
		}
		ended(t, state)
		whole(t, root, state, nil)
	})
}

// ended removes a journal that never had a complete header; Recover waits for it to be old, and nothing was done.
func ended(t *testing.T, state string) {
	t.Helper()
	left, _ := filepath.Glob(state + "/journals/*")
	for _, path := range left {
		raw, _ := os.ReadFile(path)
		if !strings.Contains(string(raw), "\n") {
			os.Remove(path)
		}
	}
}

// meddling is what somebody does to a file.
var meddling = map[string]func(path string) error{
	"writes": func(path string) error { return os.WriteFile(path, []byte("mine\n"), 0o666) },
	"replaces": func(path string) error {
		other := filepath.Join(filepath.Dir(path), "other~")
		return errors.Join(os.WriteFile(other, []byte("mine\n"), 0o666), os.Rename(other, path))
	},
}

// meddled are the files of the scene that somebody changes, by their path before, with all names that they may have.
var meddled = map[string][]string{
	"a": {"a"}, "c": {"c", "over"}, "gone": {"gone"}, "p/x": {"p/x", "q/x"}, "q/new/n": {"q/new/n"}, "gone/back": {"gone/back"}, "old/sub/l": {"old/sub/l"},
}

// meddle changes the first of the names that is a file; false when there is none.
func meddle(t *testing.T, root string, names []string, how string) bool {
	t.Helper()
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			if err := meddling[how](filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
			return true
		}
	}
	return false
}

// around checks that somebody's change of a file is there, and that the rest is the old or the new tree.
func around(t *testing.T, root string, names []string) {
	t.Helper()
	got := readTree(t, root)
	mine := 0
	for _, name := range names {
		if got[name] == "mine\n" {
			mine++
		}
	}
	if mine != 1 {
		t.Errorf("the change of %v is there %d times", names, mine)
	}
	for _, tree := range []files{sceneBefore, sceneAfter} {
		want, rest := maps.Clone(tree), maps.Clone(got)
		for _, name := range names {
			if rest[name] == "mine\n" {
				delete(rest, name)
				delete(want, name)
			}
		}
		if len(names) > 1 || names[0] != "" {
			for _, name := range names {
				if _, there := rest[name]; !there {
					delete(want, name)
				}
			}
		}
		if maps.Equal(want, rest) {
			return
		}
	}
	t.Errorf("with the change of %v neither old nor new (-old +got):\n%s", names, cmp.Diff(sceneBefore, got))
}

// TestMeddlingDuringApply: at every operation somebody changes one of the files. The change stays, and the rest is whole.
func TestMeddlingDuringApply(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		for file, names := range meddled {
			for how := range meddling {
				if testing.Short() && (n+len(file))%5 != 0 {
					continue
				}
				root, state := makeTree(t, sceneBefore), tempDir(t)
				w := newWriter(state)
				did := false
				counted(w, func(i int, point, _ string) error {
					if i == n && !strings.HasPrefix(point, "during exchange") { // the name is missing there
						did = meddle(t, root, names, how)
					}
					return nil
				})
				applied, err := apply(t, w, planOf(t, root, scene(root)...))
				if err != nil && rejectedFor(err) != "file_changed" {
					t.Errorf("%s %s: %v", file, how, err)
				}
				if !did {
					whole(t, root, state, sceneAfter)
					continue
				}
				around(t, root, names)
				noJournal(t, state)
				if err == nil && len(applied.Changed)+len(applied.Kept) == 0 {
					t.Errorf("%s %s: nothing says that it was changed", file, how)
				}
			}
		}
	})
}

// TestMeddlingBeforeRecovery: after a crash at every operation somebody changes a file, and the recovery comes then.
func TestMeddlingBeforeRecovery(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		for file, names := range meddled {
			if testing.Short() && (n+len(file))%5 != 0 {
				continue
			}
			root, state := makeTree(t, sceneBefore), tempDir(t)
			w := newWriter(state)
			counted(w, func(i int, _, _ string) error {
				if i >= n {
					return errInjected
				}
				return nil
			})
			apply(t, w, planOf(t, root, scene(root)...))
			if !meddle(t, root, names, "replaces") {
				continue
			}
			recovered, err := newWriter(state).Recover(t.Context(), []string{root})
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			noJournal(t, state)
			if len(recovered) == 1 && recovered[0].Outcome == edit.Conflicted {
				checkKept(t, root, file, names, recovered[0])
				continue
			}
			around(t, root, names)
		}
	})
}

// checkKept: neither way was possible for the changed file; its old text is somewhere, its new one untouched.
func checkKept(t *testing.T, root, file string, names []string, r edit.Recovered) {
	t.Helper()
	got := readTree(t, root)
	mine := false
	for _, name := range names {
		mine = mine || got[name] == "mine\n"
	}
	if !mine {
		t.Errorf("%s: the change is gone: %v", file, got)
	}
	old, was := sceneBefore[file]
	for _, k := range r.Kept {
		if raw, err := os.ReadFile(k.Kept); err == nil && string(raw) == old {
			return
		}
	}
	if was {
		t.Errorf("%s: its old text is nowhere: %+v", file, r)
	}
}
