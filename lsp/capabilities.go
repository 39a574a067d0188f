package lsp

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/internal/source"
)

// The LSP methods that lspi uses, as the specification spells them.
const (
	MethodDeclaration     = "textDocument/declaration"
	MethodDefinition      = "textDocument/definition"
	MethodTypeDefinition  = "textDocument/typeDefinition"
	MethodImplementation  = "textDocument/implementation"
	MethodReferences      = "textDocument/references"
	MethodHover           = "textDocument/hover"
	MethodDocumentSymbol  = "textDocument/documentSymbol"
	MethodWorkspaceSymbol = "workspace/symbol"
	MethodCallHierarchy   = "textDocument/prepareCallHierarchy"
	MethodIncomingCalls   = "callHierarchy/incomingCalls"
	MethodOutgoingCalls   = "callHierarchy/outgoingCalls"
	MethodTypeHierarchy   = "textDocument/prepareTypeHierarchy"
	MethodSupertypes      = "typeHierarchy/supertypes"
	MethodSubtypes        = "typeHierarchy/subtypes"
	MethodDocumentDiag    = "textDocument/diagnostic"
	// of the server; names a question for diagnostics by any means
	MethodPublishDiag       = "textDocument/publishDiagnostics"
	MethodSignatureHelp     = "textDocument/signatureHelp"
	MethodDocumentHighlight = "textDocument/documentHighlight"
	MethodFoldingRange      = "textDocument/foldingRange"
	MethodInlayHint         = "textDocument/inlayHint"
	MethodSwitchHeader      = "textDocument/switchSourceHeader" // clangd's own, which it does not announce
	MethodDidChangeWatched  = "workspace/didChangeWatchedFiles"
	MethodExecuteCommand    = "workspace/executeCommand"
	MethodRename            = "textDocument/rename"
	MethodPrepareRename     = "textDocument/prepareRename"
	MethodCodeAction        = "textDocument/codeAction"
	MethodResolveAction     = "codeAction/resolve"
	MethodWillRename        = "workspace/willRenameFiles"
	MethodFormatting        = "textDocument/formatting"
	MethodRangeFormatting   = "textDocument/rangeFormatting"
)

// providers names the server capability that offers a method; hierarchy follow-ups are offered with their prepare
// request.
var providers = map[string]string{
	MethodDeclaration:     "declarationProvider",
	MethodDefinition:      "definitionProvider",
	MethodTypeDefinition:  "typeDefinitionProvider",
	MethodImplementation:  "implementationProvider",
	MethodReferences:      "referencesProvider",
	MethodHover:           "hoverProvider",
	MethodDocumentSymbol:  "documentSymbolProvider",
	MethodWorkspaceSymbol: "workspaceSymbolProvider",
	MethodCallHierarchy:   "callHierarchyProvider",
	MethodIncomingCalls:   "callHierarchyProvider",
	MethodOutgoingCalls:   "callHierarchyProvider",
	MethodTypeHierarchy:   "typeHierarchyProvider",
	MethodSupertypes:      "typeHierarchyProvider",
	MethodSubtypes:        "typeHierarchyProvider",
	MethodDocumentDiag:    "diagnosticProvider",
	MethodExecuteCommand:  "executeCommandProvider",
	MethodRename:          "renameProvider",
	MethodPrepareRename:   "renameProvider",
	MethodCodeAction:      "codeActionProvider",
	MethodResolveAction:   "codeActionProvider",
	MethodFormatting:      "documentFormattingProvider",
	MethodRangeFormatting: "documentRangeFormattingProvider",
}

// rawProviders are those of methods that lspi only passes on.
var rawProviders = map[string]string{
	MethodSignatureHelp:     "signatureHelpProvider",
	MethodDocumentHighlight: "documentHighlightProvider",
	MethodFoldingRange:      "foldingRangeProvider",
	MethodInlayHint:         "inlayHintProvider",
}

// capabilities is what the server said that it can do: its capabilities, kept raw because some servers give a
// provider the wrong type, and what it registered later (client/registerCapability). Registrations are kept apart
// from capabilities, because a server may take them back.
type capabilities struct {
	unannounced []string // from the spec

	mu   sync.Mutex
	caps map[string]json.RawMessage // guarded by mu; set once by the handshake
	told time.Time                  // when caps were set; guarded by mu
	// method → registration id → its watchers (nil but for watched files); guarded by mu
	registered map[string]map[string]watchList
}

