package vue

import (
	"errors"
	"path/filepath"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// The process is the other program, with the plugin that is installed beside Vue's server.
func TestPrepare(t *testing.T) {
	dir := testkit.TempDir(t)
	packages := filepath.Join(dir, "node_modules")
	for _, file := range []string{"@vue/language-server/package.json",
		"@vue/language-server/bin/vue-language-server.js", ".bin/typescript-language-server"} {
		testkit.Write(t, filepath.Join(packages, filepath.FromSlash(file)), "")
	}
	own := launch.Candidate{Path: filepath.Join(packages, "@vue", "language-server", "bin", "vue-language-server.js"),
		Args: []string{"--stdio"}}
	p := &launch.Plan{Target: launch.Target{Spec: &spec.Spec{ID: "vue", Environ: []string{"PATH=" + dir}}, Root: dir},
		Candidates: []launch.Candidate{own},
		Options:    map[string]any{"tsserver": map[string]any{}}}
	l := &Launcher{}
	l.Prepare(t.Context(), p)
	testkit.Diff(t, l.own.Candidate, own)
	testkit.Equal(t, filepath.Base(p.Candidates[0].Path), scriptServer)
	testkit.Diff(t, p.Options["plugins"],
		any([]any{map[string]any{"name": plugin, "location": filepath.Join(packages, "@vue", "language-server"),
			"languages": []string{"vue"}}}))
	testkit.Equal(t, p.Lacking(), nil)
	p.Lacks = scriptServer
	if e := (*contract.Error)(nil); !errors.As(p.Lacking(), &e) || e.Kind != contract.KindServerNotInstalled {
		t.Error(p.Lacking())
	}
}
