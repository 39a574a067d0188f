//go:build unix

package setup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// The host's own command writes where it does the job; where it does not, the file is edited, with the same entry.
// What it writes besides is kept by undo.
func TestOwnCommand(t *testing.T) {
	const good = `{"mine": 1, "mcpServers": {"lspi": {"type": "stdio", "command": "lspi", "args": ["mcp", "--context", "claude"], "env": {}}}}`
	for _, c := range []struct{ name, script, left string }{
		{"does it", "printf '%s' '" + good + `' >"$HOME/.claude.json"`, `{"mine": 1}`},
		{"fails", "exit 3", ""},
		{"does nothing", "exit 0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t)
			t.Setenv("HOME", p.User.Home)
			testkit.Must(t, os.WriteFile(filepath.Join(filepath.Dir(p.Executable), "claude"),
				[]byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
			change := write(t, p, "claude", User, DefaultRights)
			f := p.lookAt(change.Host, User, change.File)
			if f.Entry == nil || f.Entry.Line() != "lspi mcp --context claude" {
				t.Fatalf("%+v", f)
			}
			for _, u := range undo(t, p) {
				testkit.Must(t, u.Err)
			}
			if c.left == "" && !exists(change.File) {
				return
			}
			testkit.Equal(t, read(t, change.File), c.left, "undo")
		})
	}
}

// A command that writes something else is not written over.
func TestOwnCommandThatWritesElse(t *testing.T) {
	p := place(t)
	t.Setenv("HOME", p.User.Home)
	testkit.Must(t, os.WriteFile(filepath.Join(filepath.Dir(p.Executable), "claude"),
		[]byte("#!/bin/sh\necho '{\"mine\": 1}' >\"$HOME/.claude.json\"\n"), 0o700))
	c, err := p.Plan(Find("claude"), User, DefaultRights)
	testkit.Must(t, err)
	if _, err = p.Write(context.Background(), c); err == nil || !strings.Contains(err.Error(), "run lspi setup again") {
		t.Errorf("%v", err)
	}
	testkit.Equal(t, read(t, c.File), "{\"mine\": 1}\n", "the file")
}
