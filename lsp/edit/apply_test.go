package edit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

// TestOperations applies every operation of LSP with its options, alone and in sequence.
func TestOperations(t *testing.T) {
	for name, c := range map[string]struct {
		before, after files
		changes       func(root string) []j
	}{
		"change": {files{"a": "one\r\ntwo"}, files{"a": "ONE\r\ntwo\r\nthree"},
			func(r string) []j { return []j{document(r+"/a", replace(0, 0, 3, "ONE"), replace(1, 3, 3, "\nthree"))} }},
		"insertions at one place keep their order": {files{"a": "\n"}, files{"a": "123\n"},
			func(r string) []j {
				return []j{document(r+"/a", replace(0, 0, 0, "1"), replace(0, 0, 0, "2"), replace(0, 0, 0, "3"))}
			}},
		"nothing": {files{"a": "one\n"}, files{"a": "one\n"},
			func(r string) []j { return []j{document(r+"/a", replace(0, 0, 3, "one"))} }},
		"through a link": {files{"dir/a": "one\n", "l": "-> dir/a"}, files{"dir/a": "two\n", "l": "-> dir/a"},
			func(r string) []j { return []j{document(r+"/l", replace(0, 0, 3, "two"))} }},
		"create with folders and text": {nil, files{"x/y/n": "new\n"},
			func(r string) []j {
				return []j{create(r+"/x/y/n", nil), document(r+"/x/y/n", replace(0, 0, 0, "new\n"))}
			}},
		"create, ignoreIfExists": {files{"a": "one\n"}, files{"a": "1\n"},
			func(r string) []j {
				return []j{create(r+"/a", j{"ignoreIfExists": true}), document(r+"/a", replace(0, 0, 3, "1"))}
			}},
		"create, overwrite wins": {files{"a": "one\n"}, files{"a": "1"},
			func(r string) []j {
				return []j{create(r+"/a", j{"ignoreIfExists": true, "overwrite": true}),
					document(r+"/a", replace(0, 0, 0, "1"))}
			}},
		"rename": {files{"a": "one\n"}, files{"d/b": "one\n"}, func(r string) []j {
			return []j{rename(r+"/a", r+"/d/b", nil)}
		}},
		"rename in case only": {files{"a": "one\n"}, files{"A": "two\n"},
			func(r string) []j { return []j{rename(r+"/a", r+"/A", nil), document(r+"/A", replace(0, 0, 3, "two"))} }},
		"rename, overwrite": {files{"a": "one\n", "b": "two\n"}, files{"b": "one\n"},
			func(r string) []j { return []j{rename(r+"/a", r+"/b", j{"overwrite": true})} }},
		"rename, ignoreIfExists": {files{"a": "one\n", "b": "two\n"}, files{"a": "one\n", "b": "two\n"},
			func(r string) []j { return []j{rename(r+"/a", r+"/b", j{"ignoreIfExists": true})} }},
		"rename of what is not text": {files{"a": "\xff\x00"}, files{"b": "\xff\x00"},
			func(r string) []j { return []j{rename(r+"/a", r+"/b", nil)} }},
		"rename of a link": {files{"a": "one\n", "l": "-> a"}, files{"a": "one\n", "m": "-> a"},
			func(r string) []j { return []j{rename(r+"/l", r+"/m", nil)} }},
		"exchange of two names": {files{"a": "one\n", "b": "two\n"}, files{"a": "two\n", "b": "one\n"},
			func(r string) []j {
				return []j{rename(r+"/a", r+"/c", nil), rename(r+"/b", r+"/a", nil), rename(r+"/c", r+"/b", nil)}
			}},
		"edit, rename, edit": {files{"a": "one two\n"}, files{"b": "1 2\n"},
			func(r string) []j {
				return []j{document(r+"/a", replace(0, 0, 3, "1")), rename(r+"/a", r+"/b", nil),
					document(r+"/b", replace(0, 2, 5, "2"))}
			}},
		"rename of a folder and an edit in it": {files{"p/a": "one\n", "p/sub/b": "b\n", "p/l": "-> a"},
			files{"q/a": "two\n", "q/sub/b": "B\n", "q/l": "-> a", "q/n": "n"},
			func(r string) []j {
				return []j{document(r+"/p/sub/b", replace(0, 0, 1, "B")), rename(r+"/p", r+"/q", nil),
					document(r+"/q/a", replace(0, 0, 3, "two")),
					create(r+"/q/n", nil), document(r+"/q/n", replace(0, 0, 0, "n"))}
			}},
		"folders change places": {files{"p/a": "1\n", "q/a": "2\n"}, files{"p/a": "two\n", "q/a": "one\n"},
			func(r string) []j {
				return []j{rename(r+"/p", r+"/t", nil), rename(r+"/q", r+"/p", nil), rename(r+"/t", r+"/q", nil),
					document(r+"/p/a", replace(0, 0, 1, "two")), document(r+"/q/a", replace(0, 0, 1, "one"))}
			}},
		"delete": {files{"a": "one\n", "b": ""}, files{"b": ""}, func(r string) []j {
			return []j{remove(r+"/a", nil)}
		}},
		"delete, ignoreIfNotExists": {files{"b": ""}, files{"b": ""}, func(r string) []j {
			return []j{remove(r+"/a", j{"ignoreIfNotExists": true})}
		}},
		"delete of a link": {files{"a": "", "l": "-> a"}, files{"a": ""}, func(r string) []j {
			return []j{remove(r+"/l", nil)}
		}},
		"delete of an empty folder": {files{"d/": "", "b": ""}, files{"b": ""}, func(r string) []j {
			return []j{remove(r+"/d", nil)}
		}},
		"delete of a folder": {files{"d/e/a": "\xff", "d/l": "-> e", "b": ""}, files{"b": ""}, func(r string) []j {
			return []j{remove(r+"/d", j{"recursive": true})}
		}},
		"delete of edited and moved": {files{"d/a": "1\n", "d/b": "2\n", "d/c": "3\n"}, files{"b": "B\n"},
			func(r string) []j {
				return []j{document(r+"/d/a", replace(0, 0, 1, "x")), document(r+"/d/b", replace(0, 0, 1, "B")),
					create(r+"/d/n", nil),
					rename(r+"/d/b", r+"/b", nil), remove(r+"/d/c", nil), remove(r+"/d", j{"recursive": true})}
			}},
		"delete and create again": {files{"d/a": "1\n"}, files{"d/a": "new", "d/b": ""},
			func(r string) []j {
				return []j{remove(r+"/d", j{"recursive": true}), create(r+"/d/a", nil),
					document(r+"/d/a", replace(0, 0, 0, "new")), create(r+"/d/b", nil)}
			}},
	} {
		for _, exchange := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, exchange %v", name, exchange), func(t *testing.T) {
				root, state := makeTree(t, c.before), testkit.MemoryDir(t)
				w := edit.NewWriter(state)
				if !exchange {
					w.SetNoExchange()
				}
				applied, err := apply(t, w, planOf(t, root, c.changes(root)...))
				if err != nil || applied.Kept != nil || applied.Leftover != nil || applied.Changed != nil {
					t.Fatalf("%+v, %v", applied, err)
				}
				sameTree(t, root, c.after)
				noJournal(t, state)
			})
		}
	}
}

