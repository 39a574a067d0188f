package setup

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/internal/testkit"
)

// manifests are the forms of the files that hosts read first, as far as lspi uses them: Agent Plugins 1.0.0 allows no
// other members in either file; the others are what Claude Code 2.1.197, Codex 0.169.0 and gemini-cli 0.61.0 read. The
// hosts' own checks are in test/hosts.
var manifests = map[string]string{
	"agent-plugin/plugin.json": `{"required": ["$schema", "name"], "additionalProperties": false, "properties": {
		"$schema": {"const": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"},
		"name": {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}, "version": {"pattern": "^[0-9]+[.][0-9]+[.][0-9]+"},
		"description": {"type": "string"}, "author": {"required": ["name"]}, "homepage": {"type": "string"},
		"license": {"type": "string"}, "keywords": {"type": "array", "items": {"type": "string"}}}}`,
	"agent-plugin/mcp.json": `{"required": ["$schema", "mcpServers"], "additionalProperties": false, "properties": {
		"$schema": {"const": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"},
		"mcpServers": {"additionalProperties": {"required": ["type", "command"], "additionalProperties": false,
			"properties": {"type": {"const": "stdio"}, "command": {"pattern": "^[^/ ]+$"}, "args": {"type": "array"}}}}}}`,
	"claude-plugin/.claude-plugin/plugin.json": `{"required": ["name", "version", "description", "author"]}`,
	"claude-plugin/.claude-plugin/marketplace.json": `{"required": ["name", "owner", "plugins"], "properties": {
		"plugins": {"items": {"required": ["name", "source"], "properties": {"source": {"const": "./"}}}}}}`,
	"claude-plugin/hooks/hooks.json": hooksForm,
	"codex-plugin/.codex-plugin/plugin.json": `{"required": ["name", "skills", "mcpServers", "hooks"], "properties": {
		"skills": {"pattern": "^[.]/"}, "mcpServers": {"pattern": "^[.]/"}, "hooks": {"pattern": "^[.]/"}}}`,
	"codex-plugin/.agents/plugins/marketplace.json": `{"required": ["name", "plugins"], "properties": {"plugins": {
		"items": {"required": ["name", "source", "policy"]}}}}`,
	"codex-plugin/hooks/hooks.json":          hooksForm,
	"gemini-extension/gemini-extension.json": `{"required": ["name", "version", "mcpServers", "contextFileName"]}`,
	"gemini-extension/hooks/hooks.json":      hooksForm,
}

// hooksForm is the form of a file of hooks.
const hooksForm = `{"required": ["hooks"], "properties": {"hooks": {"minProperties": 2, "additionalProperties": {
	"items": {"required": ["hooks"], "properties": {"matcher": {"type": "string"}, "hooks": {"items": {
		"required": ["type", "command", "timeout"], "properties": {"type": {"const": "command"},
			"command": {"pattern": "^lspi hook [a-z]+$"}, "timeout": {"enum": [5, 5000]}}}}}}}}}}`

// The packages have what their hosts read, in its form; the skill and the hooks are those that lspi setup writes.
func TestPackages(t *testing.T) {
	all, err := Plugins("v1.2.3", "https://example.com/lspi")
	testkit.Must(t, err)
	found := map[string]bool{}
	for kind, files := range all {
		for _, f := range files {
			name := path.Join(kind, f.Name)
			found[name] = true
			if strings.HasSuffix(f.Name, ".json") && manifests[name] != "" {
				fits(t, name, f.Text)
			}
			if strings.HasSuffix(f.Name, ".json") && !json.Valid([]byte(f.Text)) {
				t.Errorf("%s is no JSON:\n%s", name, f.Text)
			}
			if path.Base(f.Name) == "SKILL.md" {
				testkit.Equal(t, f.Text, SkillText, name)
			}
		}
	}
	for name := range manifests {
		if !found[name] {
			t.Errorf("there is no %s", name)
		}
	}
	testkit.Equal(t, all["opencode-plugin"][0].Text, shownHooks(Find("opencode"), "lspi hook opencode", ChangeHooks),
		"opencode's plugin is not what setup writes")
}

// fits checks a text with the form of its file.
func fits(t *testing.T, name, text string) {
	t.Helper()
	var schema jsonschema.Schema
	testkit.Must(t, json.Unmarshal([]byte(manifests[name]), &schema))
	resolved, err := schema.Resolve(nil)
	testkit.Must(t, err)
	var value any
	testkit.Must(t, json.Unmarshal([]byte(text), &value))
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s: %v\n%s", name, err, text)
	}
}
