package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
	"lspi/tools/packages"
	"lspi/tools/symbol"
	"lspi/tools/tests"
)

// folderSymbols is what get_document_symbols tells of a folder besides the symbols. All names are
// relative to the folder.
type folderSymbols struct {
	Unexported int      `json:"unexported,omitempty" schema:"-"`
	Unfiltered []string `json:"unfiltered,omitempty" schema:"-"`
	NoExports  []string `json:"no_exports,omitempty" schema:"-"`
	Tests      []string `json:"tests,omitempty" schema:"-"`
	Folders    []string `json:"folders,omitempty" schema:"-"`
	Others     []string `json:"others,omitempty" schema:"-"`
	Ignored    []string `json:"ignored,omitempty" schema:"-"`
}

// folderFile is one file of a folder with what its server says.
type folderFile struct {
	path      string
	route     router.Route
	outline   *fileOutline // nil when it could not be asked
	generated bool
	err       error
}

// The bounds of a question about a folder: how many files are asked at the same time, what is left of the call's
// time for writing the answer, and how many names a list has. How many files are asked at all only the time bounds:
// gopls 0.23.0 tells 450 small ones in 0.5 s.
const (
	folderAtOnce  = 8
	folderReserve = 2 * time.Second
	folderNames   = 60
)

// symbolsOfFolder returns the declarations of a folder's files that other files may use.
func symbolsOfFolder(ctx context.Context, c *answer.Call, in getDocumentSymbolsIn, dir string) (*getDocumentSymbolsOut,
	error) {
	out := &getDocumentSymbolsOut{offset: in.Offset, ofFolder: true}
	files, err := out.list(ctx, c, dir)
	if err != nil {
		return nil, err
	}
	if err := askFolder(ctx, c, in, files); err != nil {
		return nil, err
	}
	slices.SortStableFunc(files, func(a, b *folderFile) int { // generated ones last
		switch {
		case a.generated == b.generated:
			return 0
		case a.generated:
			return 1
		}
		return -1
	})
	for _, f := range files {
		out.add(c, f)
	}
	if in.Offset > 0 { // the first page has told these
		out.folderSymbols = folderSymbols{Unexported: out.Unexported}
	}
	return out, nil
}

// add takes what one file exports.
func (o *getDocumentSymbolsOut) add(c *answer.Call, f *folderFile) {
	if f.outline == nil {
		return
	}
	o.Deeper += f.outline.Deeper
	o.Unexported += f.outline.Kept
	if len(f.outline.Items) == 0 {
		o.NoExports = append(o.NoExports, filepath.Base(f.path))
	}
	// A language without a rule for exports is shown as a whole, and the answer says so.
	if l := f.route.Spec.LanguageID(symbol.Base(f.path)); lang.ByID(l).Exports == nil &&
		!slices.Contains(o.Unfiltered, l) {
		o.Unfiltered = append(o.Unfiltered, l)
	}
	for _, i := range f.outline.Items {
		o.items = append(o.items, shownItem{outlineItem: i, file: c.Show(f.path), generated: f.generated})
	}
}

// list divides what a folder holds: files to ask about, which are of languages that declare symbols and
// have a server, and the names of all else. Tests, and files that only stand beside code, are asked
// about where there is nothing else.
func (f *folderSymbols) list(ctx context.Context, c *answer.Call, dir string) ([]*folderFile, error) {
	if err := listable(c, dir); err != nil {
		return nil, err
	}
	j := c.Workspace.Pool.Journal(dir)
	if j == nil {
		return nil, contract.Errorf(contract.KindOutsideWorkspace,
			contract.Facts{"file_path": dir, "roots": c.Workspace.Table.Allowed()},
			"%s is outside the workspace roots (%s)", dir, strings.Join(c.Workspace.Table.Allowed(), ", "))
	}
	// After the barrier the journal has the files that were on disk when the call began.
	if _, err := j.Barrier(ctx); err != nil {
		return nil, err
	}
	var code, beside, ofTests []*folderFile
	known, folders := map[string]bool{}, map[string]bool{}
	for path := range j.Files() {
		below, ok := source.RelativeTo(dir, path)
		if !ok {
			continue
		}
		name, _, nested := strings.Cut(filepath.ToSlash(below), "/")
		// What lies in a subfolder only shows that the subfolder exists.
		if known[name] = true; nested {
			folders[name+"/"] = true
			continue
		}
		r, ok := outlineRoute(c, path)
		l := lang.Of(path)
		switch file := (&folderFile{path: path, route: r}); {
		case !ok || l.NoSymbols:
			f.Others = append(f.Others, name)
		case tests.IsFile(name):
			ofTests = append(ofTests, file)
		case l.Optional:
			beside = append(beside, file)
		default:
			code = append(code, file)
		}
	}
	f.Folders = some(slices.Sorted(maps.Keys(folders)))
	f.ignored(dir, known)
	switch {
	case len(code) == 0 && len(ofTests) > 0:
		code, ofTests = ofTests, nil
	case len(code) == 0:
		code, beside = beside, nil
	}
	for _, file := range ofTests {
		f.Tests = append(f.Tests, filepath.Base(file.path))
	}
	for _, file := range beside {
		f.Others = append(f.Others, filepath.Base(file.path))
	}
	slices.Sort(f.Others)
	f.Tests, f.Others = some(f.Tests), some(f.Others)
	return code, nil
}

