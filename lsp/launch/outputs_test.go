package launch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// What a server writes goes into the cache, unless the configuration names another place; what nobody needs any
// more goes.
func TestOutputsArePlacedInTheCache(t *testing.T) {
	cache, root, gone, elsewhere := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	s := &spec.Spec{ID: "fake",
		Outputs: []spec.Output{{Name: "target", Setting: "fake.cargo.targetDir", Option: "cargo.targetDir"}}}
	place := func(root string, settings map[string]any) (map[string]any, map[string]any) {
		t.Helper()
		p := &Plan{Target: Target{Spec: s, Cache: cache, Root: root}, Settings: settings}
		testkit.Must(t, p.placeOutputs())
		return p.Settings, p.Options
	}
	settings, options := place(root, nil)
	target, _ := spec.At(settings, "fake.cargo.targetDir").(string)
	dir := filepath.Dir(target)
	if d := cmp.Diff(any(target), spec.At(options, "cargo.targetDir")); d != "" ||
		filepath.Dir(dir) != filepath.Join(cache, "fake") {
		t.Errorf("%s\n%s", target, d)
	}
	own := map[string]any{"fake": map[string]any{"cargo": map[string]any{"targetDir": "target"}}}
	settings, options = place(root, own)
	testkit.Diff(t, []any{settings, options}, []any{own, map[string]any(nil)}, "the user's own")

	place(gone, nil)
	place(elsewhere, nil)
	folder := func(root string) string { return CachePath(filepath.Join(cache, "fake"), root) }
	foreign := filepath.Join(cache, "fake", "mine")
	unused := func(dir string) error {
		return os.Chtimes(filepath.Join(dir, rootFile), time.Time{}, time.Now().Add(-2*outputFor))
	}
	testkit.Must(t, errors.Join(os.RemoveAll(gone), os.RemoveAll(elsewhere), os.Mkdir(foreign, 0o700), unused(dir)))
	testkit.Write(t, filepath.Join(folder(elsewhere), viewFile), "another container")
	other := t.TempDir()
	place(other, nil)
	left, _ := filepath.Glob(filepath.Join(cache, "fake", "*"))
	if len(left) != 3 || !source.Exists(foreign) || !source.Exists(folder(elsewhere)) || source.Exists(dir) {
		t.Errorf("left: %q", left)
	}
	testkit.Must(t, unused(folder(elsewhere)))
	place(other, nil)
	if source.Exists(folder(elsewhere)) {
		t.Error("what no container has used for long is left")
	}
}

// A folder that one process has alone follows an argument; a process beside it gets another, and the next one the
// first again.
func TestOutputsOfOneProcess(t *testing.T) {
	cache, root := t.TempDir(), t.TempDir()
	s := &spec.Spec{ID: "fake", Outputs: []spec.Output{{Name: "data", Arg: "-data", Alone: true}}}
	plan := func(args ...string) *Plan {
		p := &Plan{Target: Target{Spec: s, Cache: cache, Root: root},
			Candidates: []Candidate{{Path: "fake", Args: args}}}
		testkit.Must(t, p.placeOutputs())
		return p
	}
	of := func(p *Plan) string {
		args := p.Candidates[0].Args
		return args[0] + " " + filepath.Base(args[1])
	}
	first := plan()
	testkit.Equal(t, of(first), "-data data")
	second := plan()
	testkit.Equal(t, of(second), "-data data-2")
	first.Release()
	testkit.Equal(t, of(plan()), "-data data")
	testkit.Equal(t, of(plan("-data", "mine")), "-data mine")
}
