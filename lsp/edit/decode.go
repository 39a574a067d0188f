package edit

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Edit is a decoded WorkspaceEdit: what a server wants changed, in its order.
type Edit struct {
	operations  []operation
	annotations map[string]Annotation
}

// Annotation is a ChangeAnnotation (LSP 3.17): why something is changed, and whether the user has to agree to it.
type Annotation struct {
	ID                string
	Label             string
	Description       string // "" when there is none
	NeedsConfirmation bool
}

// Empty reports whether nothing is to be changed.
func (e *Edit) Empty() bool { return len(e.operations) == 0 }

// Moves are the files and folders that are renamed, by their paths before.
func (e *Edit) Moves() []string {
	var out []string
	for _, op := range e.operations {
		if op.verb == verbRename {
			out = append(out, op.path)
		}
	}
	return out
}

type verb uint8

const (
	verbText verb = iota
	verbCreate
	verbRename
	verbDelete
)

// operation is one entry of documentChanges, or one file of changes.
type operation struct {
	verb       verb
	path       string // absolute, as the server named it
	to         string // verbRename
	version    *int32 // verbText: of the document, nil when the server names none
	edits      []textEdit
	options    options
	annotation string // "" when there is none
}

// textEdit is a TextEdit or AnnotatedTextEdit.
type textEdit struct {
	start, end protocol.Position
	text       string
	annotation string
}

// options are those of CreateFile, RenameFile and DeleteFile together.
type options struct {
	Overwrite         bool `json:"overwrite"`
	IgnoreIfExists    bool `json:"ignoreIfExists"`
	Recursive         bool `json:"recursive"`
	IgnoreIfNotExists bool `json:"ignoreIfNotExists"`
}

// The wire types are our own: the library's decode an unknown operation into an empty text edit (protocol v1.0.1).
// Unknown collects members that LSP does not have.
type (
	unknown = map[string]jsontext.Value

	wireEdit struct {
		Changes           map[string][]wireText     `json:"changes"`
		DocumentChanges   []jsontext.Value          `json:"documentChanges"`
		ChangeAnnotations map[string]wireAnnotation `json:"changeAnnotations"`
		Unknown           unknown                   `json:",embed"`
	}
	wireAnnotation struct {
		Label             string `json:"label"`
		NeedsConfirmation bool   `json:"needsConfirmation"`
		Description       string `json:"description"`
	}
	wireDocument struct {
		TextDocument *struct {
			URI     *string `json:"uri"`
			Version *int32  `json:"version"`
		} `json:"textDocument"`
		Edits   []wireText `json:"edits"`
		Unknown unknown    `json:",embed"`
	}
	wireText struct {
		Range            *wireRange     `json:"range"`
		NewText          *string        `json:"newText"`
		AnnotationID     string         `json:"annotationId"`
		Snippet          jsontext.Value `json:"snippet"`
		InsertTextFormat int            `json:"insertTextFormat"` // rust-analyzer's SnippetTextEdit
		Unknown          unknown        `json:",embed"`
	}
	wireRange struct {
		Start *wirePosition `json:"start"`
		End   *wirePosition `json:"end"`
	}
	wirePosition struct {
		Line      *uint32 `json:"line"`
		Character *uint32 `json:"character"`
	}
	wireFile struct {
		Kind         string          `json:"kind"`
		URI          *string         `json:"uri"`
		OldURI       *string         `json:"oldUri"`
		NewURI       *string         `json:"newUri"`
		Options      *wireFileOption `json:"options"`
		AnnotationID string          `json:"annotationId"`
		Unknown      unknown         `json:",embed"`
	}
	wireFileOption struct {
		options
		Unknown unknown `json:",embed"`
	}
)

