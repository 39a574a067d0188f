package router

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/disk"
	"lspi/lsp"
)

// What a server would run is found by its files and their text, also in folders that git ignores.
func TestFindCode(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.w": "", "sub/build.rs": "", "sub/conf.toml": "plugins = 1", "conf.toml": "other", "node_modules/tool/main.js": "", ".tool/config": "",
		".gitignore": "node_modules\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	code := &lsp.ProjectCode{Runs: []lsp.ProjectRun{
		{What: "scripts", Files: []string{"build.rs"}}, {What: "plugins", Files: []string{"conf.toml"}, Text: "plugins"},
		{What: "tools", Files: []string{"node_modules/tool/main.js", ".tool/config"}}, {What: "nothing", Files: []string{"none"}}, {What: "itself"},
	}}
	words := []lsp.Language{{ID: "words", Extensions: []string{"w"}}}
	table := &Table{Workspace: dir, Specs: []lsp.Spec{
		{ID: "there", Languages: words, Commands: []lsp.Command{{Name: exe}}, Code: code},
		{ID: "not installed", Languages: words, Commands: []lsp.Command{{Name: "/no/such"}}, Code: code},
		{ID: "not needed", Languages: []lsp.Language{{ID: "x", Extensions: []string{"x"}}}, Commands: []lsp.Command{{Name: exe}}, Code: code},
	}}
	found, err := FindCode(t.Context(), table, disk.OS{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, strings.TrimSpace(f.Spec.ID+": "+f.What+" "+strings.Join(f.Files, " ")))
	}
	want := "there: scripts sub/build.rs, there: plugins sub/conf.toml, there: tools node_modules/tool/main.js .tool/config, there: itself"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %s", got, want)
	}
}
