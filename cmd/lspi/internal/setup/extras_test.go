package setup

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"lspi/internal/testkit"
	"lspi/tools"
)

// call is a tool with its arguments, as the skill has them.
var call = regexp.MustCompile("`(\\w+) (\\{.*\\})`")

// word is a name in the skill or the section that may be that of a tool.
var word = regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")

// The skill has a name and a description as the format wants them, ten calls that the tools accept, and names no
// tool that is not there.
func TestSkill(t *testing.T) {
	_, rest, _ := strings.Cut(SkillText, "---\n")
	front, body, ok := strings.Cut(rest, "---\n")
	var meta struct{ Name, Description string }
	if err := yaml.Unmarshal([]byte(front), &meta); err != nil || !ok || meta.Name != "lspi" ||
		len(meta.Description) < 50 || len(meta.Description) > 1024 {
		t.Errorf("%v %+v", err, meta)
	}
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range tools.All() {
		raw, err := json.Marshal(tool.Input)
		testkit.Must(t, err)
		var s jsonschema.Schema
		testkit.Must(t, json.Unmarshal(raw, &s))
		r, err := s.Resolve(nil)
		testkit.Must(t, err)
		schemas[tool.Name] = r
	}
	calls := call.FindAllStringSubmatch(body, -1)
	if len(calls) != 10 {
		t.Errorf("%d calls", len(calls))
	}
	for _, c := range calls {
		var arguments any
		testkit.Must(t, json.Unmarshal([]byte(c[2]), &arguments))
		if s := schemas[c[1]]; s == nil {
			t.Errorf("there is no tool %s", c[1])
		} else if err := s.Validate(arguments); err != nil {
			t.Errorf("%s %s: %v", c[1], c[2], err)
		}
	}
	other := map[string]bool{"file_path": true, "symbol_name": true, "next_steps": true, "symbol_not_found": true,
		"server_not_installed": true}
	for _, m := range word.FindAllStringSubmatch(body+sectionText, -1) {
		if schemas[m[1]] == nil && !other[m[1]] {
			t.Errorf("%s is no tool", m[1])
		}
	}
}

// The section goes in once, is brought up to date, and goes out again; what people wrote around it stays.
func TestSection(t *testing.T) {
	for _, before := range []string{"", "# Mine\n", "# Mine\r\n\r\nText\r\n", "no end of line"} {
		p := place(t)
		file := filepath.Join(p.Project, "AGENTS.md")
		if before != "" {
			put(t, file, before)
		}
		for range 2 {
			all, err := p.PlanSection(Project)
			testkit.Must(t, err)
			if len(all) != 1 {
				t.Fatalf("%d files", len(all))
			}
			_, err = p.Write(context.Background(), all[0])
			testkit.Must(t, err)
		}
		after := read(t, file)
		if strings.Count(after, sectionBegin) != 1 || !strings.HasPrefix(after, before) ||
			!strings.Contains(after, "find_references") {
			t.Errorf("%q", after)
		}
		put(t, file, after+"\nmore\n")
		for _, u := range undo(t, p) {
			testkit.Must(t, u.Err)
		}
		if left := read(t, file); strings.Contains(left, "lspi") || !strings.HasPrefix(left, before) ||
			!strings.HasSuffix(left, "more\n") {
			t.Errorf("%q became %q", before, left)
		}
	}
	broken := []byte(sectionBegin + "\n")
	if _, err := withSection(broken); err == nil {
		t.Error("a section without an end was taken")
	}
}

// A skill and a plugin are written, not over another's files, and go out with the folders that they made.
func TestSkillAndPluginFiles(t *testing.T) {
	p := place(t)
	plugin := filepath.Join(p.User.Home, "plugin")
	all, err := p.PlanPlugin(plugin, "1.2.3", DefaultRights, ChangeHooks)
	testkit.Must(t, err)
	for _, name := range []string{"codex", "claude"} {
		c, err := p.PlanSkill(Find(name), User)
		testkit.Must(t, err)
		all = append(all, c)
	}
	for _, c := range all {
		_, err = p.Write(context.Background(), c)
		testkit.Must(t, err)
	}
	for _, file := range []string{"plugin/.claude-plugin/plugin.json", "plugin/.mcp.json", "plugin/hooks/hooks.json",
		"plugin/skills/lspi/SKILL.md", ".agents/skills/lspi/SKILL.md", ".claude/skills/lspi/SKILL.md"} {
		if !exists(filepath.Join(p.User.Home, file)) {
			t.Errorf("%s is not there", file)
		}
	}
	for _, u := range undo(t, p) {
		testkit.Must(t, u.Err)
	}
	if exists(filepath.Join(p.User.Home, ".claude", "skills", "lspi")) || exists(plugin) {
		t.Error("undo left files")
	}
	mine := filepath.Join(p.User.Home, ".claude", "skills", "lspi", "SKILL.md")
	put(t, mine, "mine")
	if _, err := p.PlanSkill(Find("claude"), User); err == nil {
		t.Error("a skill of another hand was taken")
	}
	if raw, _ := os.ReadFile(mine); string(raw) != "mine" {
		t.Errorf("%q", raw)
	}
}
