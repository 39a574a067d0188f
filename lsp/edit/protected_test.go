package edit_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

// TestProtectedPlaces: no operation reaches one, by whatever name.
func TestProtectedPlaces(t *testing.T) {
	tree := files{
		"a": "one\n", "src/b": "b\n", ".git/config": "[core]\n", "sub/.git": "gitdir: x\n",
		"pkg/CLAUDE.md": "# rules\n", "pkg/c": "c\n",
		"link": "-> .git", "config": "-> .git/config", ".github/workflows/ci.yml": "on: push\n",
		".github/labels.yml": "x\n",
	}
	const refused, asked = "protected_path", "confirm"
	for name, c := range map[string]struct {
		changes func(root string) []j
		want    string
	}{
		"text": {func(r string) []j {
			return []j{document(r+"/.git/config", replace(0, 0, 1, "x"))}
		}, refused},
		"text by a link": {func(r string) []j {
			return []j{document(r+"/config", replace(0, 0, 1, "x"))}
		}, refused},
		"text by a linked folder": {func(r string) []j {
			return []j{document(r+"/link/config", replace(0, 0, 1, "x"))}
		}, refused},
		"beside what is allowed": {func(r string) []j {
			return []j{document(r+"/a", replace(0, 0, 1, "x")), create(r+"/.mcp.json", nil)}
		}, refused},
		"create": {func(r string) []j {
			return []j{create(r+"/.git/hooks/pre-commit", nil)}
		}, refused},
		"create by a linked folder": {func(r string) []j { return []j{create(r+"/link/hooks/x", nil)} }, refused},
		"create in another case":    {func(r string) []j { return []j{create(r+"/.GIT/hooks/x", nil)} }, refused},
		"create for Windows": {func(r string) []j {
			return []j{create(r+"/.vscode. /tasks.json", nil)}
		}, refused},
		"create for macOS":      {func(r string) []j { return []j{create(r+"/.g\u200cit/x", nil)} }, refused},
		"create an instruction": {func(r string) []j { return []j{create(r+"/src/agents.md", nil)} }, refused},
		"overwrite": {func(r string) []j {
			return []j{create(r+"/pkg/CLAUDE.md", j{"overwrite": true})}
		}, refused},
		"move there": {func(r string) []j {
			return []j{rename(r+"/a", r+"/.claude/settings.json", nil)}
		}, refused},
		"move away":            {func(r string) []j { return []j{rename(r+"/sub/.git", r+"/x", nil)} }, refused},
		"a folder becomes one": {func(r string) []j { return []j{rename(r+"/src", r+"/.idea", nil)} }, refused},
		"in two steps": {func(r string) []j {
			return []j{rename(r+"/src", r+"/.idea2", nil), rename(r+"/.idea2", r+"/.idea", nil)}
		}, refused},
		"a folder that holds one": {func(r string) []j { return []j{rename(r+"/pkg", r+"/lib", nil)} }, refused},
		"delete": {func(r string) []j {
			return []j{remove(r+"/.git", j{"recursive": true})}
		}, refused},
		"delete a link to it":   {func(r string) []j { return []j{remove(r+"/link", nil)} }, ""},
		"delete what holds one": {func(r string) []j { return []j{remove(r+"/pkg", j{"recursive": true})} }, refused},
		"delete where one was made": {func(r string) []j {
			return []j{create(r+"/src/AGENTS.md", nil), remove(r+"/src", j{"recursive": true})}
		}, refused},
		"a workflow": {func(r string) []j {
			return []j{document(r+"/.github/workflows/ci.yml", replace(0, 0, 1, "x"))}
		}, asked},
		"a new workflow": {func(r string) []j { return []j{create(r+"/.github/Workflows/new.yml", nil)} }, asked},
		"beside them": {func(r string) []j {
			return []j{document(r+"/.github/labels.yml", replace(0, 0, 1, "y"))}
		}, ""},
		"like one": {func(r string) []j {
			return []j{create(r+"/.gitignore", nil), create(r+"/git", nil), create(r+"/MY_CLAUDE.md", nil)}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := makeTree(t, tree)
			o := options(root)
			o.Protected = edit.DefaultProtected()
			p, err := decode(t, c.changes(root)...).Plan(o)
			got := rejectedFor(err)
			if err == nil && len(p.Confirm) > 0 {
				got = asked
			}
			testkit.Equal(t, got, c.want, err)
			sameTree(t, root, tree)
		})
	}
}

// A root may itself lie in a folder of such a name; a root inside of another may not make it one.
func TestProtectedPlacesOfRoots(t *testing.T) {
	root := makeTree(t, files{".claude/worktrees/a/f": "f\n", ".git/config": "c\n"})
	worktree := root + "/.claude/worktrees/a"
	o := options(worktree)
	o.Protected = edit.DefaultProtected()
	if _, err := decode(t, document(worktree+"/f", replace(0, 0, 1, "g"))).Plan(o); err != nil {
		t.Error(err)
	}
	o.Roots = []string{root, root + "/.git"}
	if _, err := decode(t, document(root+"/.git/config", replace(0, 0, 1, "d"))).Plan(o); rejectedFor(
		err) != "protected_path" {
		t.Error(err)
	}
}

// The example of the configuration and the key's default are this list.
func TestDefaultPlacesAreInTheExample(t *testing.T) {
	raw, err := os.ReadFile("../../lspi.toml.example")
	testkit.Must(t, err)
	p := edit.DefaultProtected()
	for _, place := range slices.Concat(p.Refused, p.Confirmed) {
		if !slices.Contains(quoted(string(raw)), place) {
			t.Errorf("%s is not in lspi.toml.example", place)
		}
	}
}

// quoted are the words in quotes.
func quoted(text string) (out []string) {
	for i, part := range strings.Split(text, "\"") {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}
