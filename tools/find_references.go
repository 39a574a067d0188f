package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/everywhere"
	"lspi/tools/indexed"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// findReferencesIn says whose uses are wanted; MaxResults and Offset count places.
type findReferencesIn struct {
	resolve.Target
	severalIn
	IncludeDeclaration bool   `json:"include_declaration" default:"true"`
	IncludeSnippet     bool   `json:"include_snippet" default:"true"`
	MaxResults         int    `json:"max_results" default:"200" min:"1" max:"5000"`
	Offset             int    `json:"offset" default:"0" min:"0"`
	Scope              string `json:"scope"`
	answer.Caps
}

// findReferencesOut is a page of places; Files is filled in when it is written.
type findReferencesOut struct {
	answer.Page
	Files   []fileReferences `json:"files"`
	Results []symbolResult   `json:"results,omitempty" schema:"-"` // of several symbols, by [severalOut]
	// Everywhere is what a search engine finds in other repositories; nil unless the scope asks for it.
	Everywhere *everywhere.Found `json:"everywhere,omitempty" schema:"-"`

	name string // of what was asked about, as far as it was found
}

// fileReferences are the references in one file, as "line:column code".
type fileReferences struct {
	FilePath   string   `json:"file_path"`
	Count      int      `json:"count"`
	Generated  bool     `json:"generated,omitempty" schema:"-"`
	References []string `json:"references" pattern:"^\\d+:\\d+( .*)?$"`
}

// findReferences finds the uses of a symbol: textDocument/references, completed where a server is known
// to leave uses out, and audited for what may be missing.
var findReferences = alwaysLoaded(addressing(lsp.MethodReferences, define("find_references", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in findReferencesIn) (*findReferencesOut, error) {
		out, err := referencesHere(ctx, c, in)
		name := everywhere.Name(in.SymbolName)
		if out == nil {
			out = &findReferencesOut{}
		} else if out.name != "" {
			name = out.name
		}
		if err != nil && (name == "" || ask.NoServer(c, err) == nil) {
			return nil, err // about the question, as where several symbols have the name
		}
		var failed error
		if out.Everywhere, failed = everywhere.Ask(ctx, c, in.Scope, everywhere.UsesOf(name)); failed != nil {
			return nil, failed
		}
		switch {
		case err != nil && out.Everywhere != nil && out.Everywhere.Matches > 0:
			c.Warn(contract.WarnPartFailed, contract.Facts{"part": "workspace", "error": err.Error()},
				"no language server has found it in this workspace: "+err.Error())
			out.Page = c.Paged(nil, "", answer.PageArguments{})
		case err != nil:
			return nil, err
		}
		out.Page.Close(c)
		if in.Scope == "" && c.Session.Settings.Search.URL != "" {
			c.Step(c.Repeat("Search other repositories for the name, too.", map[string]any{"scope": everywhere.Scope}))
		}
		return out, nil
	}, lsp.MethodReferences)))

// referencesHere finds the uses in the workspace itself.
var referencesHere = orIndex(func(ctx context.Context, c *answer.Call, in findReferencesIn) (*findReferencesOut,
	error) {
	out := &findReferencesOut{}
	err := resolve.At(ctx, c, in.Target, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot,
		at symbol.Located) error {
		var err error
		out.name = at.Name
		out.Page, err = references(ctx, c, s, at, in.IncludeDeclaration,
			answer.PageArguments{Offset: in.Offset, Max: in.MaxResults, Snippet: in.IncludeSnippet})
		return err
	})
	return out, err
}, referencesByIndex)

// referencesByIndex finds the uses of a symbol where no server does.
func referencesByIndex(ctx context.Context, c *answer.Call, q *indexed.Question, in findReferencesIn) (
	*findReferencesOut, error) {
	sym, err := q.At(ctx, in.Target)
	if err != nil {
		return nil, err
	}
	places, err := q.References(ctx, sym, in.IncludeDeclaration)
	if err != nil {
		return nil, err
	}
	out := &findReferencesOut{name: sym.NameWord(), Page: c.Paged(places, sym.Path,
		answer.PageArguments{Offset: in.Offset, Max: in.MaxResults, Snippet: in.IncludeSnippet})}
	q.Conclude(ctx, sym.Scope(true))
	return out, nil
}

// references returns a page of [allReferences]. symbol_bundle asks by it as well, so the two tools
// never differ.
func references(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, declaration bool,
	a answer.PageArguments) (answer.Page, error) {
	places, err := allReferences(ctx, c, s, at, declaration)
	if err != nil {
		return answer.Page{}, err
	}
	return c.Paged(places, at.Path, a), nil
}

