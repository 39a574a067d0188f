package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// editSymbolIn says which declaration is edited, and how. NewText need not be indented: it gets the
// indentation of its place.
type editSymbolIn struct {
	resolve.Target
	Operation string `json:"operation" required:"true" enum:"replace,replace_body,insert_before,insert_after,delete"`
	NewText   string `json:"new_text"`
	edits.ApplyIn
}

// editSymbolOut is the edited symbol with its change.
type editSymbolOut struct {
	Symbol string `json:"symbol"`
	Kind   string `json:"kind"`
	edits.ChangeOut
}

// editSymbol edits a declaration by the name of its symbol, so that the caller need not quote the text
// that it replaces. Where the declaration stands comes from textDocument/documentSymbol; what belongs
// to it around that, from the text ([edits.Declaration]).
var editSymbol = addressing(lsp.MethodDocumentSymbol, define("edit_symbol", answer.Write,
	func(ctx context.Context, c *answer.Call, in editSymbolIn) (*editSymbolOut, error) {
		if err := in.Check(); err != nil {
			return nil, err
		}
		out := &editSymbolOut{}
		var ch *edits.Proposed
		var changed []symbol.Located
		// The exact place and no guess, as for a rename.
		method := lsp.MethodDocumentSymbol
		if in.Operation == "delete" {
			method = lsp.MethodReferences // whose answer the deletion rests on
		}
		err := resolve.AtExactly(ctx, c, in.Target, method,
			func(ctx context.Context, s *lsp.Snapshot, at symbol.Located) error {
				sym, edited, err := editedSymbol(ctx, c, s, at, in)
				if err != nil {
					return err
				}
				out.Symbol, out.Kind = sym.Name, string(sym.Kind)
				ch = edited
				if text, err := c.Workspace.Text(at.Path); err == nil && in.Operation == "replace" {
					changed = edits.ChangedIn(s.Spec().Dynamic, text, sym, in.NewText)
				}
				return nil
			})
		if err == nil {
			edits.TellMoved(ctx, c, ch.Servers[0], ch.Texts())
			edits.TellChanged(ctx, c, ch, changed)
		}
		// Of what is deleted the references are known already.
		if err == nil && in.Writes() && in.Operation != "delete" {
			edits.AddUsers(ctx, c, ch)
		}
		if err == nil && in.Writes() {
			edits.AddIncluders(ctx, c, ch)
		}
		if err == nil {
			out.ChangeOut, err = edits.ShowOrApply(ctx, c, ch, in.ApplyIn)
		}
		if err != nil {
			return nil, err
		}
		return out, nil
	}))

// Check refuses a new text with delete, and its lack with anything else.
func (in editSymbolIn) Check() error {
	switch deletes := in.Operation == "delete"; {
	case deletes && in.NewText != "":
		return answer.Invalid("new_text", "is given, and delete takes none")
	case !deletes && strings.TrimSpace(in.NewText) == "":
		return answer.Missing("new_text")
	}
	return in.Target.Check()
}

// editedSymbol plans the edit of the declaration at a place.
func editedSymbol(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	in editSymbolIn) (lsp.Symbol, *edits.Proposed, error) {
	symbols, text, err := s.DocumentSymbols(ctx, at.Path)
	if err != nil {
		return lsp.Symbol{}, nil, err
	}
	way := symbol.NameAt(symbols, at.At)
	if in.Line == 0 && len(way) > 0 {
		if way, err = oneDeclaration(ctx, c, s, symbols, text, way, in); err != nil {
			return lsp.Symbol{}, nil, err
		}
	}
	if len(way) == 0 && definesMacro(text, at) {
		c.Step(contract.NextStep{Kind: contract.StepDoc, Message: fmt.Sprintf(
			"Edit the text of %s from line %d on; find_references has the uses of %s.", c.Show(at.Path), at.At.Line, at.Name)})
		return lsp.Symbol{}, nil, contract.Errorf(contract.KindNotAnIdentifier,
			contract.Facts{"file_path": at.Path, "line": at.At.Line, "character": at.At.Character},
			"%s at %s:%d is a macro, which is edited by its text: the outline of the file has no macros", at.Name,
			c.Show(at.Path), at.At.Line)
	}
	if len(way) == 0 {
		c.Instead("find_definition", "Find the declaration, and edit it there.")
		return lsp.Symbol{}, nil, contract.Errorf(contract.KindNotAnIdentifier,
			contract.Facts{"file_path": at.Path, "line": at.At.Line, "character": at.At.Character},
			"%s:%d is a use of %s or a local name, and not a declaration in the outline of the file", c.Show(at.Path),
			at.At.Line, at.Name)
	}
	sym := way[len(way)-1]
	d, err := edits.DeclarationOf(text, sym)
	if err != nil {
		return sym, nil, err
	}
	after := ""
	switch in.Operation {
	case "replace":
		after = d.Replace(in.NewText)
	case "replace_body":
		after, err = d.ReplaceBody(in.NewText)
	// The text without it is computed before it is certain that it may go, since that costs nothing and
	// the checks cost requests.
	case "delete":
		if after, err = d.Delete(), unused(ctx, c, s, sym, at, d); err == nil {
			err = unseenUses(ctx, c, s, way, text, d)
		}
	default:
		after = d.Insert(in.NewText, in.Operation == "insert_after")
	}
	if err == nil {
		err = edits.Unpaired(at.Path, in.NewText)
	}
	if err == nil {
		err = edits.Unclosed(c, at.Path, text.Content(), after)
	}
	if err == nil && after == text.Content() {
		err = answer.Invalid("new_text", "is what is there already")
	}
	if err != nil {
		return sym, nil, err
	}
	// The edit is lspi's own, so it is planned from texts and not from an edit of the server's.
	plan, err := edits.PlanTexts(c, []edit.TextChange{{Path: at.Path, Before: text.Content(), After: after}})
	if err != nil {
		return sym, nil, err
	}
	planned := &lsp.Planned{Plan: plan}
	edits.CompilerOnlyOfPlan(ctx, c, s, planned)
	return sym, edits.ProposedBy(c, s, planned), nil
}

