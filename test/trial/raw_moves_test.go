package trial

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"lspi/internal/lang"
	"lspi/internal/testkit"
	"lspi/lsp/launch"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/lsp/wire"
)

// rawMover makes moves as a plain editor does: it asks the server what changes with the paths, and applies the answer.
type rawMover struct {
	*movedTree
	conn  *wire.Conn // nil where the server does not tell
	asked string     // the copy that the server knows, which never changes
	made  string     // the copy in which the moves are made
	spec  *spec.Spec
}

// rawLoaded are words of the message with which a server says that it has loaded the project; others answer later.
var rawLoaded = map[string]string{"basedpyright": "source file", "rust-analyzer": `"quiescent":true`}

func newRawMover(m *movedTree) *rawMover {
	r := &rawMover{movedTree: m, asked: testkit.TempDir(m), made: testkit.TempDir(m)}
	all := servers.Servers()
	r.spec = &all[slices.IndexFunc(all, func(s spec.Spec) bool { return s.ID == m.raw })]
	found, tried := launch.FindCommands(r.spec)
	if len(found) == 0 {
		m.Fatal(tried)
	}
	m.fill(r.asked)
	m.fill(r.made)
	cmd := exec.Command(found[0].Path, found[0].Args...)
	cmd.Dir = r.asked
	in, err := cmd.StdinPipe()
	testkit.Must(m, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(m, err)
	testkit.Must(m, cmd.Start())
	loaded := make(chan struct{})
	hear := func(_ string, params json.RawMessage) {
		if sign := rawLoaded[m.raw]; sign != "" && strings.Contains(string(params), sign) {
			select {
			case <-loaded:
			default:
				close(loaded)
			}
		}
	}
	conn := wire.New(rawPipes{out, in}, wire.Options{Request: r.answer, Notification: hear})
	m.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if conn.Call(ctx, "shutdown", nil, nil) == nil {
			_ = conn.Notify(ctx, "exit", nil) // with what it has started
		}
		_ = conn.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var told struct {
		Capabilities struct {
			Workspace struct{ FileOperations map[string]json.RawMessage }
		}
	}
	testkit.Must(m, conn.Call(m.Context(), "initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": rawURI(r.asked),
		"workspaceFolders": []any{map[string]any{"uri": rawURI(r.asked), "name": m.corpus}},
		"capabilities": map[string]any{
			"workspace": map[string]any{"configuration": true, "workspaceFolders": true,
				"fileOperations": map[string]any{"willRename": true},
				"workspaceEdit":  map[string]any{"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"}}},
			"window":       map[string]any{"workDoneProgress": true},
			"experimental": map[string]any{"serverStatusNotification": true},
		},
	}, &told))
	if told.Capabilities.Workspace.FileOperations["willRename"] == nil {
		return r
	}
	r.conn = conn
	testkit.Must(m, conn.Notify(m.Context(), "initialized", struct{}{}))
	testkit.Must(m, conn.Notify(m.Context(), "workspace/didChangeConfiguration", map[string]any{"settings": r.spec.Settings}))
	if rawLoaded[m.raw] != "" {
		select {
		case <-loaded:
		case <-conn.Done():
			m.Fatalf("%s ended before it had loaded", m.raw)
		case <-time.After(testkit.Patience):
			m.Fatalf("%s does not say that it has loaded", m.raw)
		}
	}
	return r
}

type rawPipes struct {
	io.ReadCloser
	io.WriteCloser
}

func (p rawPipes) Close() error { return errors.Join(p.WriteCloser.Close(), p.ReadCloser.Close()) }

// rawURI is for paths of ASCII without spaces, as those of the corpora.
func rawURI(path string) string { return "file://" + path }

// answer answers the server's requests: settings by section, and null to all others, which is a valid answer for them.
func (r *rawMover) answer(_ context.Context, method string, params json.RawMessage) (any, error) {
	if method != "workspace/configuration" {
		return nil, nil
	}
	var p struct{ Items []struct{ Section string } }
	_ = json.Unmarshal(params, &p)
	out := make([]any, len(p.Items))
	for i, item := range p.Items {
		out[i] = spec.At(r.spec.Settings, item.Section)
	}
	return out, nil
}