func noJournal(t testing.TB, state string) {
	t.Helper()
	if left, _ := filepath.Glob(state + "/journals/*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestAgree(t *testing.T) {
	tree := files{"a": "one\n", "b": "two\n"}
	root := makeTree(t, tree)
	p := planOf(t, root, document(root+"/a", replace(0, 0, 3, "1")), rename(root+"/b", root+"/c", nil))
	w := edit.NewWriter(testkit.MemoryDir(t))
	for want, change := range map[string]func(map[string]string){
		"missing_argument": func(m map[string]string) { delete(m, root+"/b") },
		"file_changed":     func(m map[string]string) { m[root+"/b"] = "00" },
		"invalid_argument": func(m map[string]string) { m[root+"/z"] = "00" },
	} {
		expected := agreed(p)
		change(expected)
		if _, err := w.Apply(t.Context(), p, edit.ApplyOptions{Expected: expected}); rejectedFor(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	sameTree(t, root, tree)
}

// What came into a folder since somebody agreed to its end is not deleted with it.
func TestAgreeToAFolder(t *testing.T) {
	root := makeTree(t, files{"d/a": "one\n"})
	plan := func() *edit.Plan { return planOf(t, root, remove(root+"/d", j{"recursive": true})) }
	expected := agreed(plan())
	testkit.Must(t, os.WriteFile(filepath.Join(root, "d", "b"), []byte("new\n"), 0o600))
	_, err := edit.NewWriter(testkit.MemoryDir(t)).Apply(t.Context(), plan(), edit.ApplyOptions{Expected: expected})
	testkit.Equal(t, rejectedFor(err), "file_changed", err)
	sameTree(t, root, files{"d/a": "one\n", "d/b": "new\n"})
}

// TestDriftBeforeApply: what happened to a file since the plan is found before anything is written.
func TestDriftBeforeApply(t *testing.T) {
	for name, c := range map[string]struct {
		meddle func(root string) error
		want   string
		says   string // the end of the message
	}{
		"changed": {func(r string) error {
			return os.WriteFile(r+"/b", []byte("other\n"), 0o666)
		}, "file_changed", "b was changed since the edit was planned"},
		"gone": {func(r string) error {
			return os.Remove(r + "/b")
		}, "file_changed", "b is gone since the edit was planned"},
		"folder replaced": {func(r string) error {
			return errors.Join(os.Rename(r+"/d", r+"/e"), os.Symlink("e", r+"/d"))
		}, "file_changed", ""},
		"read-only": {func(r string) error { return os.Chmod(r+"/b", 0o444) }, "read_only", ""},
		"linked":    {func(r string) error { return os.Link(r+"/b", r+"/b2") }, "hard_links", ""},
		"new folder": {func(r string) error {
			return os.Symlink(testkit.MemoryDir(t), r+"/new")
		}, "file_changed", ""},
		"target taken": {func(r string) error {
			return os.WriteFile(r+"/n", []byte("mine"), 0o666)
		}, "file_changed", "n appeared since the edit was planned"},
		"folder grown": {func(r string) error {
			return os.WriteFile(r+"/gone/mine", nil, 0o666)
		}, "file_changed", ""},
		"touched": {func(r string) error { return os.WriteFile(r+"/b", []byte("b\n"), 0o666) }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root, state := makeTree(t, files{"a": "a\n", "b": "b\n", "d/c": "c\n", "gone/x": "x\n"}),
				testkit.MemoryDir(t)
			p := planOf(t, root, document(root+"/a", replace(0, 0, 1, "A")), document(root+"/b", replace(0, 0, 1, "B")),
				document(root+"/d/c", replace(0, 0, 1, "C")), create(root+"/n", nil), create(root+"/new/m", nil),
				remove(root+"/gone", j{"recursive": true}))
			testkit.Must(t, c.meddle(root))
			before := readTree(t, root)
			_, err := apply(t, edit.NewWriter(state), p)
			testkit.Equal(t, rejectedFor(err), c.want, err)
			if err != nil {
				var e *contract.Error
				if !errors.As(err, &e) || !strings.HasSuffix(err.Error(), c.says) || e.Facts["file_path"] == nil {
					t.Fatalf("%v, want %s", err, c.says)
				}
				if c.says != "" { // a file that is not there has no digest
					testkit.Equal(t, e.Facts["actual"] == nil, strings.Contains(c.says, "is gone"), e.Facts)
					testkit.Equal(t, e.Facts["expected"] == nil, strings.Contains(c.says, "appeared"), e.Facts)
				}
				sameTree(t, root, before)
			}
			noJournal(t, state)
		})
	}
}

func TestBackups(t *testing.T) {
	root := makeTree(t, files{"a": "one\n", "a.orig": "mine\n", "b": "two\n", "c": "three\n"})
	p := planOf(t, root, document(root+"/a", replace(0, 0, 3, "1")), remove(root+"/b", nil),
		rename(root+"/c", root+"/d", nil))
	applied, err := edit.NewWriter(testkit.MemoryDir(t)).Apply(t.Context(), p,
		edit.ApplyOptions{Expected: agreed(p), Backup: ".orig"})
	testkit.Must(t, err)
	sameTree(t, root, files{"a": "1\n", "a.orig": "mine\n", "a.orig.1": "one\n", "b.orig": "two\n", "d": "three\n"})
	if applied.Backups[root+"/a"] != root+"/a.orig.1" || applied.Backups[root+"/b"] != root+"/b.orig" {
		t.Errorf("%v", applied.Backups)
	}
}

func TestSecondApply(t *testing.T) {
	root := makeTree(t, files{"a": "one\n"})
	p := planOf(t, root, document(root+"/a", replace(0, 0, 3, "two")))
	w := edit.NewWriter(testkit.MemoryDir(t))
	if _, err := apply(t, w, p); err != nil {
		t.Fatal(err)
	}
	if _, err := apply(t, w, p); rejectedFor(err) != "file_changed" {
		t.Error(err)
	}
}

// TestConcurrentApplies: of plans made from one text exactly one is applied, whoever else is at work in the same
// process.
func TestConcurrentApplies(t *testing.T) {
	root, state := makeTree(t, files{"a": "0\n", "sub/b": "0\n"}), testkit.MemoryDir(t)
	plans := make([]*edit.Plan, 8) // all before the first is applied
	for i := range plans {
		at := root
		if i%2 == 1 {
			at = root + "/sub" // a narrower root: it excludes the wider one all the same
		}
		text := fmt.Sprint(i + 1)
		changes := []j{document(root+"/sub/b", replace(0, 0, 1, text))}
		if at == root {
			changes = append(changes, document(root+"/a", replace(0, 0, 1, text)))
		}
		plans[i] = planOf(t, at, changes...)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := []string{}
	for i, p := range plans {
		text := fmt.Sprint(i + 1)
		wg.Go(func() {
			_, err := edit.NewWriter(state).Apply(context.Background(), p, edit.ApplyOptions{Expected: agreed(p)})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, text)
			} else if rejectedFor(err) != "file_changed" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	tree := readTree(t, root)
	if len(won) != 1 || tree["sub/b"] != won[0]+"\n" || tree["a"] != tree["sub/b"] && tree["a"] != "0\n" ||
		len(tree) != 2 {
		t.Errorf("%v won: %v", won, tree)
	}
}

func TestWaitingEndsWithContext(t *testing.T) {
	root := makeTree(t, files{"a": "one\n"})
	w := edit.NewWriter(testkit.MemoryDir(t))
	release, err := edit.Lock(w, []string{root})
	if err != nil || release == nil {
		t.Fatal(err)
	}
	defer release()
	p := planOf(t, root, document(root+"/a", replace(0, 0, 3, "two")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Apply(ctx, p, edit.ApplyOptions{Expected: agreed(p)}); rejectedFor(err) != string(
		contract.KindCancelled) {
		t.Error(err)
	}
	if other, err := edit.Lock(w, []string{root + "/sub"}); other != nil || err != nil {
		t.Error("a folder in a locked root could be locked", err)
	}
	if other, err := edit.Lock(w, []string{filepath.Dir(root)}); other != nil || err != nil {
		t.Error("the folder above a locked root could be locked", err)
	}
	beside, err := edit.Lock(w, []string{root + "-beside"})
	if beside == nil || err != nil {
		t.Fatal("a folder beside a locked root could not be locked", err)
	}
	beside()
}
