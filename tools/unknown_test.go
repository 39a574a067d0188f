package tools

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// The answer to a name that no tool has leads to tools that the session has, and to no other.
func TestUnknownToolNamesWhatThereIs(t *testing.T) {
	look := &session.Preset{Name: "look", Tools: []string{"hover"}}
	none := &session.Preset{Name: "none", Tools: []string{}}
	for _, c := range []struct {
		preset          *session.Preset
		name, has, hasN string
	}{
		{nil, "hoover", "the closest is hover", "leaves in none"},
		{look, "hoover", "the closest is hover", "find_definition"},
		{look, "find_definitio", "The tools are: hover.", "find_definition\""},
		{none, "hoover", "leaves in none of lspi's own tools", "closest"},
		{none, "lsp__hover", "lspi doctor", "get_server_status"},
	} {
		s := session.Settings{Preset: c.preset}
		r := Run(t.Context(), session.Unopened(s, nil), nil, answer.Request{Tool: c.name})
		text := string(r.Structured)
		testkit.Equal(t, strings.Contains(text, `"unknown_tool"`), true, text)
		if !strings.Contains(text, c.has) || strings.Contains(text, c.hasN) {
			t.Errorf("%s under %v: want %q and not %q in\n%s", c.name, c.preset, c.has, c.hasN, text)
		}
	}
}

// An id that no MCP server has leads to the server that was most likely meant, if the session has it and a tool of
// that name.
func TestUnknownServerOfATool(t *testing.T) {
	server := func(id string, leftOut bool) session.MCPServer {
		return session.MCPServer{MCPSpec: session.MCPSpec{ID: id}, LeftOut: leftOut}
	}
	for name, c := range map[string]struct {
		s         session.Settings
		has, hasN string
	}{
		"everythin__echo":  {session.Settings{}, `"closest":"everything__echo"`, "list_servers"},
		"everythin:echo":   {session.Settings{}, `Use everything__echo.`, "list_servers"},
		"Everything__echo": {session.Settings{}, `the closest is everything`, "list_servers"},
		"elsewhere__echo":  {session.Settings{}, `there is no tool`, `"closest"`},
		"everythin__write": {session.Settings{Allow: []string{"everything__echo"}}, `there is no tool`, `"closest"`},
		"everythin__echo-2": {session.Settings{Preset: &session.Preset{Name: "p", Servers: []string{"files"}}},
			`there is no tool`, `"closest"`},
		"fils__read": {session.Settings{}, `there is no tool`, `"closest"`},
	} {
		c.s.MCPServers = []session.MCPServer{server("everything", false), server("files", true)}
		text := string(Run(t.Context(), session.Unopened(c.s, nil), nil, answer.Request{Tool: name}).Structured)
		if !strings.Contains(text, `"unknown_tool"`) || !strings.Contains(text, c.has) ||
			strings.Contains(text, c.hasN) {
			t.Errorf("%s: want %q and not %q in\n%s", name, c.has, c.hasN, text)
		}
	}
}

// What a preset makes read-only is not opened by --read-write, so that the step names the preset.
func TestReadOnlyByPresetNamesThePreset(t *testing.T) {
	for by, s := range map[string]session.Settings{
		"presets.ro.read_only": {Preset: &session.Preset{Name: "ro", ReadOnly: true}},
		"--read-write":         {ReadOnly: true, Preset: &session.Preset{Name: "ro", ReadOnly: true}},
	} {
		r := Run(t.Context(), session.Unopened(s, nil), nil, answer.Request{Tool: "rename_symbol"})
		if text := string(r.Structured); !strings.Contains(text, `"read_only"`) || !strings.Contains(text, by) {
			t.Errorf("want a step with %s in %s", by, text)
		}
	}
}