// listable is the error for a folder that this user may not list or enter: the journal has none of its
// files, and an answer without any would look like that of an empty folder.
func listable(c *answer.Call, dir string) error {
	f, err := os.Open(dir)
	if err == nil {
		_ = f.Close()
		_, err = os.Lstat(dir + string(filepath.Separator) + ".") // it needs the right to enter
	}
	if !errors.Is(err, fs.ErrPermission) {
		return nil // what else there is shows in the files
	}
	return contract.Errorf(contract.KindFileUnreadable,
		contract.Facts{"file_path": dir, "reason": fs.ErrPermission.Error()},
		"listing %s: %w", c.Show(dir), fs.ErrPermission)
}

// ignored names what lspi leaves out of a folder: folders of builds and dependencies, and hidden
// folders that .gitignore names. Other files that git ignores are asked about like any, since servers
// read them.
func (f *folderSymbols) ignored(dir string, known map[string]bool) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name := e.Name()
		if known[name] || name == ".git" {
			continue
		}
		if e.IsDir() {
			// An empty folder holds nothing that could be missed.
			if within, err := os.ReadDir(filepath.Join(dir, name)); err == nil && len(within) == 0 {
				continue
			}
			name += "/"
		}
		f.Ignored = append(f.Ignored, contract.EscapeLine(name))
	}
	f.Ignored = some(f.Ignored)
}

// some returns the first names of a list, and how many there are beyond these.
func some(names []string) []string {
	if len(names) <= folderNames {
		return names
	}
	return append(names[:folderNames:folderNames], fmt.Sprintf("… %d more", len(names)-folderNames))
}

// outlineRoute returns the server for the outline of a file: the first that is installed, else the
// first, whose error says what is missing; false where no server has outlines.
func outlineRoute(c *answer.Call, path string) (router.Route, bool) {
	routes, err := c.Routes(path)
	if err != nil {
		return router.Route{}, false
	}
	routes = slices.DeleteFunc(router.For(routes, spec.RoleNavigation), func(r router.Route) bool {
		return slices.Contains(r.Spec.Lacks, lsp.MethodDocumentSymbol)
	})
	if len(routes) == 0 {
		return router.Route{}, false
	}
	i := slices.IndexFunc(routes, func(r router.Route) bool {
		return (answer.Program(c, r.Spec) != "" || r.Spec.Configured() != nil) && !loaded.IsOff(c, r.Spec)
	})
	return routes[max(i, 0)], true
}

