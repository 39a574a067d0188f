package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/indexed"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// getDocumentSymbolsIn says of which file, folder or package; MaxDepth counts levels of nesting, Offset symbols. With
// Package the file or folder is one of the project that imports it.
type getDocumentSymbolsIn struct {
	FilePath string `json:"file_path" required:"true"`
	Package  string `json:"package"`
	MaxDepth int    `json:"max_depth" default:"2" min:"1" max:"20"`
	Detail   bool   `json:"detail" default:"false"`
	Offset   int    `json:"offset" default:"0" min:"0"`
	answer.ServerArgument
	answer.Caps
}

// GivenFile is the argument file_path.
func (in getDocumentSymbolsIn) GivenFile() string { return in.FilePath }

// getDocumentSymbolsOut is the outline of a file, or of what the files of a folder export.
type getDocumentSymbolsOut struct {
	Total    int           `json:"total"`
	Returned int           `json:"returned"`
	Deeper   int           `json:"deeper,omitempty"`
	Symbols  []string      `json:"symbols,omitzero" pattern:"^ *\\d+(-\\d+)? [a-z_]+ .+$"`
	Files    []fileSymbols `json:"files,omitzero"`

	LeftOut map[string]int `json:"left_out,omitempty" schema:"-"`
	folderSymbols
	ofFolder bool

	items  []shownItem // the window
	offset int
	terse  bool // without details
}

// fileSymbols are those of one file of a folder.
type fileSymbols struct {
	FilePath  string   `json:"file_path"`
	Generated bool     `json:"generated,omitempty" schema:"-"`
	Symbols   []string `json:"symbols"`
}

// shownItem is a symbol with its file; that is "" where all are of one.
type shownItem struct {
	*outlineItem
	file      string
	generated bool
}

// getDocumentSymbols shows the outline of a file, or what the files of a folder export:
// textDocument/documentSymbol.
var getDocumentSymbols = alwaysLoaded(probing(probeOutline, define("get_document_symbols", answer.Navigation,
	orIndex(func(ctx context.Context, c *answer.Call, in getDocumentSymbolsIn) (*getDocumentSymbolsOut, error) {
		path, err := answer.PathOrFolder(c, in.FilePath)
		var out *getDocumentSymbolsOut
		switch dir := folderOf(c, in.FilePath, err); {
		case in.Package != "" && (err == nil || dir != ""):
			out, err = symbolsOfPackage(ctx, c, in, in.Package, cmp.Or(dir, path))
		case dir != "" && in.ServerID != "":
			return nil, answer.Invalid("server_id", "picks a server of one file, and %s is a folder", in.FilePath)
		case dir != "":
			out, err = symbolsOfFolder(ctx, c, in, dir)
		case err == nil:
			out, err = symbolsOfFile(ctx, c, in, path)
		case mayBePackage(in.FilePath, err):
			out, err = orPackage(ctx, c, in, err)
		}
		if err != nil {
			return nil, err
		}
		out.Total = len(out.items)
		out.items = out.items[min(in.Offset, len(out.items)):]
		return out, nil
	}, outlineByIndex), lsp.MethodDocumentSymbol)))

// outlineByIndex returns the outline of one file where no server does.
func outlineByIndex(ctx context.Context, c *answer.Call, q *indexed.Question, in getDocumentSymbolsIn) (
	*getDocumentSymbolsOut, error) {
	path, err := c.Path(in.FilePath)
	if err != nil {
		return nil, err
	}
	symbols, text, err := q.Outline(ctx, path)
	if err != nil {
		return nil, err
	}
	o := newOutline(symbols, outlineOptions{Language: q.Language(path), MaxDepth: in.MaxDepth, Detail: in.Detail,
		Text: text})
	out := &getDocumentSymbolsOut{offset: in.Offset, Deeper: o.Deeper}
	for _, i := range o.Items {
		out.items = append(out.items, shownItem{outlineItem: i})
	}
	out.Total = len(out.items)
	out.items = out.items[min(in.Offset, len(out.items)):]
	q.Conclude(ctx, indexed.Scope{File: path})
	return out, nil
}

// probeOutline tries whether there is such a file or folder.
func probeOutline(_ context.Context, c *answer.Call, raw json.RawMessage) error {
	t, _, err := aimed(c, raw)
	if folderOf(c, t.FilePath, err) != "" || mayBePackage(t.FilePath, err) {
		return nil
	}
	return err
}

// folderOf returns the folder that a path was refused for being one; "" for any other error, or none.
func folderOf(c *answer.Call, given string, err error) string {
	if err == nil || answer.AsError(err).Kind != contract.KindNotAFile {
		return ""
	}
	dir, err := filepath.EvalSymlinks(c.AbsolutePath(given))
	if err != nil || !source.IsFolder(dir) {
		return ""
	}
	return dir
}

