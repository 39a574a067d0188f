package lsptest

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/uri"
)

// docState is a document as the server knows it.
type docState struct {
	text    string
	version int
	open    bool
}

// documents is what the server knows of its files. It reads the disk only when it is told to: at the start, and for
// the file of a didClose or didChangeWatchedFiles.
type documents struct {
	encoding string // of positions; does not change

	mu    sync.Mutex
	roots []string             // set by initialize; guarded by mu
	files map[string]*docState // by path; guarded by mu
}

type textDocument struct {
	URI     string `json:"uri"`
	Text    string `json:"text,omitempty"`
	Version int    `json:"version,omitempty"`
}

type folder struct {
	URI string `json:"uri"`
}

// observe updates the documents by a message, before anything else is done with it.
func (d *documents) observe(s *Server, m *incoming) {
	var p struct {
		TextDocument   textDocument
		ContentChanges []contentChange
		Changes        []struct {
			URI  string
			Type int
		}
		RootURI          string
		RootPath         string
		WorkspaceFolders []folder
		Event            struct{ Added, Removed []folder }
	}
	learn := map[string]func(){
		"initialize":             func() { d.initialize(s.script.Language, p.RootURI, p.RootPath, p.WorkspaceFolders) },
		"textDocument/didOpen":   func() { d.didOpen(p.TextDocument) },
		"textDocument/didChange": func() { d.didChange(p.TextDocument, p.ContentChanges) },
		"textDocument/didClose":  func() { d.didClose(p.TextDocument.URI) },
		"workspace/didChangeWatchedFiles": func() {
			for _, c := range p.Changes {
				d.reread(c.URI)
			}
		},
		"workspace/didChangeWorkspaceFolders": func() { d.folders(s.script.Language, p.Event.Added, p.Event.Removed) },
	}[m.method]
	if learn == nil {
		return
	}
	if err := json.Unmarshal(m.params, &p); err != nil {
		s.complain(m.method, err)
		return
	}
	learn()
	if strings.HasPrefix(m.method, "textDocument/") && s.script.Language == "words" {
		s.publish(p.TextDocument.URI)
	}
}

func (d *documents) initialize(language, rootURI, rootPath string, folders []folder) {
	switch {
	case len(folders) > 0:
	case rootURI != "":
		folders = []folder{{rootURI}}
	case rootPath != "":
		folders = []folder{{string(uri.File(rootPath))}}
	}
	d.folders(language, folders, nil)
}

func (d *documents) folders(language string, added, removed []folder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range removed {
		root := pathOf(f.URI)
		d.roots = slices.DeleteFunc(d.roots, func(r string) bool { return r == root })
		for path, doc := range d.files {
			if inside(root, path) && !doc.open {
				delete(d.files, path)
			}
		}
	}
	for _, f := range added {
		root := pathOf(f.URI)
		d.roots = append(d.roots, root)
		if language == "words" {
			d.loadTree(root)
		}
	}
}

// loadTree reads the text files below root, and leaves out those that it cannot read. d.mu is held.
func (d *documents) loadTree(root string) {
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if e.IsDir() && e.Name() == ".git" {
			return fs.SkipDir
		}
		if e.Type().IsRegular() && d.files[path] == nil {
			d.readFile(path)
		}
		return nil
	})
}

// readFile takes the text of a file from the disk. d.mu is held.
func (d *documents) readFile(path string) {
	b, err := os.ReadFile(path)
	if err != nil || !utf8.Valid(b) {
		delete(d.files, path)
		return
	}
	d.files[path] = &docState{text: string(b)}
}

func (d *documents) didOpen(t textDocument) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[pathOf(t.URI)] = &docState{text: t.Text, version: t.Version, open: true}
}

func (d *documents) didClose(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.readFile(pathOf(uri))
}

// reread reads a file that has changed on disk, unless the client has it open: then its text is the client's.
func (d *documents) reread(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	path := pathOf(uri)
	if doc := d.files[path]; doc == nil || !doc.open {
		d.readFile(path)
	}
}

// contentChange is a change of a document; without a range it is the whole text (LSP,
// TextDocumentContentChangeEvent).
type contentChange struct {
	Range *span  `json:"range"`
	Text  string `json:"text"`
}

func (d *documents) didChange(t textDocument, changes []contentChange) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.files[pathOf(t.URI)]
	if doc == nil || !doc.open {
		return // the client must not change what it has not opened
	}
	doc.version = t.Version
	for _, c := range changes {
		if c.Range == nil {
			doc.text = c.Text
			continue
		}
		from, to := offset(doc.text, c.Range.Start, d.encoding), offset(doc.text, c.Range.End, d.encoding)
		doc.text = doc.text[:from] + c.Text + doc.text[max(from, to):]
	}
}

// Document returns the text of a file as the server knows it, and whether the client has it open.
func (s *Server) Document(path string) (text string, open, known bool) {
	s.docs.mu.Lock()
	defer s.docs.mu.Unlock()
	doc := s.docs.files[path]
	if doc == nil {
		return "", false, false
	}
	return doc.text, doc.open, true
}

// snapshot returns all texts, for answers that look at many.
func (d *documents) snapshot() (paths []string, texts map[string]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	texts = make(map[string]string, len(d.files))
	for path, doc := range d.files {
		paths = append(paths, path)
		texts[path] = doc.text
	}
	slices.Sort(paths)
	return paths, texts
}

func pathOf(u string) string {
	parsed, err := uri.Parse(u)
	if err != nil || !parsed.IsFile() {
		return u
	}
	return filepath.Clean(parsed.FsPath())
}

func inside(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+
		string(filepath.Separator))
}
