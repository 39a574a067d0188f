//go:build unix

package tools

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// twoSessions are two hosts' of one process, whose configurations differ in another server, so that they share these.
func twoSessions(t *testing.T, dir string, specs ...spec.Spec) (a, b *session.Session) {
	t.Helper()
	process, cache := toolstest.NewProcess(t), filepath.Join(t.TempDir(), "cache")
	open := func(key string) *session.Session {
		other := spec.Spec{ID: "other", Languages: []spec.Language{{ID: "other", Extensions: []string{"o"}}},
			Settings: map[string]any{"of": key}}
		w, err := process.Open(key, &router.Table{Workspace: dir, Specs: append(slices.Clone(specs), other)},
			router.PoolOptions{Launcher: servers.Launcher, Cache: cache})
		testkit.Must(t, err)
		session := &session.Session{Workspace: w}
		t.Cleanup(session.Close)
		return session
	}
	return open("a"), open("b")
}

// What one session renames is seen by the other at once, all of it or nothing: no answer has the old name in one
// file and the new one in another, and no diagnostics tell of a half of the edit.
func TestOtherSessionSeesARenameAsAWhole(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	files := map[string]string{"go.mod": "module ex.com/two\n\ngo 1.24\n",
		"a/a.go": "package a\n\nfunc Name0() int { return 1 }\n"}
	for i := range 12 {
		files[fmt.Sprintf("u%d/u.go", i)] =
			fmt.Sprintf("package u%d\n\nimport \"ex.com/two/a\"\n\nvar X = a.Name0()\n", i)
	}
	dir := project(t, files)
	a, b := twoSessions(t, dir, toolstest.Catalogue("gopls")...)
	name := regexp.MustCompile(`Name\d+`)
	look := func() (names []string) {
		uses := run(t, b, "find_references", map[string]any{"file_path": "a/a.go", "line": 3, "character": 6})
		if uses["ok"] != true || uses["total"] != 13.0 && uses["completeness"] == "complete" {
			t.Errorf("%v of the uses: %v", uses["total"], uses)
		}
		for _, f := range uses["files"].([]any) {
			names = append(names, name.FindAllString(fmt.Sprint(f.(map[string]any)["references"]), -1)...)
		}
		slices.Sort(names)
		if names = slices.Compact(names); len(names) != 1 {
			t.Errorf("a mix of %v", names)
		}
		if found := run(t, b, "get_diagnostics", map[string]any{}); found["total"] != 0.0 {
			t.Errorf("half of an edit: %v", found)
		}
		return names
	}
	look()
	for i := range testkit.Times(3, 8) {
		var group sync.WaitGroup
		next := fmt.Sprint("Name", i+1)
		preview := run(t, a, "rename_symbol",
			map[string]any{"file_path": "a/a.go", "symbol_name": fmt.Sprint("Name", i), "new_name": next})
		applied := make(chan struct{})
		group.Go(func() {
			defer close(applied)
			done := run(t, a, "rename_symbol",
				map[string]any{"file_path": "a/a.go", "symbol_name": fmt.Sprint("Name", i), "new_name": next,
					"dry_run": false, "preview_id": preview["preview_id"]})
			if done["applied"] != true {
				t.Errorf("%v", done)
			}
		})
		for range 2 {
			group.Go(func() { repeat(applied, func() { look() }) })
		}
		group.Wait()
		if names := look(); !slices.Equal(names, []string{next}) {
			t.Errorf("behind the rename to %s: %v", next, names)
		}
	}
	if running := b.Workspace.Pool.Running(); len(running) != 1 || a.Workspace.Pool.Running()[0] != running[0] {
		t.Errorf("running %v", running)
	}
}

// repeat does something again and again until over is closed, and then once more.
func repeat(over <-chan struct{}, f func()) {
	for meanwhile := true; meanwhile; {
		select {
		case <-over:
			meanwhile = false
		default:
		}
		f()
	}
}

// What one session only tries, nobody else is told of: neither its errors nor its names.
func TestOtherSessionDoesNotSeeATrial(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/two\n\ngo 1.24\n",
		"a/a.go": "package a\n\nfunc Name() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"ex.com/two/a\"\n\nvar X = a.Name()\n",
	})
	a, b := twoSessions(t, dir, toolstest.Catalogue("gopls")...)
	look := func() {
		if found := run(t, b, "get_diagnostics",
			map[string]any{"file_paths": []any{"a/a.go", "b/b.go"}}); found["total"] != 0.0 {
			t.Errorf("diagnostics of a trial: %v", found)
		}
		if uses := run(t, b, "find_references",
			map[string]any{"file_path": "a/a.go", "symbol_name": "Name"}); uses["total"] != 2.0 {
			t.Errorf("uses of a trial: %v", uses)
		}
		if found := run(t, b, "get_document_symbols", map[string]any{"file_path": "a/a.go"}); fmt.Sprint(
			found["symbols"]) != "[3 function Name]" {
			t.Errorf("symbols of a trial: %v", found["symbols"])
		}
	}
	look()
	tried := make(chan struct{})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() { repeat(tried, look) })
	}
	for i := range 6 {
		trial := run(t, a, "check_edit",
			map[string]any{"edits": []any{map[string]any{"file_path": "a/a.go", "old_text": "Name",
				"new_text": fmt.Sprint("Other", i)}}})
		if got := differs(trial); len(got) != 1 {
			t.Errorf("the trial: %v", trial)
		}
	}
	close(tried)
	group.Wait()
}

// Who asks is answered, though another session restarts and stops the server meanwhile, and no answer says more
// than it knows: one that met several restarts may be partial.
func TestOtherSessionRestarts(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/two\n\ngo 1.24\n",
		"a/a.go": "package a\n\nfunc Name() int { return 1 }\n\nvar X = Name()\n",
	})
	a, b := twoSessions(t, dir, toolstest.Catalogue("gopls")...)
	look := func() {
		if uses := run(t, b, "find_references",
			map[string]any{"file_path": "a/a.go", "symbol_name": "Name"}); uses["ok"] != true ||
			uses["total"] != 2.0 && uses["completeness"] == "complete" {
			t.Errorf("uses: %v", uses)
		}
	}
	look()
	over := make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() { repeat(over, look) })
	}
	for range 3 {
		for _, tool := range []string{"restart_server", "stop_server"} {
			if done := run(t, a, tool, map[string]any{"server_id": "gopls"}); done["ok"] != true {
				t.Errorf("%s: %v", tool, done)
			}
		}
	}
	close(over)
	group.Wait()
	if uses := run(t, b, "find_references",
		map[string]any{"file_path": "a/a.go", "symbol_name": "Name"}); uses["total"] != 2.0 ||
		uses["completeness"] != "complete" {
		t.Errorf("uses in the end: %v", uses)
	}
}