// symbolsOfFile returns the outline of one file.
func symbolsOfFile(ctx context.Context, c *answer.Call, in getDocumentSymbolsIn, path string) (*getDocumentSymbolsOut,
	error) {
	out := &getDocumentSymbolsOut{offset: in.Offset}
	return out, ask.File(ctx, c, path, lsp.MethodDocumentSymbol, func(ctx context.Context, s *lsp.Snapshot) error {
		symbols, text, err := s.DocumentSymbols(ctx, path)
		if err != nil {
			return err
		}
		o := newOutline(symbols, outlineOptions{Language: s.Spec().LanguageID(symbol.Base(path)),
			MaxDepth: in.MaxDepth, Detail: in.Detail, Text: text})
		out.items, out.Deeper = nil, o.Deeper // symbols of a former attempt would stand twice
		for _, i := range o.Items {
			out.items = append(out.items, shownItem{outlineItem: i})
		}
		loaded.WarnOutline(ctx, c, s, text, symbols, "")
		return nil
	})
}

// files returns the symbols of the window by file.
func (o *getDocumentSymbolsOut) files() []fileSymbols {
	out := []fileSymbols{}
	for i := 0; i < len(o.items); {
		first, of := o.items[i], []*outlineItem{}
		for ; i < len(o.items) && o.items[i].file == first.file; i++ {
			of = append(of, o.items[i].outlineItem)
		}
		out = append(out, fileSymbols{first.file, first.generated, outlineLines(of, o.terse)})
	}
	return out
}

// MarshalJSON writes the symbols that are left.
func (o getDocumentSymbolsOut) MarshalJSON() ([]byte, error) {
	type plain getDocumentSymbolsOut
	o.Returned = len(o.items)
	if o.Files = o.files(); !o.ofFolder {
		o.Symbols = []string{}
		for _, f := range o.Files {
			o.Symbols = f.Symbols
		}
		o.Files = nil
	}
	return contract.Marshal(plain(o))
}

// Tell writes the lines of the outline; of a folder below the name of each file.
func (o *getDocumentSymbolsOut) Tell(s *answer.Sheet) {
	for _, f := range o.files() {
		level := 0
		if o.ofFolder {
			title := f.FilePath
			if f.Generated {
				title += " (generated)"
			}
			s.Line(0, "%s", title)
			level = 1
		}
		for _, line := range f.Symbols {
			s.Line(level, "%s", line)
		}
	}
	if o.ofFolder {
		s.Counts(o.LeftOut)
		s.List(0, "Not exporting anything", o.NoExports)
		s.List(0, "Tests, not listed", o.Tests)
		s.List(0, "Folders, not listed", o.Folders)
		s.List(0, "Other files", o.Others)
		s.List(0, "Ignored", o.Ignored)
	}
}

// Summary says what is not shown as well: a model that misses a symbol has to know why.
func (o getDocumentSymbolsOut) Summary() string {
	text := answer.Counted(o.Total, "symbol")
	if o.ofFolder {
		text = answer.Counted(o.Total, "exported symbol")
	}
	if len(o.items) < o.Total {
		text += fmt.Sprintf(", %d shown", len(o.items))
	}
	text += "."
	if o.Deeper > 0 {
		text += fmt.Sprintf(" %d more are nested deeper than max_depth.", o.Deeper)
	}
	if !o.ofFolder {
		return text
	}
	if o.Unexported > 0 {
		text += fmt.Sprintf(" %d are not exported.", o.Unexported)
	}
	if len(o.Unfiltered) > 0 {
		text += " What " + strings.Join(o.Unfiltered, ", ") + " exports lspi does not know: all is shown."
	}
	return text
}

// ShedSnippets drops the details of the symbols; their names and lines stay.
func (o *getDocumentSymbolsOut) ShedSnippets() bool {
	had := !o.terse && slices.ContainsFunc(o.items, func(i shownItem) bool { return i.hasDetail() })
	o.terse = true
	return had
}

// Size counts symbols.
func (o *getDocumentSymbolsOut) Size() int { return len(o.items) }

// Cut keeps the first n symbols.
func (o *getDocumentSymbolsOut) Cut(n int) any {
	less := *o
	less.items = o.items[:n]
	if o.ofFolder {
		less.LeftOut = leftOut(o.items[n:])
	}
	return &less
}

// leftOut counts symbols by file, for at most [answer.MaxLeftOut] files; those of further ones are
// under "…".
func leftOut(rest []shownItem) map[string]int {
	counts := map[string]int{}
	for _, i := range rest {
		file := i.file
		if counts[file] == 0 && len(counts) >= answer.MaxLeftOut {
			file = "…"
		}
		counts[file]++
	}
	return counts
}

func (o *getDocumentSymbolsOut) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.offset + n}
}
