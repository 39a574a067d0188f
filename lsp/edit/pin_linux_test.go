package edit_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

// swapped puts a link in the place of a folder, and back.
func swapped(folder, to string) (back func()) {
	aside := folder + ".aside"
	if os.Rename(folder, aside) != nil {
		return func() {}
	}
	_ = os.Symlink(to, folder)
	return func() {
		if info, err := os.Lstat(folder); err == nil && info.Mode()&os.ModeSymlink != 0 {
			_ = os.Remove(folder)
		}
		_ = os.Rename(aside, folder)
	}
}

// The files that somebody wants changed: their names are those of the scene.
var victims = files{"x": "x\n", "gone": "gone\n", "from": "from\n", "old/k": "k\n"}

func swapScene(root string) []j {
	return []j{
		document(root+"/p/x", replace(0, 0, 1, "X")),
		remove(root+"/p/gone", nil),
		rename(root+"/p/from", root+"/p/to", nil),
		create(root+"/p/new/n", nil),
		remove(root+"/p/old", j{"recursive": true}),
	}
}

func swapTree() files {
	tree := files{}
	for name, text := range victims {
		tree["p/"+name] = text
	}
	return tree
}

// TestFolderBecomesALink: whichever operation a folder is replaced by a link before, nothing happens where the link
// leads.
func TestFolderBecomesALink(t *testing.T) {
	for _, exchange := range []bool{true, false} {
		total := 1
		for n := 1; n <= total; n++ {
			root, outside, state := makeTree(t, swapTree()), makeTree(t, victims), testkit.MemoryDir(t)
			w := edit.NewWriter(state)
			if !exchange {
				w.SetNoExchange()
			}
			back := func() {}
			count := counted(w, func(i int, _, _ string) error {
				if i == n {
					back = swapped(root+"/p", outside)
				}
				return nil
			})
			_, err := apply(t, w, planOf(t, root, swapScene(root)...))
			total = max(total, *count)
			if diff := cmp.Diff(victims, readTree(t, outside)); diff != "" {
				t.Fatalf("exchange %v, before operation %d (%v), outside (-want +got):\n%s", exchange, n, err, diff)
			}
			back()
			w.SetHook(nil)
			if _, err := w.Recover(t.Context(), []string{root}); err != nil {
				t.Errorf("exchange %v, operation %d: recovering: %v", exchange, n, err)
			}
		}
		if total < 20 {
			t.Errorf("only %d operations", total)
		}
	}
}
