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
// documentChanges, only the latter count, as LSP asks. What is not known (an operation, an option, a snippet, a URI that is no file)
// is an edit_rejected error: to leave it out would be to apply something else.
func Decode(raw []byte) (*Edit, error) {
	var w *wireEdit
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, rejected(ReasonMalformed, "", "decoding the server's edit: %w", err)
	}
	e := &Edit{annotations: map[string]Annotation{}}
	if w == nil {
		return e, nil
	}
	if err := known("the edit", w.Unknown); err != nil {
		return nil, err
	}
	for id, a := range w.ChangeAnnotations {
		e.annotations[id] = Annotation{ID: id, Label: a.Label, Description: a.Description, NeedsConfirmation: a.NeedsConfirmation}
	}
	var err error
	if len(w.DocumentChanges) > 0 {
		e.operations, err = decodeDocuments(w.DocumentChanges)
	} else {
		e.operations, err = decodeChanges(w.Changes)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func decodeChanges(changes map[string][]wireText) ([]operation, error) {
	var out []operation
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		op, err := textOperation(&name, nil, changes[name])
		if err != nil {
			return nil, err
		}
		out = append(out, op)
	}
	return slices.DeleteFunc(out, func(op operation) bool { return len(op.edits) == 0 }), nil
}

func decodeDocuments(changes []jsontext.Value) ([]operation, error) {
	var out []operation
	for _, raw := range changes {
		op, err := decodeDocument(raw)
		if err != nil {
			return nil, err
		}
		if op.verb != verbText || len(op.edits) > 0 {
			out = append(out, op)
		}
	}
	return out, nil
}

func decodeDocument(raw jsontext.Value) (operation, error) {
	var peek struct {
		Kind jsontext.Value `json:"kind"`
	}
	if err := json.Unmarshal(raw, &peek); err != nil {
		return operation{}, rejected(ReasonMalformed, "", "decoding the server's edit: %w", err)
	}
	if len(peek.Kind) > 0 {
		return decodeFile(raw)
	}
	var w wireDocument
	if err := json.Unmarshal(raw, &w); err != nil {
		return operation{}, rejected(ReasonMalformed, "", "decoding the server's edit of a file: %w", err)
	}
	if err := known("the edit of a file", w.Unknown); err != nil {
		return operation{}, err
	}
	if w.TextDocument == nil {
		return operation{}, rejected(ReasonMalformed, "", "decoding the server's edit: a change names no document")
	}
	return textOperation(w.TextDocument.URI, w.TextDocument.Version, w.Edits)
}

func textOperation(name *string, version *int32, edits []wireText) (operation, error) {
	path, err := filePath(name)
	if err != nil {
		return operation{}, err
	}
	op := operation{verb: verbText, path: path, version: version}
	for _, w := range edits {
		t, err := decodeText(path, w)
		if err != nil {
			return operation{}, err
		}
		op.edits = append(op.edits, t)
	}
	return op, nil
}

func decodeText(path string, w wireText) (textEdit, error) {
	if w.InsertTextFormat == 2 || w.Snippet != nil && w.Snippet.Kind() != 'n' {
		return textEdit{}, rejected(ReasonSnippet, path, "the server's edit of %s is a snippet with places to fill in", path)
	}
	if err := known("an edit of "+path, w.Unknown); err != nil {
		return textEdit{}, err
	}
	if w.NewText == nil || w.Range == nil {
		return textEdit{}, rejected(ReasonMalformed, path, "the server's edit of %s has no range or no text", path)
	}
	start, startOK := w.Range.Start.position()
	end, endOK := w.Range.End.position()
	if !startOK || !endOK {
		return textEdit{}, rejected(ReasonMalformed, path, "the server's edit of %s has a range without line or character", path)
	}
	return textEdit{start: start, end: end, text: *w.NewText, annotation: w.AnnotationID}, nil
}

func (p *wirePosition) position() (protocol.Position, bool) {
	if p == nil || p.Line == nil || p.Character == nil {
		return protocol.Position{}, false
	}
	return protocol.Position{Line: *p.Line, Character: *p.Character}, true
}

func decodeFile(raw jsontext.Value) (operation, error) {
	var w wireFile
	if err := json.Unmarshal(raw, &w); err != nil {
		return operation{}, rejected(ReasonMalformed, "", "decoding the server's file operation: %w", err)
	}
	op := operation{annotation: w.AnnotationID}
	first, second := w.URI, (*string)(nil)
	switch w.Kind {
	case "create":
		op.verb = verbCreate
	case "delete":
		op.verb = verbDelete
	case "rename":
		op.verb, first, second = verbRename, w.OldURI, w.NewURI
	default:
		return operation{}, rejected(ReasonUnknown, "", "the server's edit holds the unknown operation %q", w.Kind)
	}
	if err := known("the operation "+w.Kind, w.Unknown); err != nil {
		return operation{}, err
	}
	if w.Options != nil {
		if err := known("the options of the operation "+w.Kind, w.Options.Unknown); err != nil {
			return operation{}, err
		}
		op.options = w.Options.options
	}
	var err error
	if op.path, err = filePath(first); err == nil && op.verb == verbRename {
		op.to, err = filePath(second)
	}
	return op, err
}

// known refuses members that are not LSP's. One that is null or false changes nothing, whatever it means.
func known(where string, members unknown) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if k := members[name].Kind(); k != 'n' && k != 'f' {
			return rejected(ReasonUnknown, "", "%s has the member %q, which LSP does not know", where, name)
		}
	}
	return nil
}

// filePath is the absolute path of a URI. What is behind an unescaped ? or # would name another file: refused.
func filePath(name *string) (string, error) {
	if name == nil {
		return "", rejected(ReasonMalformed, "", "decoding the server's edit: a change names no file")
	}
	u, err := uri.Parse(*name)
	if err != nil || len(*name) < 5 || !strings.EqualFold((*name)[:5], "file:") || u.Query() != "" || u.Fragment() != "" {
		return "", rejected(ReasonNotAFile, "", "the server's edit names %q, which is no file on disk", *name)
	}
	path := u.FsPath()
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", rejected(ReasonNotAFile, "", "the server's edit names %q, which is no absolute path", *name)
	}
	return filepath.Clean(path), nil
}