// allReferences are the uses of what is at a place, with all that tells whether they are all.
func allReferences(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	declaration bool) ([]lsp.Place, error) {
	return referencesWith(ctx, c, s, at, declaration, audit.Uses)
}

// referencesWith is [allReferences] with what audits the uses, and returns those that the server does not list.
func referencesWith(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, declaration bool,
	uses func(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known []lsp.Place,
		declaration bool) []lsp.Place) ([]lsp.Place, error) {
	places, err := lsp.ReferencesAndFields(ctx, s, at.Path, at.At, declaration)
	// The places that were found are right, so that they are shown, as a partial answer.
	if errors.Is(err, lsp.ErrManyEmbed) {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "embedded fields", "server_id": s.ID()}, fmt.Sprintf(
			"more structs embed %s than lspi asks about; uses of its fields through the others are missing here",
			at.Name))
	} else if err != nil {
		return nil, err
	}
	// With the number that the server gave, before anything is added: only that tells whether it cut its list.
	c.WarnServerLimit(s, lsp.MethodReferences, len(places))
	if places, err = lsp.ReferencesInStub(ctx, s, at.Path, at.At, declaration, places); err != nil {
		return nil, err
	}
	var declared []lsp.Place
	if !declaration { // what declares the symbol needs no explanation, and does not come back as a use
		declared, err = lsp.ReferencesAndFields(ctx, s, at.Path, at.At, true)
		if err != nil && !errors.Is(err, lsp.ErrManyEmbed) {
			return nil, err
		}
	}
	// References without the place that was asked about are not all: clangd 22.1.8 gives none for a name in the
	// text of a macro.
	places = audit.WithAskedPlace(ctx, c, s, at, declaration, places, declared)
	others := audit.OfOneProgram(ctx, c, s, at, places)
	places = slices.DeleteFunc(places, others)
	known := slices.Concat(places, declared)
	aliased := byAliases(ctx, c, s, known)
	places, known = append(places, aliased...), append(known, aliased...)
	// From here on the places are complete, as far as lspi can make them so; what follows only tells what may still
	// be missing.
	c.RememberAllNamedBy(s, places)
	loaded.AboutAt(c, s, at, places)
	loaded.UsesRenamed(ctx, c, s, at, places)
	places = append(places, slices.DeleteFunc(uses(ctx, c, s, at, known, declaration), others)...)
	// No use at all is mostly a name that the server does not know, which is another answer.
	if len(places) == 0 {
		loaded.Unresolved(ctx, c, s, at)
	} else {
		loaded.ImportUsed(ctx, c, s, at, places)
	}
	return places, nil
}

// mayUse are the uses of what is at a place, and what may be one ([tests.Uses]). At a server that does not join the
// uses of a member with those of what it overrides, the declarations of these are among them; their uses are followed,
// too.
func mayUse(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) ([]lsp.Place, error) {
	return referencesWith(ctx, c, s, at, s.Hooks().Overrides != nil, audit.MayUse)
}

// byAliases are the uses by other names that imports and exports give to what is at places.
func byAliases(ctx context.Context, c *answer.Call, s *lsp.Snapshot, places []lsp.Place) []lsp.Place {
	uses, all := lsp.UsesByAlias(ctx, s, places)
	if !all {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "aliases", "server_id": s.ID()},
			"lspi could not look for all uses that have another name given by an import or an export")
	}
	return uses
}

// MarshalJSON groups the page by file.
func (o findReferencesOut) MarshalJSON() ([]byte, error) {
	type plain struct {
		answer.PageHead
		Files      []fileReferences  `json:"files"`
		Everywhere *everywhere.Found `json:"everywhere,omitempty"`
	}
	files := []fileReferences{}
	o.Page.Group(func(file string, generated bool, lines []string) {
		files = append(files, fileReferences{file, len(lines), generated, lines})
	})
	return contract.Marshal(plain{o.Page.Head(), files, o.Everywhere})
}

func (o findReferencesOut) Summary() string {
	return o.Page.Summary("reference")
}

// Cut keeps the first n places.
func (o *findReferencesOut) Cut(n int) any {
	return &findReferencesOut{Page: o.Page.First(n), Everywhere: o.Everywhere}
}

// Tell writes the page, and what was found in other repositories.
func (o *findReferencesOut) Tell(s *answer.Sheet) {
	o.Page.Tell(s)
	o.Everywhere.Tell(s)
}
