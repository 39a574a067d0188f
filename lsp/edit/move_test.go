package edit_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

// TestUndo takes back moves: every byte and every folder is as before, but for a new folder that somebody else uses.
func TestUndo(t *testing.T) {
	before := files{"a/one": "1\n", "a/sub/two": "2\n", "use": "a/one\n", "old/": ""}
	for name, c := range map[string]struct {
		from, to string
		texts    []edit.TextChange
		during   files // written between
	}{
		"file to new folders": {"a/one", "x/y/uno",
			[]edit.TextChange{{Path: "use", Before: "a/one\n", After: "x/y/uno\n"}}, nil},
		"folder with its texts": {"a", "x/b",
			[]edit.TextChange{{Path: "a/sub/two", Before: "2\n", After: "zwei\n"}}, nil},
		"case alone":         {"a/one", "a/One", []edit.TextChange{{Path: "a/one", Before: "1\n", After: "I\n"}}, nil},
		"into a used folder": {"a/one", "x/y/uno", nil, files{"x/other": "o\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := makeTree(t, before)
			for i := range c.texts {
				c.texts[i].Path = filepath.Join(root, c.texts[i].Path)
			}
			e := edit.ChangeTexts(c.texts)
			e.Move(filepath.Join(root, c.from), filepath.Join(root, c.to))
			w := edit.NewWriter(t.TempDir())
			done := applyEdit(t, w, root, e)
			if _, err := os.Stat(filepath.Join(root, c.to)); err != nil {
				t.Fatal(err)
			}
			c.during.write(t, root)
			applyEdit(t, w, root, done.Undo())
			want := maps.Clone(before)
			maps.Copy(want, c.during)
			sameTree(t, root, want) // with folders that are empty
		})
	}
}

// applyEdit plans and applies an edit.
func applyEdit(t *testing.T, w *edit.Writer, root string, e *edit.Edit) *edit.Plan {
	t.Helper()
	plan, err := e.Plan(options(root))
	testkit.Must(t, err)
	_, err = apply(t, w, plan)
	testkit.Must(t, err)
	return plan
}