// set takes the capabilities of the handshake. Before it no method is offered, so that nothing can be asked too early.
func (o *capabilities) set(caps map[string]json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.caps, o.told = caps, time.Now()
}

// since is when the handshake was; zero before it.
func (o *capabilities) since() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.told
}

// has reports whether the server answers method.
func (o *capabilities) has(method string) bool {
	if slices.Contains(o.unannounced, method) {
		return true
	}
	switch method {
	case MethodPrepareRename:
		return o.prepares()
	case MethodResolveAction:
		return o.resolves()
	case MethodWillRename:
		return o.movesFiles()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	// A server may offer a method only later, by a registration (LSP 3.17, client/registerCapability).
	if len(o.registered[method]) > 0 || len(o.registered[registrationOf(method)]) > 0 {
		return true
	}
	raw, ok := o.caps[cmp.Or(providers[method], rawProviders[method])]
	// A provider is a boolean or an object of options (LSP 3.17); anything but these two offers it.
	return ok && string(raw) != "false" && string(raw) != "null"
}

// registrationOf is the method under which a server registers a family of requests dynamically.
func registrationOf(method string) string {
	switch {
	case strings.HasPrefix(method, "callHierarchy/"):
		return MethodCallHierarchy
	case strings.HasPrefix(method, "typeHierarchy/"):
		return MethodTypeHierarchy
	}
	return method
}

// options reads the options with which the server offers a method; false when there are none.
func (o *capabilities) options(method string, into any) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return json.Unmarshal(o.caps[providers[method]], into) == nil
}

// text is a capability that is a string; "" when it is missing or something else.
func (o *capabilities) text(key string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var s string
	if json.Unmarshal(o.caps[key], &s) != nil {
		return ""
	}
	return s
}

// incremental reports whether the server takes changes of documents by their ranges (LSP 3.17,
// TextDocumentSyncKind.Incremental).
func (o *capabilities) incremental() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	raw := o.caps["textDocumentSync"] // the kind alone, or options
	var kind protocol.TextDocumentSyncKind
	if json.Unmarshal(raw, &kind) != nil {
		var options struct {
			Change protocol.TextDocumentSyncKind `json:"change"`
		}
		if json.Unmarshal(raw, &options) != nil {
			return false
		}
		kind = options.Change
	}
	return kind == protocol.TextDocumentSyncKindIncremental
}