// askFolder asks the servers of files, all at the same time. A server or a file that fails costs its
// part, with a step to ask about it alone; only when all fail the call does.
func askFolder(ctx context.Context, c *answer.Call, in getDocumentSymbolsIn, files []*folderFile) error {
	// Grouped by server and root: one question each, in which all files are asked about.
	var groups [][]*folderFile
	for _, f := range files {
		i := slices.IndexFunc(groups, func(g []*folderFile) bool {
			return g[0].route.Spec == f.route.Spec && g[0].route.Root == f.route.Root
		})
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	errs := make([]error, len(groups))
	answer.Parallel(len(groups), 0, func(i int) {
		g := groups[i]
		errs[i] = ask.Route(ctx, c, g[0].route, g[0].path, lsp.MethodDocumentSymbol,
			func(ctx context.Context, s *lsp.Snapshot) error {
				return askServer(ctx, c, s, in, g)
			})
	})
	if err := answer.ErrorOfAll(errs); err != nil {
		return err
	}
	if slices.ContainsFunc(groups, func(g []*folderFile) bool { return g[0].route.Spec != groups[0][0].route.Spec }) {
		c.AnsweredByMany()
	}
	for i, g := range groups {
		tellFailed(c, g, errs[i])
	}
	return nil
}

// askServer asks one server for the symbols of its files. That the server ended is an error; a file
// whose question fails, or for which there was no time, keeps its own.
func askServer(ctx context.Context, c *answer.Call, s *lsp.Snapshot, in getDocumentSymbolsIn,
	files []*folderFile) error {
	within := ctx
	// A little earlier than the call ends, so that the files that were answered can still be shown.
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, deadline.Add(-min(folderReserve, time.Until(deadline)/4)))
		defer cancel()
	}
	answer.Parallel(len(files), folderAtOnce, func(i int) {
		f := files[i]
		f.outline, f.err = nil, within.Err() // that of a former attempt is void
		if f.err != nil {
			return
		}
		symbols, text, err := s.DocumentSymbols(within, f.path)
		if f.err = err; err == nil {
			f.generated = answer.IsGenerated(c, f.path, text.Generated())
			f.outline = newOutline(symbols, outlineOptions{Language: s.Spec().LanguageID(symbol.Base(f.path)),
				MaxDepth: in.MaxDepth, Detail: in.Detail, Text: text, Exported: true, Path: f.path})
		}
	})
	var errs []error
	for _, f := range files {
		if ask.Final(f.err) || errors.Is(f.err, lsp.ErrRestartNeeded) {
			return f.err
		}
		errs = append(errs, f.err)
	}
	return answer.ErrorOfAll(errs)
}

// mayBePackage reports whether a path that was refused, since there is no such file, may be the name of a package.
func mayBePackage(given string, err error) bool {
	if err == nil || !packages.MayName(given) {
		return false
	}
	kind := answer.AsError(err).Kind
	return packages.IsSure(given) || kind == contract.KindFileNotFound || kind == contract.KindNoServerForExtension
}

// orPackage returns the package that a refused path names; where there is none, the error that tells more.
func orPackage(ctx context.Context, c *answer.Call, in getDocumentSymbolsIn,
	refused error) (*getDocumentSymbolsOut, error) {
	out, err := symbolsOfPackage(ctx, c, in, in.FilePath, "")
	near, _ := answer.AsError(refused).Facts["closest"].([]string)
	tells := len(near) > 0 ||
		answer.AsError(refused).Kind == contract.KindNoServerForExtension && !packages.IsSure(in.FilePath)
	if err != nil && tells && answer.AsError(err).Kind == contract.KindFileNotFound {
		return nil, refused
	}
	return out, err
}

// symbolsOfPackage returns what a package offers that sources of the workspace import, or may import, by its name.
// within is the file or folder of the project from which it is meant; "" for any.
func symbolsOfPackage(ctx context.Context, c *answer.Call, in getDocumentSymbolsIn, name,
	within string) (*getDocumentSymbolsOut, error) {
	type importer struct {
		form *packages.Form
		path string
		at   contract.Position
	}
	var all []importer
	forms, folder := packages.Of(name), within
	if within != "" && !source.IsFolder(within) {
		folder = filepath.Dir(within)
		other := func(f *packages.Form) bool { return !f.Serves(within) }
		if left := slices.DeleteFunc(slices.Clone(forms), other); len(left) > 0 {
			forms = left
		}
	}
	for _, form := range forms {
		if path, at := packages.Importing(ctx, c, form, name, folder); path != "" {
			all = append(all, importer{form, path, at})
		}
	}
	slices.SortStableFunc(all, func(a, b importer) int { return answer.TrueLast(a.at.Line == 0, b.at.Line == 0) })
	var failed error
	for _, i := range all {
		out := &getDocumentSymbolsOut{offset: in.Offset, ofFolder: true}
		err := ask.File(ctx, c, i.path, lsp.MethodDocumentSymbol, func(ctx context.Context, s *lsp.Snapshot) error {
			found, err := packages.Find(ctx, c, s, i.form, name, i.path, i.at)
			if err != nil {
				return err
			}
			return out.ofPackage(ctx, c, s, in, found)
		})
		if err == nil {
			return out, nil
		}
		if failed == nil {
			failed = err
		}
	}
	if within != "" && failed != nil { // the path stays, and the package is another one
		e := answer.AsError(failed)
		if near, _ := e.Facts["closest"].([]string); len(near) > 0 {
			e.Facts["closest"] = []string{}
			c.Step(c.Repeat("Use "+near[0]+".", map[string]any{"package": near[0]}))
		}
	}
	if failed == nil {
		failed = contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": name, "closest": []string{}},
			"there is no file or folder %s, and the workspace has no source of a language in which it may be a package", name)
	}
	return nil, failed
}

