package edit_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

func TestMain(m *testing.M) {
	if os.Getenv(victimKey) != "" {
		victim()
	}
	debug.SetGCPercent(400) // the tests make much garbage and keep nothing: a tenth of their time
	os.Exit(m.Run())
}

func options(root string) edit.Options {
	return edit.Options{Roots: []string{root},
		Label: func(path string) string { rel, _ := filepath.Rel(root, path); return filepath.ToSlash(rel) }}
}

// files is a tree: the text of each file by its path; "-> x" is a symbolic link to x, and a name that ends in / a
// folder.
type files map[string]string

// makeTree writes a tree into a new folder without symbolic links on the way.
func makeTree(t testing.TB, tree files) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(testkit.MemoryDir(t))
	testkit.Must(t, err)
	tree.write(t, root)
	return root
}

func (tree files) write(t testing.TB, root string) {
	t.Helper()
	for name, content := range tree {
		path := filepath.Join(root, filepath.FromSlash(name))
		testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, path)
		} else if strings.HasSuffix(name, "/") {
			err = os.Mkdir(path, 0o777)
		} else {
			err = os.WriteFile(path, []byte(content), 0o666)
		}
		testkit.Must(t, err)
	}
}

// readTree is everything in a folder, auxiliary files included.
func readTree(t testing.TB, root string) files {
	t.Helper()
	out := files{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if entries, err := os.ReadDir(path); err == nil && len(entries) == 0 {
				out[rel+"/"] = ""
			}
			return nil
		}
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(path)
			out[rel] = "-> " + target
			return err
		}
		raw, err := os.ReadFile(path)
		out[rel] = string(raw)
		return err
	})
	testkit.Must(t, err)
	return out
}

func sameTree(t testing.TB, root string, want files) {
	t.Helper()
	testkit.Diff(t, readTree(t, root), want, "tree")
}

// j is a JSON object.
type j = map[string]any

func at(line, character int) j { return j{"line": line, "character": character} }

func replace(line, from, to int, text string) j {
	return j{"range": j{"start": at(line, from), "end": at(line, to)}, "newText": text}
}

func document(path string, edits ...j) j {
	return j{"textDocument": j{"uri": string(uri.File(path)), "version": nil}, "edits": edits}
}

func create(path string, options j) j {
	return j{"kind": "create", "uri": string(uri.File(path)), "options": options}
}

func rename(from, to string, options j) j {
	return j{"kind": "rename", "oldUri": string(uri.File(from)), "newUri": string(uri.File(to)), "options": options}
}

func remove(path string, options j) j {
	return j{"kind": "delete", "uri": string(uri.File(path)), "options": options}
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	testkit.Must(t, err)
	return raw
}

func decode(t testing.TB, changes ...j) *edit.Edit {
	t.Helper()
	e, err := edit.Decode(marshal(t, j{"documentChanges": changes}))
	testkit.Must(t, err)
	return e
}

func planOf(t testing.TB, root string, changes ...j) *edit.Plan {
	t.Helper()
	p, err := decode(t, changes...).Plan(options(root))
	testkit.Must(t, err)
	return p
}

// agreed are the digests of a plan, as a host gives them back.
func agreed(p *edit.Plan) map[string]string {
	out := map[string]string{}
	for _, f := range p.Files {
		if f.BeforeSHA256 != "" {
			path := f.Path
			if f.From != "" {
				path = f.From
			}
			out[path] = f.BeforeSHA256
		}
	}
	return out
}

func apply(t testing.TB, w *edit.Writer, p *edit.Plan) (*edit.Applied, error) {
	t.Helper()
	return w.Apply(t.Context(), p, edit.ApplyOptions{Expected: agreed(p)})
}

// rejectedFor is the reason of an edit_rejected error, or the kind of another one of ours.
func rejectedFor(err error) string {
	var e *contract.Error
	if !errors.As(err, &e) {
		return ""
	}
	if e.Kind != contract.KindEditRejected {
		return string(e.Kind)
	}
	return e.Facts["reason"].(string)
}