// Decode reads a WorkspaceEdit (LSP 3.18). JSON null is an edit that changes nothing. Given both changes and
// documentChanges, only the latter count, as LSP asks. What is not known (an operation, an option, a snippet, a URI
// that is no file) is an edit_rejected error: to leave it out would be to apply something else.
func Decode(raw []byte) (*Edit, error) {
	var d decoder
	var w wireEdit
	d.unmarshal(raw, &w, "the server's edit")
	d.known("the edit", w.Unknown)
	e := &Edit{annotations: map[string]Annotation{}}
	for id, a := range w.ChangeAnnotations {
		e.annotations[id] = Annotation{ID: id, Label: a.Label, Description: a.Description,
			NeedsConfirmation: a.NeedsConfirmation}
	}
	for _, change := range w.DocumentChanges {
		e.operations = append(e.operations, d.change(change))
	}
	if len(w.DocumentChanges) == 0 {
		for _, name := range slices.Sorted(maps.Keys(w.Changes)) {
			e.operations = append(e.operations, d.texts(&name, nil, w.Changes[name]))
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	e.operations = slices.DeleteFunc(e.operations, func(op operation) bool {
		return op.verb == verbText && len(op.edits) == 0
	})
	return e, nil
}

// decoder reads the parts of an edit. What it returns counts only when err stays nil.
type decoder struct{ err error } // the first part that is refused

func (d *decoder) refuse(reason Reason, path, format string, args ...any) {
	if d.err == nil {
		d.err = rejected(reason, path, format, args...)
	}
}

func (d *decoder) unmarshal(raw []byte, into any, what string) {
	if err := json.Unmarshal(raw, into); err != nil {
		d.refuse(ReasonMalformed, "", "decoding "+what+": %w", err)
	}
}

// known refuses members that are not LSP's. One that is null or false changes nothing, whatever it means.
func (d *decoder) known(where string, members unknown) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if k := members[name].Kind(); k != 'n' && k != 'f' {
			d.refuse(ReasonUnknown, "", "%s has the member %q, which LSP does not know", where, name)
		}
	}
}

// change is one of documentChanges: with a kind an operation on a file, else edits of a text.
func (d *decoder) change(raw jsontext.Value) operation {
	var peek struct {
		Kind jsontext.Value `json:"kind"`
	}
	d.unmarshal(raw, &peek, "the server's edit")
	if len(peek.Kind) > 0 {
		return d.file(raw)
	}
	var w wireDocument
	d.unmarshal(raw, &w, "the server's edit of a file")
	d.known("the edit of a file", w.Unknown)
	if w.TextDocument == nil {
		d.refuse(ReasonMalformed, "", "decoding the server's edit: a change names no document")
		return operation{}
	}
	return d.texts(w.TextDocument.URI, w.TextDocument.Version, w.Edits)
}

func (d *decoder) texts(name *string, version *int32, edits []wireText) operation {
	op := operation{verb: verbText, path: d.path(name), version: version}
	for _, w := range edits {
		op.edits = append(op.edits, d.text(op.path, w))
	}
	return op
}

func (d *decoder) text(path string, w wireText) textEdit {
	if w.InsertTextFormat == 2 || w.Snippet != nil && w.Snippet.Kind() != 'n' {
		d.refuse(ReasonSnippet, path, "the server's edit of %s is a snippet with places to fill in", path)
	}
	d.known("an edit of "+path, w.Unknown)
	if w.NewText == nil || w.Range == nil {
		d.refuse(ReasonMalformed, path, "the server's edit of %s has no range or no text", path)
		return textEdit{}
	}
	return textEdit{start: d.position(path, w.Range.Start), end: d.position(path, w.Range.End), text: *w.NewText,
		annotation: w.AnnotationID}
}

func (d *decoder) position(path string, p *wirePosition) protocol.Position {
	if p == nil || p.Line == nil || p.Character == nil {
		d.refuse(ReasonMalformed, path, "the server's edit of %s has a range without line or character", path)
		return protocol.Position{}
	}
	return protocol.Position{Line: *p.Line, Character: *p.Character}
}

func (d *decoder) file(raw jsontext.Value) operation {
	var w wireFile
	d.unmarshal(raw, &w, "the server's file operation")
	op := operation{annotation: w.AnnotationID}
	verbs := map[string]verb{"create": verbCreate, "delete": verbDelete, "rename": verbRename}
	var known bool
	if op.verb, known = verbs[w.Kind]; !known {
		d.refuse(ReasonUnknown, "", "the server's edit holds the unknown operation %q", w.Kind)
	}
	d.known("the operation "+w.Kind, w.Unknown)
	if w.Options != nil {
		d.known("the options of the operation "+w.Kind, w.Options.Unknown)
		op.options = w.Options.options
	}
	if op.verb == verbRename {
		op.path, op.to = d.path(w.OldURI), d.path(w.NewURI)
	} else {
		op.path = d.path(w.URI)
	}
	return op
}

// path is the absolute path of a URI. What is behind an unescaped ? or # would name another file: refused.
func (d *decoder) path(name *string) string {
	if name == nil {
		d.refuse(ReasonMalformed, "", "decoding the server's edit: a change names no file")
		return ""
	}
	u, err := uri.Parse(*name)
	if err != nil || len(*name) < 5 || !strings.EqualFold((*name)[:5], "file:") || u.Query() != "" ||
		u.Fragment() != "" {
		d.refuse(ReasonNotAFile, "", "the server's edit names %q, which is no file on disk", *name)
		return ""
	}
	path := u.FsPath()
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		d.refuse(ReasonNotAFile, "", "the server's edit names %q, which is no absolute path", *name)
	}
	return filepath.Clean(path)
}