// definesMacro reports whether a macro of C is defined at a place.
func definesMacro(text *source.Text, at symbol.Located) bool {
	offset, err := text.Offset(at.At)
	isThis := func(m lang.Macro) bool { return m.At == offset }
	return err == nil && lang.Of(at.Path).IsC() && slices.ContainsFunc(lang.Macros(text.Content()), isThis)
}

// oneDeclaration returns the way to the declaration that a name alone means for an edit, where the one that way leads
// to may share the name with others of its scope that are one symbol to the server: overloads, a getter and a setter,
// merged interfaces, functions of a try and its except. Only one with a body has one to replace, and of a function of C
// or C++ the definition is meant; else the name is ambiguous.
func oneDeclaration(ctx context.Context, c *answer.Call, s *lsp.Snapshot, symbols []lsp.Symbol, text *source.Text,
	way []lsp.Symbol, in editSymbolIn) ([]lsp.Symbol, error) {
	own := way[len(way)-1]
	all := symbol.Flatten(symbols, nil, nil)
	i := slices.IndexFunc(all, func(n symbol.Named) bool { return n.Sym.NameAt == own.NameAt })
	if i < 0 {
		return way, nil
	}
	parts := all[i].Parts
	twins := slices.DeleteFunc(all, func(n symbol.Named) bool {
		return !slices.Equal(n.Parts, parts) || in.SymbolKind != "" && string(n.Sym.Kind) != in.SymbolKind
	})
	bodies := slices.DeleteFunc(slices.Clone(twins), func(n symbol.Named) bool {
		d, err := edits.DeclarationOf(text, n.Sym)
		return err != nil || !d.HasBody()
	})
	if len(bodies) > 0 && (in.Operation == "replace_body" || lang.Of(text.Path).IsC()) {
		twins = bodies
	}
	loaded.WarnOutline(ctx, c, s, text, symbols, symbol.LastComponent(own.Name))
	if len(twins) > 1 {
		return nil, resolve.Ambiguous(c, s, text, text.Path, in.SymbolName, twins)
	}
	return symbol.NameAt(symbols, twins[0].Sym.NameAt.Start), nil
}

// maxMembers bounds the members of a type whose uses are asked for before it is deleted.
const maxMembers = 40

// local are the kinds of symbols whose members nothing outside can use.
var local = map[lsp.SymbolKind]bool{"function": true, "method": true, "constructor": true, "variable": true,
	"constant": true, "field": true, "property": true}

// unused is nil only when it is certain that nothing outside of a declaration uses it, or what it
// declares: the references are complete, and none lies outside. A deletion that breaks a use is not
// undone by anybody.
func unused(ctx context.Context, c *answer.Call, s *lsp.Snapshot, sym lsp.Symbol, at symbol.Located,
	d *edits.Declaration) error {
	var uses []string
	all := []symbol.Named{{Sym: sym}}
	// The members go with their type, so they must be unused, too.
	if !local[sym.Kind] {
		all = symbol.Flatten([]lsp.Symbol{sym}, nil, nil)
	}
	if len(all) > maxMembers {
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "many_members", "server_id": s.ID()},
			"%s declares %d symbols, and lspi asks for the uses of at most %d; delete its members first", sym.Name,
			len(all), maxMembers)
	}
	for _, one := range all {
		if symbol.Nameless(one.Sym.Name) {
			continue
		}
		places, err := allReferences(ctx, c, s, symbol.Located{Path: at.Path, At: one.Sym.NameAt.Start,
			Name: symbol.LastComponent(one.Sym.Name), Sym: &one}, true)
		if err != nil {
			return err
		}
		for _, p := range answer.SortPlaces(places, at.Path) {
			if shown := fmt.Sprintf("%s:%d:%d", c.Show(p.Path), p.Range.Start.Line,
				p.Range.Start.Character); !d.Contains(p) && !slices.Contains(uses, shown) {
				uses = append(uses, shown)
			}
		}
	}
	if len(uses) > 0 {
		c.Instead("find_references", "See all of its uses.")
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "used", "server_id": s.ID(),
			"lines": uses[:min(len(uses), 20)]},
			"%s has %s outside of its declaration, such as %s; lspi deleted nothing", sym.Name,
			answer.Counted(len(uses), "use"), uses[0])
	}
	// "No use was found" is no reason to delete while something may be missing.
	if claim := c.Claim(); claim != contract.Complete {
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "uses_unknown", "server_id": s.ID()},
			"lspi found no use of %s, but the search for them is %s; lspi deleted nothing", sym.Name, claim)
	}
	return nil
}

