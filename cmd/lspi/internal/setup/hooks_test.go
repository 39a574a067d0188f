package setup

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// hook plans and writes the hooks of one host.
func hook(t testing.TB, p Place, name string, s Scope, set HookSet) *Change {
	t.Helper()
	c, err := p.PlanHooks(Find(name), s, set)
	testkit.Must(t, err)
	_, err = p.Write(t.Context(), c)
	testkit.Must(t, err)
	return c
}

func undoAll(t testing.TB, p Place) {
	t.Helper()
	for _, u := range undo(t, p) {
		testkit.Must(t, u.Err)
	}
}

// Every host with hooks: a new file has them, a second time changes nothing, undo leaves nothing. The events of
// searches and of the end of a turn come with AllHooks only.
func TestHooksOfEveryHost(t *testing.T) {
	for name, table := range hookTables {
		for _, s := range []Scope{User, Project} {
			p, h := place(t), Find(name)
			hook(t, p, name, s, ChangeHooks)
			has := p.Hooks(h, s)
			testkit.Equal(t, has.Command, "lspi hook "+name, name, "runs")
			if hook(t, p, name, s, ChangeHooks).Diff != "" {
				t.Errorf("%s: a second time changes something", name)
			}
			text := read(t, has.File)
			for _, e := range table.events {
				if e.searches != "" && strings.Contains(text, e.searches) {
					t.Errorf("%s: searches are on:\n%s", name, text)
				}
			}
			if table.own == nil && (slices.Contains(has.Events, "Stop") || !slices.Contains(has.Events, "SessionStart")) {
				t.Errorf("%s: events are %v", name, has.Events)
			}
			hook(t, p, name, s, AllHooks)
			all := read(t, has.File)
			for _, e := range table.events {
				if !strings.Contains(all, e.name) || !strings.Contains(all, e.searches) {
					t.Errorf("%s: %s is not there:\n%s", name, e.name, all)
				}
			}
			hook(t, p, name, s, ChangeHooks)
			if table.own == nil {
				testkit.Equal(t, read(t, has.File), all, "hooks that are there stay")
			}
			undoAll(t, p)
			if exists(has.File) {
				t.Errorf("%s: undo left\n%s", name, read(t, has.File))
			}
		}
	}
}

// Hooks of others and everything else in a file stay byte for byte, also when the file was changed before undo.
func TestHooksBesideOthers(t *testing.T) {
	const other = `{ "hooks": [ { "type": "command", "command": "fmt.sh" } ] }`
	for _, c := range []struct{ name, host, before, want, elsewhere string }{
		{"none yet", "claude", "{\n  \"model\": \"x\"\n}\n",
			"\"model\": \"x\",\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n", "\n"},
		{"another event", "claude", "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t" + other + "\n\t\t]\n\t}\n}\n",
			"\n\t\t],\n\t\t\"PostToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\"", "\n"},
		{"the same event", "claude", "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      " + other + "\n    ]\n  }\n}\n",
			other + ",\n      {\n        \"matcher\": \"Edit|", "\n"},
		{"one line", "codex", `{"hooks":{"PostToolUse":[` + other + `]}}`, other + ", { \"matcher\": \"apply_patch|", " "},
		{"comments", "gemini", "{\n  // mine\n  \"hooks\": {\n    \"AfterTool\": [\n      " + other +
			", // one\n    ],\n  },\n}\n", ", // one\n      {\n        \"matcher\"", "// end\n"},
		{"comments, no trailing comma", "qwen", "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      " + other +
			" // one\n    ]\n  }\n}\n", ", // one\n      {\n        \"matcher\"", "// end\n"},
		{"empty list", "claude", "{\n  \"hooks\": {\n    \"PostToolUse\": []\n  }\n}\n", "\"PostToolUse\": [\n      {", "\n"},
		{"CRLF and a mark", "gemini", "\xef\xbb\xbf{\r\n  \"hooks\": {\r\n  }\r\n}\r\n",
			"\"hooks\": {\r\n    \"AfterTool\": [\r\n      {\r\n", "// x\r\n"},
		{"empty file", "claude", "", "lspi hook claude", "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t)
			file := p.HookFile(Find(c.host), User)
			put(t, file, c.before)
			hook(t, p, c.host, User, ChangeHooks)
			after := read(t, file)
			testkit.Holds(t, after, c.want)
			undoAll(t, p)
			testkit.Equal(t, read(t, file), c.before, "after undo")
			hook(t, p, c.host, User, ChangeHooks)
			put(t, file, after+c.elsewhere)
			undoAll(t, p)
			left := read(t, file)
			if strings.Contains(left, "lspi") || !strings.HasSuffix(left, c.elsewhere) ||
				strings.Contains(c.before, "fmt.sh") && !strings.HasPrefix(left, c.before) {
				t.Errorf("undo beside another change left\n%s\nof\n%s", left, c.before)
			}
		})
	}
}