// maxSentence bounds what is shown of a documentation, in code points.
const maxSentence = 160

// ofPackage takes what the files of a package offer, with the first sentence of its documentation.
func (o *getDocumentSymbolsOut) ofPackage(ctx context.Context, c *answer.Call, s *lsp.Snapshot, in getDocumentSymbolsIn,
	found packages.Found) error {
	o.items, o.folderSymbols = nil, folderSymbols{}
	var failed []string
	for _, file := range found.Files {
		symbols, text, err := s.DocumentSymbols(ctx, file.Path)
		if err != nil {
			if lsp.FatalAnswer(err) {
				return err
			}
			failed = append(failed, file.Path)
			continue
		}
		c.RememberNamedBy(s, lsp.Place{Path: file.Path})
		language := s.Spec().LanguageID(symbol.Base(file.Path))
		outline := newOutline(symbols, outlineOptions{Language: language, MaxDepth: in.MaxDepth, Detail: in.Detail,
			Text: text, Exported: true, Path: file.Path})
		o.Deeper, o.Unexported = o.Deeper+outline.Deeper, o.Unexported+outline.Kept
		for _, i := range outline.Items {
			if !file.Offers(i.outermost()) {
				continue
			}
			if sentence := packages.Documentation(text, i.Sym); sentence != "" && i.row == nil {
				i.detail = strings.TrimPrefix(i.detail+" — "+lsp.Cut(sentence, maxSentence), " — ")
			}
			o.items = append(o.items, shownItem{outlineItem: i, file: c.Show(file.Path)})
		}
	}
	if len(o.items) == 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "files", "server_id": s.ID(), "total": len(found.Files)},
			"lspi sees no declaration that the package offers; it may make its names when it is loaded")
	}
	if n := len(failed); n+found.Left > 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "files", "server_id": s.ID(), "files": c.ShowSome(failed),
			"total": n + found.Left}, fmt.Sprintf("the package has %s more that lspi did not read",
			answer.Counted(n+found.Left, "file or name")))
	}
	return nil
}

// outermost returns the name of the declaration that an item is in, or is.
func (i *outlineItem) outermost() string {
	for i.parent != nil && !i.parent.Sym.Kind.IsScope() {
		i = i.parent
	}
	if i.group {
		return i.name
	}
	return i.Sym.Name
}

// tellFailed warns of the files of one server whose symbols are missing. err is the server's error; nil
// when it answered.
func tellFailed(c *answer.Call, files []*folderFile, err error) {
	var failed []string
	for _, f := range files {
		if err != nil { // whatever an attempt that is void has found
			f.outline = nil
		}
		if f.outline == nil {
			failed = append(failed, f.path)
		}
	}
	// The first failure stands for all of this server's files.
	if i := slices.IndexFunc(files, func(f *folderFile) bool { return f.err != nil }); err == nil && i >= 0 {
		err = files[i].err
	}
	if err == nil {
		return
	}
	e := answer.AsError(err)
	c.Warn(contract.WarnPartFailed, contract.Facts{"part": "files", "server_id": files[0].route.Spec.ID,
		"error": e.Kind, "files": c.ShowSome(failed), "total": len(failed)},
		fmt.Sprintf("the symbols of %s are missing here: %s", answer.Counted(len(failed), "file"), e.Message))
	if ask.TimedOut(err) {
		c.Step(c.Repeat("Repeat the call; the server continues to work meanwhile.", nil))
	}
	c.Step(c.Repeat("Ask about one of these files; the answer says what to do.",
		map[string]any{"file_path": c.Show(failed[0]), "offset": nil}))
}
