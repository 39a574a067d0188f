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

// Annotation is a ChangeAnnotation (LSP 3.17): why something is changed, and whether the user has to confirm it.
type Annotation struct {
	ID                string
	Label             string
	Description       string // "" when there is none
	NeedsConfirmation bool
}

// Empty reports whether the edit changes nothing.
func (e *Edit) Empty() bool { return len(e.operations) == 0 }

// LeaveOut takes out what changes the texts of some files.
func (e *Edit) LeaveOut(some func(path string) bool) {
	e.operations = slices.DeleteFunc(e.operations, func(o operation) bool { return o.verb == verbText && some(o.path) })
}

// Replace adds the replacement of a stretch of a file, whose positions are in the encoding of the server.
func (e *Edit) Replace(path string, start, end protocol.Position, text string) {
	e.operations = append(e.operations, operation{path: path, edits: []textEdit{{start: start, end: end, text: text}}})
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
	version    *int32 // verbText: the document's version; nil when the server names none
	edits      []textEdit
	options    fileOptions
	annotation string // "" when there is none
}

// textEdit is a TextEdit or AnnotatedTextEdit.
type textEdit struct {
	start, end protocol.Position
	text       string
	annotation string
}

// fileOptions are the options of CreateFile, RenameFile and DeleteFile together.
type fileOptions struct {
	Overwrite         bool `json:"overwrite"`
	IgnoreIfExists    bool `json:"ignoreIfExists"`
	Recursive         bool `json:"recursive"`
	IgnoreIfNotExists bool `json:"ignoreIfNotExists"`
}

// The types of the JSON are our own: those of the library decode an unknown operation into an empty text edit (protocol
// v1.0.1). Unknown collects members that LSP does not have.
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
		fileOptions
		Unknown unknown `json:",embed"`
	}
)

// Decode reads a WorkspaceEdit (LSP 3.18). JSON null is an edit that changes nothing. When it has both changes and
// documentChanges, only the latter count, as LSP says. What is not known (an operation, an option, a snippet, a URI
// that is not of a file) is an edit_rejected error: without it, the edit would be another one.
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
		e.operations = append(e.operations, d.documentChange(change))
	}
	if len(w.DocumentChanges) == 0 {
		// Sorted, since the order of a JSON object means nothing and a plan has to be the same each time.
		for _, name := range slices.Sorted(maps.Keys(w.Changes)) {
			e.operations = append(e.operations, d.texts(&name, nil, w.Changes[name]))
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	// A document without edits changes nothing, so it need not exist or be readable.
	e.operations = slices.DeleteFunc(e.operations, func(op operation) bool {
		return op.verb == verbText && len(op.edits) == 0
	})
	return e, nil
}

// decoder reads the parts of an edit. Its results are valid only while err is nil.
type decoder struct{ err error } // of the first refused part

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

// known refuses members that LSP does not have. One that is null or false changes nothing, whatever it means.
func (d *decoder) known(where string, members unknown) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if k := members[name].Kind(); k != 'n' && k != 'f' {
			d.refuse(ReasonUnknown, "", "%s has the member %q, which LSP does not know", where, name)
		}
	}
}

// documentChange reads an element of documentChanges: one with a kind is an operation on a file, any other edits a
// text.
func (d *decoder) documentChange(raw jsontext.Value) operation {
	var peek struct {
		Kind jsontext.Value `json:"kind"`
	}
	d.unmarshal(raw, &peek, "the server's edit")
	if len(peek.Kind) > 0 {
		return d.fileOperation(raw)
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
	op := operation{verb: verbText, path: d.pathOf(name), version: version}
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

func (d *decoder) fileOperation(raw jsontext.Value) operation {
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
		op.options = w.Options.fileOptions
	}
	if op.verb == verbRename {
		op.path, op.to = d.pathOf(w.OldURI), d.pathOf(w.NewURI)
	} else {
		op.path = d.pathOf(w.URI)
	}
	return op
}

// pathOf returns the absolute path of a URI. A URI with a query or a fragment is refused: its path is that of another
// file when a server forgot to escape ? or #.
func (d *decoder) pathOf(name *string) string {
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