// move makes one move and says how it ended.
func (r *rawMover) move(from, to string) string {
	if r.conn == nil {
		return "raw none"
	}
	defer r.restore(r.made)
	edit, err := r.ask(from, to)
	n := 0
	if err == nil {
		n, err = r.apply(edit)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(r.made, filepath.Dir(to)), 0o755)
	}
	if err == nil {
		err = os.Rename(filepath.Join(r.made, from), filepath.Join(r.made, to))
	}
	switch {
	case err != nil:
		r.Logf("  raw: %.300v", err)
		return "raw error"
	case r.worse(r.made) == "" && n == 0:
		return "raw clean without an edit"
	case r.worse(r.made) == "":
		return "raw clean"
	case n == 0:
		return "raw no edit"
	}
	return "raw worse"
}

// rawEdit is LSP's WorkspaceEdit.
type rawEdit struct {
	Changes         map[string][]rawTextEdit
	DocumentChanges []struct {
		TextDocument struct{ URI string }
		Edits        []rawTextEdit
		Kind         string
	}
}

type rawTextEdit struct {
	Range   struct{ Start, End rawPosition }
	NewText string
}

type rawPosition struct{ Line, Character int }

// ask is what the server changes with a path. A source of what moves is open meanwhile: tsserver knows no project else.
func (r *rawMover) ask(from, to string) (edit rawEdit, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), testkit.Patience)
	defer cancel()
	files, _ := r.sources()
	open := files[slices.IndexFunc(files, func(f string) bool { return f == from || strings.HasPrefix(f, from+"/") })]
	text, err := os.ReadFile(filepath.Join(r.asked, open))
	if err != nil {
		return edit, err
	}
	document := map[string]any{"uri": rawURI(filepath.Join(r.asked, open)), "languageId": lang.Of(open).ID, "version": 1,
		"text": string(text)}
	if err := r.conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": document}); err != nil {
		return edit, err
	}
	defer func() {
		_ = r.conn.Notify(ctx, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": document["uri"]}})
	}()
	for {
		err := r.conn.Call(ctx, "workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{
			"oldUri": rawURI(filepath.Join(r.asked, from)), "newUri": rawURI(filepath.Join(r.asked, to))}}}, &edit)
		if refused := (*wire.ResponseError)(nil); errors.As(err, &refused) && refused.Code == wire.CodeContentModified {
			continue
		}
		return edit, err
	}
}

// apply makes the edits in the copy for it, and returns how many.
func (r *rawMover) apply(edit rawEdit) (n int, err error) {
	changes := edit.Changes
	if len(edit.DocumentChanges) > 0 {
		changes = map[string][]rawTextEdit{}
	}
	for _, change := range edit.DocumentChanges {
		if change.Kind != "" {
			return n, fmt.Errorf("the edit has the operation %s", change.Kind)
		}
		changes[change.TextDocument.URI] = append(changes[change.TextDocument.URI], change.Edits...)
	}
	for uri, edits := range changes {
		u, err := url.Parse(uri)
		if err != nil {
			return n, err
		}
		rel, err := filepath.Rel(r.asked, u.Path)
		if err != nil {
			return n, err
		}
		path := filepath.Join(r.made, rel)
		text, err := os.ReadFile(path)
		if err != nil {
			return n, err
		}
		if err := os.WriteFile(path, []byte(rawApplied(string(text), edits)), 0o644); err != nil {
			return n, err
		}
		n += len(edits)
	}
	return n, nil
}

// rawApplied is a text behind edits, from the last to the first one.
func rawApplied(text string, edits []rawTextEdit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b rawTextEdit) int {
		return cmp.Or(b.Range.Start.Line-a.Range.Start.Line, b.Range.Start.Character-a.Range.Start.Character)
	})
	for _, e := range edits {
		text = text[:rawOffset(text, e.Range.Start)] + e.NewText + text[rawOffset(text, e.Range.End):]
	}
	return text
}

// rawOffset is the offset of a position in units of UTF-16.
func rawOffset(text string, p rawPosition) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	units := 0
	for i, c := range text[at:] {
		if units >= p.Character || c == '\n' {
			return at + i
		}
		units += utf16.RuneLen(c)
	}
	return len(text)
}