// undeletable are the kinds of symbols that may be used without a reference: by position, by name at
// run time, or implicitly.
var undeletable = map[lsp.SymbolKind]bool{"field": true, "property": true, "constructor": true, "operator": true,
	"event": true,
	"file":  true, "module": true, "namespace": true, "package": true}

// bases matches what follows the name of a type that has base types or interfaces.
var bases = source.LazyRegexp(`\b(extends|implements)\b|:[ \t]*[A-Za-z_]|\([ \t]*[A-Za-z_]`)

// unseenUses is the error where something may use a declaration without a reference: a base type that
// calls a member of its name, a decorator that registers it, a run time that knows the kind or the
// name. For members it also refuses where the name stands in any other code.
func unseenUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, way []lsp.Symbol, text *source.Text,
	d *edits.Declaration) error {
	sym := way[len(way)-1]
	name := symbol.LastComponent(sym.Name)
	refuse := func(format string, args ...any) error {
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "uses_unknown", "server_id": s.ID()},
			"no reference uses %s, but %s; lspi deleted nothing", sym.Name, fmt.Sprintf(format, args...))
	}
	if line := d.Registered(); line != "" {
		return refuse("%q may use it", answer.CutText(line, 80))
	}
	if undeletable[sym.Kind] || strings.HasPrefix(name, "__") || strings.HasPrefix(name, "~") {
		return refuse("a %s may be used without its name", sym.Kind)
	}
	if rest, ok := strings.CutPrefix(name, "operator"); ok && !lang.IsName(rest) {
		return refuse("an operator may be used without its name")
	}
	if use := lsp.UnseenUse(ctx, s, lsp.Place{Path: d.Path(), Range: sym.NameAt}, name, ""); use != "" {
		return refuse("%s", use)
	}
	// A method of Go has its receiver in its name; elsewhere the symbol around it tells.
	member := len(symbol.Components(sym.Name)) > 1 || strings.HasPrefix(sym.Name, "(")
	if len(way) > 1 && !undeletable[way[len(way)-2].Kind] {
		member = true
		parent := way[len(way)-2]
		// The head of the type: from its name to where its body begins.
		from, err := text.Offset(parent.NameAt.End)
		head, _, _ := strings.Cut(text.Content()[min(from, len(text.Content())):], "{")
		head, _, _ = strings.Cut(head, ":\n")
		if err != nil || strings.Contains(parent.Name, " for ") || bases.MatchString(answer.CutText(head, 400)) {
			return refuse("it may override or implement a member of that name of what %s derives from", parent.Name)
		}
	}
	if !member {
		return nil
	}
	// The server itself may know that the member belongs to an interface.
	if places, err := s.Locate(ctx, lsp.MethodImplementation, d.Path(),
		sym.NameAt.Start); s.Offers(lsp.MethodImplementation) &&
		(err != nil || slices.ContainsFunc(places, func(p lsp.Place) bool {
			return !d.Contains(p)
		})) {
		return refuse("it implements, or is implemented by, another method")
	}
	// A member may be called through a value whose type the server does not know. Then only its name is
	// in the text.
	for _, path := range slices.Sorted(slices.Values(loaded.Sources(c, s, c.Workspace.Root))) {
		other, err := c.Workspace.Text(path)
		if err != nil {
			return refuse("lspi cannot read %s", c.Show(path))
		}
		for n := 1; n <= other.Lines() && strings.Contains(other.Content(), name); n++ {
			at := lsp.Place{Path: path, Range: contract.Range{Start: contract.Position{Line: n, Character: 1}}}
			if line := other.Line(n); !d.Contains(at) && len(source.Occurrences(line, name)) > 0 &&
				len(lang.InCode(path, line, source.Occurrences(line, name))) > 0 {
				return refuse("its name stands at %s:%d", c.Show(path), n)
			}
		}
	}
	return nil
}

// MarshalJSON writes the symbol before the change.
func (o editSymbolOut) MarshalJSON() ([]byte, error) {
	if o.Short() {
		return contract.Marshal(o.ChangeOut.Shown())
	}
	type plain struct {
		Symbol string `json:"symbol"`
		Kind   string `json:"kind"`
		edits.ChangeFields
	}
	return contract.Marshal(plain{o.Symbol, o.Kind, o.ChangeOut.Shown()})
}

// Cut keeps the changes of the first files.
func (o *editSymbolOut) Cut(n int) any {
	less := *o
	less.ChangeOut = o.ChangeOut.First(n)
	return &less
}

// Summary is the text beside the answer.
func (o *editSymbolOut) Summary() string {
	return fmt.Sprintf("%s: %s", o.Symbol, o.ChangeOut.Summary())
}