// methods lists, sorted, which of lspi's methods the server offers.
// Methods that lspi only passes on are left out: no tool of its own depends on them.
func (o *capabilities) methods() []string {
	out := slices.Clone(o.unannounced)
	for m := range providers {
		if o.has(m) {
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// register notes a registration. Ids are kept, because a server takes a registration back by its id alone, and may
// have several of one method (a list of watchers for each folder).
func (o *capabilities) register(method, id string, watch watchList) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.registered == nil {
		o.registered = map[string]map[string]watchList{}
	}
	if o.registered[method] == nil {
		o.registered[method] = map[string]watchList{}
	}
	o.registered[method][id] = watch
}

// unregister takes a registration back; one that is not known is passed over.
func (o *capabilities) unregister(method, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if method != "" {
		delete(o.registered[method], id)
		return
	}
	for _, of := range o.registered { // the id alone is unique, and some servers send no more
		delete(of, id)
	}
}

// watchers are all file patterns that the server registered.
func (o *capabilities) watchers() []watchList {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []watchList
	for _, w := range o.registered[MethodDidChangeWatched] {
		out = append(out, w)
	}
	return out
}

// resolves reports whether the server fills in the edits of actions (LSP 3.16, CodeActionOptions.resolveProvider).
func (o *capabilities) resolves() bool {
	var p struct {
		ResolveProvider bool `json:"resolveProvider"`
	}
	return o.options(MethodCodeAction, &p) && p.ResolveProvider
}

// prepares reports whether the server answers textDocument/prepareRename (LSP 3.17, RenameOptions).
func (o *capabilities) prepares() bool {
	var p struct {
		PrepareProvider bool `json:"prepareProvider"`
	}
	return o.options(MethodRename, &p) && p.PrepareProvider
}

// movesFiles reports whether the server tells what changes with the paths of files (LSP 3.17,
// workspace.fileOperations.willRename). Its filters are not looked at: a server has no edit for what it does not know.
func (o *capabilities) movesFiles() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	var workspace struct {
		FileOperations struct {
			WillRename json.RawMessage `json:"willRename"`
		} `json:"fileOperations"`
	}
	err := json.Unmarshal(o.caps["workspace"], &workspace)
	return err == nil && len(workspace.FileOperations.WillRename) > 0 || len(o.registered[MethodWillRename]) > 0
}

// watchList is the watchers of one registration of workspace/didChangeWatchedFiles.
type watchList []watcher

// watcher is one LSP FileSystemWatcher: a glob, absolute or below base.
type watcher struct {
	base string // absolute folder; "" for a glob that speaks of whole paths or of any place
	glob string
	kind uint32 // bits: 1 create, 2 change, 4 delete
}

// watchAll is the kind of a watcher that names none (LSP 3.17, FileSystemWatcher).
const watchAll = 7

// parseWatchers reads the options of a registration; a watcher that cannot be read is left out, not guessed.
func parseWatchers(raw json.RawMessage) watchList {
	var options struct {
		Watchers []json.RawMessage `json:"watchers"`
	}
	if json.Unmarshal(raw, &options) != nil {
		return nil
	}
	var out watchList
	for _, w := range options.Watchers {
		if parsed, ok := parseWatcher(w); ok {
			out = append(out, parsed)
		}
	}
	return out
}

// A pattern that is not valid would match nothing at each change, so that it is left out here once.
func parseWatcher(raw json.RawMessage) (watcher, bool) {
	var w struct {
		GlobPattern json.RawMessage `json:"globPattern"`
		Kind        *uint32         `json:"kind"`
	}
	if json.Unmarshal(raw, &w) != nil {
		return watcher{}, false
	}
	parsed, ok := parseGlob(w.GlobPattern)
	parsed.kind = watchAll
	if w.Kind != nil && *w.Kind != 0 {
		parsed.kind = *w.Kind
	}
	return parsed, ok && doublestar.ValidatePattern(parsed.glob)
}

// parseGlob reads a Pattern or a RelativePattern (LSP 3.17), whose base is a URI or a WorkspaceFolder.
func parseGlob(raw json.RawMessage) (watcher, bool) {
	var glob string
	if json.Unmarshal(raw, &glob) == nil {
		return watcher{glob: filepath.ToSlash(glob)}, glob != ""
	}
	var relative struct {
		BaseURI json.RawMessage `json:"baseUri"`
		Pattern string          `json:"pattern"`
	}
	if json.Unmarshal(raw, &relative) != nil || relative.Pattern == "" {
		return watcher{}, false
	}
	var base string
	var folder struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(relative.BaseURI, &base) != nil && json.Unmarshal(relative.BaseURI, &folder) == nil {
		base = folder.URI
	}
	// A base of another scheme has no files on this machine.
	path, ok := URIToPath(base)
	return watcher{base: path, glob: relative.Pattern}, ok
}

// matches reports whether the watcher wants changes of path.
func (w watcher) matches(path string) bool {
	if w.base != "" {
		rel, ok := source.RelativeTo(w.base, path)
		return ok && source.Match(w.glob, filepath.ToSlash(rel))
	}
	slash := filepath.ToSlash(path)
	// A relative glob without a base is taken for any place: a notification too many costs little, one that is
	// missing makes answers stale.
	return source.Match(w.glob, slash) || !strings.HasPrefix(w.glob, "/") && source.Match("**/"+w.glob, slash)
}

// URIToPath is the path of a file URI; ok is false for any other scheme.
func URIToPath(raw string) (path string, ok bool) {
	u, err := uri.Parse(raw) // takes a missing scheme for "file", also of nothing
	if raw == "" || err != nil || !u.IsFile() {
		return "", false
	}
	return u.FsPath(), true
}
