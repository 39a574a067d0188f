package edit_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

const call = "the id of a call"

// applyFor applies the plan for the call.
func applyFor(t testing.TB, w *edit.Writer, p *edit.Plan) (*edit.Applied, error) {
	t.Helper()
	return w.Apply(t.Context(), p, edit.ApplyOptions{Expected: agreed(p), Call: call})
}

// dies runs f in a goroutine that ends at the nth operation of a writer, as the thread of a killed process does:
// nothing of f runs after it, and the locks are gone. It reports whether there was an nth operation.
func dies(w *edit.Writer, n int, f func()) (died bool) {
	counted(w, func(i int, _, _ string) error {
		if i == n {
			died = true
			runtime.Goexit()
		}
		return nil
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
	return died
}

// outcomeOf asks a new writer, as a new process does, and compares each file of the answer with what is on disk.
func outcomeOf(t testing.TB, root, state string) edit.CallOutcome {
	t.Helper()
	out, err := edit.NewWriter(state).Outcome(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	ended(t, state)
	noJournal(t, state)
	tree := readTree(t, root)
	for _, f := range out.Files {
		checkContent(t, tree, f)
	}
	if again, err := edit.NewWriter(state).Outcome(t.Context(), call); err != nil || again.State != out.State ||
		len(again.Files) != len(out.Files) {
		t.Errorf("asked again: %+v, %v, before %+v", again, err, out)
	}
	return out
}

// ended removes a journal that never had a complete header; Recover waits for it to be old, and nothing was done.
func ended(t testing.TB, state string) {
	t.Helper()
	left, _ := filepath.Glob(state + "/journals/*")
	for _, path := range left {
		if raw, _ := os.ReadFile(path); !strings.Contains(string(raw), "\n") {
			os.Remove(path)
		}
	}
}

// checkContent compares what a file of the scene is said to hold with the tree.
func checkContent(t testing.TB, tree files, f edit.ChangedFile) {
	t.Helper()
	if f.Folder {
		return // what is in it are files of their own
	}
	was := f.Label
	if f.FromLabel != "" {
		was = f.FromLabel
	}
	is := func(name string, want files) bool {
		text, there := tree[name]
		return there && text == want[name]
	}
	fresh, old := is(f.Label, sceneAfter), is(was, sceneBefore)
	// In the place of a file that is not there any more, or not again, may stand another one.
	if f.Kind == edit.Delete {
		fresh = !old
	}
	if f.Kind == edit.Create {
		old = !fresh
	}
	if f.Now == edit.ContentNew && !fresh || f.Now == edit.ContentOld && !old || f.Now == edit.ContentOther &&
		(fresh || old) && f.Kind == edit.Change {
		t.Errorf("%+v in %v", f, tree)
	}
}

// truthful checks that an outcome is that of the tree, which nobody else changed.
func truthful(t testing.TB, root string, out edit.CallOutcome) {
	t.Helper()
	tree := readTree(t, root)
	switch {
	case out.State == edit.CallApplied && maps.Equal(tree, sceneAfter), out.State == edit.CallUnchanged &&
		maps.Equal(tree, sceneBefore):
	default:
		t.Errorf("%s of %v", out.State, tree)
	}
	for _, f := range out.Files {
		if f.Now != edit.ContentNew || out.State != edit.CallApplied {
			t.Errorf("%s: %+v", out.State, f)
		}
	}
	if out.State == edit.CallApplied && (len(out.Files) != 12 || out.Totals.Changed != 3 || out.Totals.Edits == 0 ||
		len(out.Kept) > 0) {
		t.Errorf("it was applied, and the outcome says %+v", out)
	}
}

// recorded are the names in the folder of records.
func recorded(t testing.TB, state string) (records, marks []string) {
	t.Helper()
	entries, _ := os.ReadDir(filepath.Join(state, "done"))
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".told") {
			marks = append(marks, e.Name())
		} else {
			records = append(records, e.Name())
		}
	}
	return records, marks
}

// TestOutcome: the thread that applies an edit dies at each operation; in some rounds the one that asks for the
// outcome dies as well, or another process recovers first. The outcome is what is on disk.
func TestOutcome(t *testing.T) {
	states := map[edit.CallState]int{}
	for _, exchange := range []bool{true, false} {
		for n := 1; ; n++ {
			root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
			writer := func() *edit.Writer {
				w := edit.NewWriter(state)
				if !exchange {
					w.SetNoExchange()
				}
				return w
			}
			w := writer()
			p := planOf(t, root, scene(root)...)
			died := dies(w, n, func() { applyFor(t, w, p) })
			switch n % 3 {
			case 1:
				asks := writer()
				dies(asks, 1+n*7%41, func() { asks.Outcome(context.Background(), call) })
			case 2:
				_, err := writer().Recover(t.Context(), []string{root})
				testkit.Must(t, err)
			}
			out := outcomeOf(t, root, state)
			truthful(t, root, out)
			if t.Failed() {
				t.Fatalf("exchange %v, operation %d", exchange, n)
			}
			testkit.Must(t, edit.NewWriter(state).Forget(call))
			if records, marks := recorded(t, state); len(records) != 0 || len(marks) != 1 {
				t.Fatalf("left %v %v", records, marks)
			}
			states[out.State]++
			if !died { // all of it was done, and the answer was not given yet
				testkit.Equal(t, out.State, edit.CallApplied, "after the last operation")
				break
			}
		}
	}
	if states[edit.CallApplied] < 20 || states[edit.CallUnchanged] < 100 {
		t.Errorf("hardly ever seen: %v", states)
	}
}

// TestOutcomeOfVictims is the same with real processes and SIGKILL.
func TestOutcomeOfVictims(t *testing.T) {
	eachFault(t, func(t *testing.T, n int, newWriter func(string) *edit.Writer) {
		if n%testkit.Times(47, 1) != 0 {
			t.Skip("one process for each step; LSPI_TESTS=all runs every one")
		}
		t.Parallel()
		root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
		o := order{Root: root, State: state, KillAt: n, NoExchange: strings.Contains(t.Name(), "false"), Call: call,
			Edit: marshal(t, j{"documentChanges": scene(root)})}
		if !o.dies(t) {
			t.Fatal("it lived")
		}
		truthful(t, root, outcomeOf(t, root, state))
	})
}

// TestOutcomeAroundOthers: after the death at each operation somebody changes one of the files. The outcome says of
// each file what is in it.
func TestOutcomeAroundOthers(t *testing.T) {
	states := map[edit.CallState]int{}
	for n, died := 1, true; died; n++ {
		for k, file := range meddled {
			if (n+k)%testkit.Times(9, 1) != 0 {
				continue
			}
			root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
			w := edit.NewWriter(state)
			p := planOf(t, root, scene(root)...)
			died = dies(w, n, func() { applyFor(t, w, p) })
			if !file.meddle(t, root, "replaces") {
				continue
			}
			out := outcomeOf(t, root, state)
			states[out.State]++
			got := readTree(t, root)
			// Only folders, and what nobody changed, are as their end says; the rest stands in Files.
			others := func(want files) files {
				rest := maps.Clone(got)
				maps.DeleteFunc(rest, func(name, text string) bool { return text == "mine\n" || want[name] == text })
				return rest
			}
			if out.State == edit.CallApplied && len(others(sceneAfter)) > 0 || out.State == edit.CallUnchanged &&
				len(others(sceneBefore)) > 0 {
				t.Errorf("operation %d, %v: %s of %v", n, file, out.State, got)
			}
			if out.State == edit.CallMixed {
				file.checkKept(t, root, state)
			}
			for _, k := range out.Kept {
				if _, err := os.Lstat(k.Kept); err != nil {
					t.Errorf("operation %d, %v: what was kept is not there: %+v", n, file, k)
				}
			}
		}
	}
	if states[edit.CallApplied] < 5 || states[edit.CallUnchanged] < 5 || states[edit.CallMixed] < 3 {
		t.Errorf("hardly ever seen: %v", states)
	}
}

// undoing is the plan that takes a change of texts back.
func undoing(t testing.TB, root string, done *edit.Plan) *edit.Plan {
	t.Helper()
	var back []edit.TextChange
	for _, f := range done.Files {
		back = append(back, edit.TextChange{Path: f.Path, Before: f.New, After: f.Old, Ends: f.Kind == edit.Create})
	}
	p, err := edit.ChangeTexts(back).Plan(options(root))
	testkit.Must(t, err)
	return p
}

// TestOutcomeOfTakenBack: a call applies an edit and takes it back, and dies at each operation of both.
func TestOutcomeOfTakenBack(t *testing.T) {
	before, after := files{"a": "a\n", "b": "b\n"}, files{"a": "A\n", "b": "B\n", "new": "n\n"}
	var states []edit.CallState
	for n := 1; ; n++ {
		root, state := makeTree(t, before), testkit.MemoryDir(t)
		w := edit.NewWriter(state)
		p, err := edit.ChangeTexts([]edit.TextChange{{Path: root + "/a", Before: "a\n", After: "A\n"},
			{Path: root + "/b", Before: "b\n", After: "B\n"},
			{Path: root + "/new", After: "n\n", Begins: true}}).Plan(options(root))
		testkit.Must(t, err)
		died := dies(w, n, func() {
			if _, err := applyFor(t, w, p); err != nil {
				t.Error(err)
			}
			back := undoing(t, root, p)
			if _, err := w.Apply(t.Context(), back, edit.ApplyOptions{Expected: agreed(back), Call: call,
				Undoes: true}); err != nil {
				t.Error(err)
			}
		})
		out, err := edit.NewWriter(state).Outcome(t.Context(), call)
		testkit.Must(t, err)
		ended(t, state)
		got := readTree(t, root)
		want := map[edit.CallState]files{edit.CallUnchanged: before, edit.CallApplied: after}[out.State]
		testkit.Diff(t, got, want, "operation", n, out.State)
		for _, f := range out.Files {
			testkit.Equal(t, f.Now, map[edit.CallState]edit.Content{edit.CallUnchanged: edit.ContentOld,
				edit.CallApplied: edit.ContentNew}[out.State], f.Label)
		}
		states = append(states, out.State)
		if t.Failed() || !died {
			break
		}
	}
	testkit.Diff(t, slices.Compact(states), []edit.CallState{edit.CallUnchanged, edit.CallApplied, edit.CallUnchanged},
		"states in turn")
}

// TestOutcomeOfTheLiving: at each operation somebody asks what became of a call that is being made. What is told
// holds in the end, and who cannot be told gets an error.
func TestOutcomeOfTheLiving(t *testing.T) {
	told := map[string]int{}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for n := 1; ; n++ {
		root, state := makeTree(t, sceneBefore), testkit.MemoryDir(t)
		w := edit.NewWriter(state)
		var out edit.CallOutcome
		var unknown error
		asked := false
		counted(w, func(i int, _, _ string) error {
			if i == n {
				asked = true
				out, unknown = edit.NewWriter(state).Outcome(over, call)
			}
			return nil
		})
		_, err := applyFor(t, w, planOf(t, root, scene(root)...))
		if !asked {
			break
		}
		tree := readTree(t, root)
		switch {
		case unknown != nil:
			told["unknown"]++
		case out.State == edit.CallUnchanged && maps.Equal(tree, sceneBefore) && rejectedFor(err) == "cancelled",
			out.State == edit.CallApplied && maps.Equal(tree, sceneAfter) && err == nil:
			told[string(out.State)]++
		default:
			t.Errorf("operation %d: told %+v, and then %v: %v", n, out, err, tree)
		}
		if final := outcomeOf(t, root, state); unknown != nil {
			truthful(t, root, final)
		}
	}
	if told["unknown"] < 50 || told["unchanged"] < 2 || told["applied"] < 1 {
		t.Errorf("hardly ever seen: %v", told)
	}
}

// TestRecords: without the id of a call nothing is recorded, the record of one call is not that of another, and
// what nobody asks for goes with the first record that is a day younger.
func TestRecords(t *testing.T) {
	root, state := makeTree(t, files{"a": "0\n"}), testkit.MemoryDir(t)
	w := edit.NewWriter(state)
	set := func(from, to, id string) {
		p, err := edit.ChangeTexts([]edit.TextChange{{Path: root + "/a", Before: from, After: to}}).Plan(options(root))
		testkit.Must(t, err)
		_, err = w.Apply(t.Context(), p, edit.ApplyOptions{Expected: agreed(p), Call: id, Backup: ".orig"})
		testkit.Must(t, err)
	}
	set("0\n", "1\n", "")
	if records, marks := recorded(t, state); len(records)+len(marks) > 0 {
		t.Errorf("recorded %v %v", records, marks)
	}
	set("1\n", "2\n", "one")
	if out, err := w.Outcome(t.Context(), "two"); err != nil || out.State != edit.CallUnchanged || len(out.Files) > 0 {
		t.Errorf("of another call: %+v, %v", out, err)
	}
	out, err := w.Outcome(t.Context(), "one")
	if err != nil || out.State != edit.CallApplied || out.Files[0].Label != "a" ||
		fmt.Sprint(out.Backups) != "map[a:a.orig.1]" {
		t.Errorf("%+v, %v", out, err)
	}
	records, marks := recorded(t, state)
	if len(records) != 1 || len(marks) != 2 || strings.Contains(records[0], "one") {
		t.Errorf("recorded %v %v", records, marks)
	}
	for _, name := range slices.Concat(records, marks) {
		old := time.Now().Add(-25 * time.Hour)
		testkit.Must(t, os.Chtimes(filepath.Join(state, "done", name), old, old))
	}
	set("2\n", "3\n", "three")
	if records, marks := recorded(t, state); len(records) != 1 || len(marks) != 0 {
		t.Errorf("after a day %v %v", records, marks)
	}
	testkit.Must(t, w.Forget("three"))
	testkit.Must(t, w.Forget("three"))
	defer edit.SetMaxRemembered(3)()
	for i := 3; i < 9; i++ {
		set(fmt.Sprintf("%d\n", i), fmt.Sprintf("%d\n", i+1), fmt.Sprint("call ", i))
		name := filepath.Join(state, "done", edit.CallDigest(fmt.Sprint("call ", i)))
		at := time.Now().Add(time.Duration(i-100) * time.Second)
		testkit.Must(t, os.Chtimes(name, at, at)) // the clock of the file system may not tell them apart
	}
	if records, _ := recorded(t, state); len(records) != 3 {
		t.Errorf("many calls left %v", records)
	}
	for i := 6; i < 9; i++ {
		testkit.Must(t, w.Forget(fmt.Sprint("call ", i)))
	}
	if records, _ := recorded(t, state); len(records) != 0 {
		t.Errorf("after Forget %v", records)
	}
}
