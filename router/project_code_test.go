package router

import (
	"os"
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// What a server would run is found by its files and their text, also in folders that git ignores.
func TestProjectCode(t *testing.T) {
	dir := testkit.Project(t, map[string]string{
		"a.w": "", "sub/build.rs": "", "sub/conf.toml": "plugins = 1", "conf.toml": "other",
		"node_modules/tool/main.js": "", ".tool/config": "",
		".gitignore": "node_modules\n",
	})
	exe, err := os.Executable()
	testkit.Must(t, err)
	code := &spec.ProjectCode{Runs: []spec.ProjectRun{
		{What: "scripts", Files: []string{"build.rs"}}, {What: "plugins", Files: []string{"conf.toml"},
			Text: "plugins"},
		{What: "tools", Files: []string{"node_modules/tool/main.js", ".tool/config"}},
		{What: "nothing", Files: []string{"none"}}, {What: "itself"},
	}}
	table := &Table{Workspace: dir, Specs: []spec.Spec{
		{ID: "there", Languages: language("words", "w"), Commands: []spec.Command{{Name: exe}}, Code: code},
		{ID: "not installed", Languages: language("words", "w"), Commands: []spec.Command{{Name: "/no/such"}},
			Code: code},
		{ID: "not needed", Languages: language("x", "x"), Commands: []spec.Command{{Name: exe}}, Code: code},
	}}
	found, err := ProjectCode(t.Context(), table, source.OS{})
	testkit.Must(t, err)
	var got []string
	for _, f := range found {
		got = append(got, strings.TrimSpace(f.Spec.ID+": "+f.What+" "+strings.Join(f.Files, " ")))
	}
	want := "there: scripts sub/build.rs, there: plugins sub/conf.toml, there: tools node_modules/tool/main.js .tool/config, there: itself"
	testkit.Equal(t, strings.Join(got, ", "), want, got)
}