// A file that has both the server and the hooks gives both back, in one undo.
func TestServerAndHooksInOneFile(t *testing.T) {
	const before = "{\n  \"theme\": \"dark\" // mine\n}\n"
	for _, name := range []string{"gemini", "qwen"} {
		p := place(t)
		file := p.HookFile(Find(name), User)
		put(t, file, before)
		write(t, p, name, User, DefaultRights)
		hook(t, p, name, User, ChangeHooks)
		testkit.Holds(t, read(t, file), "mcpServers")
		undoAll(t, p)
		testkit.Equal(t, read(t, file), before, name)

		testkit.Must(t, os.Remove(file))
		write(t, p, name, User, DefaultRights)
		hook(t, p, name, User, ChangeHooks)
		undoAll(t, p)
		if exists(file) {
			t.Errorf("%s: undo left\n%s", name, read(t, file))
		}
	}
}

// A command that moved is put right, and what the user set beside it stays. An item with other commands stays whole.
func TestHooksOfAnotherPath(t *testing.T) {
	const item = `{ "matcher": "Edit", "hooks": [ { "type": "command", ` +
		`"command": "/old/lspi hook claude", "timeout": 9 } ] }`
	p := place(t)
	file := p.HookFile(Find("claude"), User)
	put(t, file, `{ "hooks": { "PostToolUse": [ `+item+` ] } }`)
	hook(t, p, "claude", User, ChangeHooks)
	testkit.Holds(t, read(t, file), strings.Replace(item, "/old/lspi", "lspi", 1))

	const shared = `{ "hooks": [ { "type": "command", "command": "lspi hook claude" }, ` +
		`{ "type": "command", "command": "x" } ] }`
	p = place(t)
	file = p.HookFile(Find("claude"), User)
	put(t, file, `{ "hooks": { "PostToolUse": [ `+shared+` ] } }`)
	hook(t, p, "claude", User, AllHooks)
	after := read(t, file)
	testkit.Holds(t, after, shared)
	put(t, file, after+"\n")
	if all := undo(t, p); len(all) != 1 || !errors.Is(all[0].Err, errShared) {
		t.Errorf("%+v", all)
	}
	testkit.Equal(t, read(t, file), after+"\n", "after an undo that cannot be")
}

// Files of another form than the host's are left alone, with an error.
func TestHooksOfBrokenFiles(t *testing.T) {
	for _, bad := range []string{`{ "hooks": [] }`, `{ "hooks": { "PostToolUse": {} } }`, `{ "hooks": `, `{ } // x`} {
		p := place(t)
		put(t, p.HookFile(Find("claude"), User), bad)
		if c, err := p.PlanHooks(Find("claude"), User, ChangeHooks); err == nil {
			t.Errorf("%s was taken:\n%s", bad, c.Diff)
		}
	}
}

// Files of hooks of lspi's own are not written over another's, and are JSON where they should be.
func TestOwnHookFiles(t *testing.T) {
	p := place(t)
	file := p.HookFile(Find("copilot"), User)
	hook(t, p, "copilot", User, AllHooks)
	if !json.Valid([]byte(read(t, file))) {
		t.Error(read(t, file))
	}
	testkit.Must(t, os.RemoveAll(filepath.Dir(file)))
	put(t, file, "{}")
	if _, err := p.PlanHooks(Find("copilot"), User, ChangeHooks); err == nil {
		t.Error("a file of another hand was taken")
	}
}
