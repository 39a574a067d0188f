package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
)

// lspRequestIn is the request. Its document is named by params or by file_path, its server by the
// document or by server_id. Offset counts the elements of a list.
type lspRequestIn struct {
	Method   string                     `json:"method" required:"true"`
	Params   map[string]json.RawMessage `json:"params"`
	FilePath string                     `json:"file_path"`
	ServerID string                     `json:"server_id"`
	Offset   int                        `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// lspRequestOut is the answer as the server wrote it. Only a list can be cut, so only of a list there are totals.
type lspRequestOut struct {
	Encoding string          `json:"position_encoding"`
	Total    *int            `json:"total,omitempty"`
	Returned *int            `json:"returned,omitempty"`
	Result   json.RawMessage `json:"result"`

	items  []json.RawMessage // nil when the answer is no list
	offset int
}

// lspRequest passes one LSP request on to a server and returns its result unchanged, positions in the
// server's own encoding. It is off unless the configuration names methods, and only passes methods that
// a row of the catalogue lists as reading.
var lspRequest = define("lsp_request", answer.Raw,
	func(ctx context.Context, c *answer.Call, in lspRequestIn) (*lspRequestOut, error) {
		// Nothing is asked before it is certain that the request only reads: an unknown method may do anything.
		request, err := rawRequest(c, in.Method)
		if err != nil {
			return nil, err
		}
		if err := in.plain(request); err != nil {
			return nil, err
		}
		routes, path, err := rawRoutes(ctx, c, in, request)
		if err != nil {
			return nil, err
		}
		a := rawAnswer{c: c, in: in, request: request}
		return a.ask(ctx, routes, path)
	})

// rawRequest returns the request of this name when it may be passed on: a row of a server in use says
// that it only reads, and the configuration names it. The error says which of these is missing.
func rawRequest(c *answer.Call, method string) (spec.RawRequest, error) {
	allowed := c.Session.Settings.RawMethods
	for _, r := range lsp.RawRequests(c.Workspace.Table.Specs) {
		if r.Method == method && slices.Contains(allowed, method) {
			return r, nil
		}
	}
	near := lsp.ClosestMethod(method, allowed)
	switch {
	case slices.Contains(allowed, method): // of a row that is not in use
		return spec.RawRequest{}, contract.Errorf(contract.KindRequestUnsupported, contract.Facts{"method": method},
			"no server in use has %s", method)
	// The method is harmless, and the user has not allowed it: another remedy than for a method that does not exist.
	case slices.Contains(lsp.RawMethods(c.Workspace.Table.Specs), method):
		return spec.RawRequest{}, contract.Errorf(contract.KindToolDisabled,
			contract.Facts{"tool": c.Tool.Name, "key": "mcp.tools.lsp_request", "method": method},
			"mcp.tools.lsp_request of the configuration does not name %s; it allows %s", method,
			strings.Join(allowed, ", "))
	case near != "":
		return spec.RawRequest{}, answer.Invalid("method", "cannot be %q: did you mean %s?", method, near)
	}
	return spec.RawRequest{}, answer.Invalid("method", "cannot be %q, which no configuration allows: only methods that "+
		"read are passed on; here %s", method, strings.Join(allowed, ", "))
}

// plain refuses parameters that would make the server answer in parts, which nobody would join.
func (in lspRequestIn) plain(r spec.RawRequest) error {
	// With a token the server sends its answer by $/progress, and the response is empty.
	for _, token := range []string{"partialResultToken", "workDoneToken"} {
		if _, given := in.Params[token]; given {
			return answer.Invalid("params", "must not have %s", token)
		}
	}
	if r.Names != spec.RawNone && in.document(r) == "" && in.FilePath == "" {
		return answer.Missing("file_path")
	}
	return nil
}

// document returns the URI of the document that the parameters name themselves; "" when they leave it
// to file_path.
func (in lspRequestIn) document(r spec.RawRequest) string {
	var named struct {
		URI string `json:"uri"`
	}
	switch r.Names {
	case spec.RawField:
		_ = json.Unmarshal(in.Params["textDocument"], &named)
	case spec.RawWhole:
		_ = json.Unmarshal(in.Params["uri"], &named.URI)
	}
	return named.URI
}

// rawRoutes returns the servers to ask, in order of preference, and the file that the request is about;
// "" for none.
func rawRoutes(ctx context.Context, c *answer.Call, in lspRequestIn, r spec.RawRequest) (routes []router.Route,
	path string, err error) {
	given := in.FilePath
	if u := in.document(r); u != "" {
		plain, ok := answer.FileURI(u)
		if !ok {
			return nil, "", answer.Invalid("params", "must name the document by a file:// URI, not %q",
				answer.CutText(u, 100))
		}
		// Two documents would be one too many: the one that is opened has to be the one that is asked about.
		if given != "" {
			return nil, "", answer.Invalid("params", "must not name a document when file_path is given")
		}
		given = plain
	}
	// Without a document nothing tells which server is meant.
	if given == "" {
		if in.ServerID == "" {
			return nil, "", answer.Missing("server_id")
		}
		routes, err = routesOf(ctx, c, in.ServerID)
		return routes, "", err
	}
	// The document has to be one that a call may ask about, like any file_path.
	if path, err = c.Path(given); err != nil {
		return nil, "", err
	}
	if routes, err = c.Routes(path); err != nil || in.ServerID == "" {
		return router.For(routes, spec.RoleNavigation), path, err
	}
	if _, err := c.Workspace.Table.Server(in.ServerID); err != nil {
		return nil, "", err
	}
	routes = slices.DeleteFunc(slices.Clone(routes), func(r router.Route) bool { return r.Spec.ID != in.ServerID })
	if len(routes) == 0 {
		err = answer.Invalid("server_id", "names %s, which does not serve %s", in.ServerID, c.Show(path))
	}
	return routes, path, err
}

// rawAnswer is one request while it is asked. out is the answer of the last attempt; nil before.
type rawAnswer struct {
	c       *answer.Call
	in      lspRequestIn
	request spec.RawRequest
	out     *lspRequestOut
}

// ask asks the first server that can answer.
func (a *rawAnswer) ask(ctx context.Context, routes []router.Route, path string) (*lspRequestOut, error) {
	var first error
	for _, roots := range ask.ByServer(routes) {
		err := ask.Route(ctx, a.c, roots[0], path, a.request.Method, func(ctx context.Context, s *lsp.Snapshot) error {
			// A request about the workspace is about all roots of the process.
			if path == "" {
				if err := ask.OpenRoots(ctx, a.c, s, roots[1:]); err != nil {
					return err
				}
			}
			return a.pass(ctx, s, path)
		})
		if err == nil {
			return a.out, nil
		}
		// The first error is that of the preferred server.
		if first == nil {
			first = err
		}
		if !ask.Elsewhere(err) {
			return nil, err
		}
	}
	if first == nil {
		first = contract.Errorf(contract.KindRequestUnsupported, contract.Facts{"method": a.request.Method,
			"file_path": path},
			"no configured server answers %s for %s", a.request.Method, a.c.Show(path))
	}
	return nil, first
}

// pass passes the request on once.
func (a *rawAnswer) pass(ctx context.Context, s *lsp.Snapshot, path string) error {
	raw, err := s.Raw(ctx, a.request, path, a.in.Params)
	if err != nil {
		return err
	}
	a.out = &lspRequestOut{Encoding: s.Encoding().String(), Result: raw, offset: a.in.Offset}
	// The field is always there, and null is what the server answered.
	if raw == nil {
		a.out.Result = json.RawMessage("null")
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil && items != nil {
		a.c.WarnServerLimit(s, a.request.Method, len(items))
		total := len(items)
		a.out.Total, a.out.items = &total, items[min(a.in.Offset, total):]
	}
	// Nothing is known of what the request is about, so every file that the server did not read may change its answer.
	if ask.OfWholeProject(a.c, a.request.Method) {
		loaded.Excluded(ctx, a.c, s, path, func(string) bool {
			return false
		}, func(string, *lang.Mentions) bool { return true })
	}
	a.places(s, raw)
	return nil
}

// places looks at the files that an answer names. Files that are gone show that it is of an older
// state; sources of dependencies may be asked about from now on.
func (a *rawAnswer) places(s *lsp.Snapshot, raw json.RawMessage) {
	var parsed any
	if json.Unmarshal(raw, &parsed) != nil {
		return
	}
	files := map[string]bool{}
	namedFiles(parsed, files)
	var gone []string
	// Told, and not taken out of the answer: it is passed on as the server wrote it.
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			gone = append(gone, a.c.Show(path))
			continue
		}
		a.c.RememberNamedBy(s, lsp.Place{Path: path})
	}
	if len(gone) > 0 {
		a.c.Warn(contract.WarnStaleDropped, contract.Facts{"files": gone[:min(len(gone), 10)]},
			fmt.Sprintf("the answer names %s that no longer exist; lspi left it as the server wrote it",
				answer.Counted(len(gone), "file")))
	}
}

// namedFiles collects the files that an answer names in a member uri or targetUri.
func namedFiles(v any, into map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			namedFiles(item, into)
		}
	case map[string]any:
		for key, value := range v {
			// The two names under which LSP puts a place; other strings that look like URIs may be anything.
			if text, ok := value.(string); ok && (key == "uri" || key == "targetUri") {
				if path, ok := lsp.URIToPath(text); ok {
					into[path] = true
				}
				continue
			}
			namedFiles(value, into)
		}
	}
}

// MarshalJSON writes the window of a list.
func (o lspRequestOut) MarshalJSON() ([]byte, error) {
	type plain lspRequestOut
	p := plain(o)
	if o.items != nil {
		returned := len(o.items)
		list, err := contract.Marshal(o.items)
		if err != nil {
			return nil, err
		}
		p.Returned, p.Result = &returned, list
	}
	return contract.Marshal(p)
}

func (o *lspRequestOut) Summary() string {
	if o.Total != nil {
		return fmt.Sprintf("The server answered with a list of %d.", *o.Total)
	}
	return "The server answered."
}

// Size counts the elements of a list; an answer that is no list cannot be cut.
func (o *lspRequestOut) Size() int { return len(o.items) }

func (o *lspRequestOut) Cut(n int) any {
	less := *o
	n = min(n, len(o.items)) // what is no list has none
	// items stays non-nil for a list of none: nil means that the answer is no list.
	less.items = o.items[:n:n]
	return &less
}

// Headline says how positions count, since lspi does not change them here.
func (o *lspRequestOut) Headline() string {
	text := "positions are LSP's, in " + o.Encoding
	if o.Total != nil {
		text += fmt.Sprintf("; %d of a list of %d", len(o.items), *o.Total)
	}
	return text + "."
}

// Tell writes JSON, since that is what was asked for; the items of a list stand on a line each.
func (o *lspRequestOut) Tell(s *answer.Sheet) {
	if o.items == nil {
		s.Block(string(o.Result))
	}
	for _, item := range o.items {
		s.Block(string(item))
	}
}

func (o *lspRequestOut) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.offset + n}
}
