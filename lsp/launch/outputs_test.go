package launch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspi/disk"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// What a server writes goes into the cache, unless the configuration names another place; what nobody needs any more goes.
func TestOutputsArePlacedInTheCache(t *testing.T) {
	cache, root, gone := t.TempDir(), t.TempDir(), t.TempDir()
	s := &spec.Spec{ID: "fake", Outputs: []spec.Output{{Name: "target", Setting: "fake.cargo.targetDir", Option: "cargo.targetDir"}}}
	place := func(root string, settings map[string]any) (map[string]any, map[string]any) {
		t.Helper()
		settings, options, err := placeOutputs(s, cache, root, settings, nil)
		testkit.Must(t, err)
		return settings, options
	}
	settings, options := place(root, nil)
	target, _ := spec.At(settings, "fake.cargo.targetDir").(string)
	dir := filepath.Dir(target)
	if d := cmp.Diff(any(target), spec.At(options, "cargo.targetDir")); d != "" || filepath.Dir(dir) != filepath.Join(cache, "fake") {
		t.Errorf("%s\n%s", target, d)
	}
	own := map[string]any{"fake": map[string]any{"cargo": map[string]any{"targetDir": "target"}}}
	settings, options = place(root, own)
	testkit.Diff(t, []any{settings, options}, []any{own, map[string]any(nil)}, "the user's own")

	place(gone, nil)
	foreign := filepath.Join(cache, "fake", "mine")
	testkit.Must(t, errors.Join(os.RemoveAll(gone), os.Mkdir(foreign, 0o700), os.Chtimes(filepath.Join(dir, rootFile), time.Time{}, time.Now().Add(-2*outputFor))))
	place(t.TempDir(), nil)
	left, _ := filepath.Glob(filepath.Join(cache, "fake", "*"))
	if len(left) != 2 || !disk.Exists(foreign) || disk.Exists(dir) {
		t.Errorf("left: %q", left)
	}
}
