package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/move"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// renameSymbolIn says which symbol gets which name; the target has to mean exactly one place.
type renameSymbolIn struct {
	resolve.Target
	NewName string `json:"new_name"`
	NewPath string `json:"new_path"`
	edits.ApplyIn
}

// renameSymbolOut is the change with both names.
type renameSymbolOut struct {
	OldName string `json:"old_name"`
	NewName string `json:"new_name"`
	edits.ChangeOut
}

// renameSymbol renames a symbol in all files: textDocument/prepareRename and rename, previewed before
// anything is written. The audit of its uses decides whether a step to apply is offered.
var renameSymbol = alwaysLoaded(addressing(lsp.MethodRename, define("rename_symbol", answer.Write,
	func(ctx context.Context, c *answer.Call, in renameSymbolIn) (*renameSymbolOut, error) {
		// Before a server is asked: some take any text for a name.
		if err := in.Check(); err != nil {
			return nil, err
		}
		out := &renameSymbolOut{NewName: in.NewName}
		var ch *edits.Proposed
		switch {
		case in.NewPath != "" && in.namesSymbol():
			return movedSymbol(ctx, c, in)
		case in.NewPath != "":
			return moved(ctx, c, in)
		}
		// The exact position and no guess: a rename of the wrong symbol is worse than none.
		err := resolve.AtExactly(ctx, c, in.Target, lsp.MethodRename, func(ctx context.Context, s *lsp.Snapshot,
			at symbol.Located) error {
			var err error
			out.OldName = at.Name
			ch, err = rename(ctx, c, s, at, in.NewName)
			return err
		})
		if err == nil {
			err = ch.CheckTrusted()
		}
		if err != nil {
			return nil, err
		}
		if in.Writes() {
			edits.AddUsersOfRenamed(ctx, c, ch)
		}
		out.ChangeOut, err = edits.ShowOrApply(ctx, c, ch, in.ApplyIn)
		if err != nil {
			return nil, err
		}
		return out, nil
	})))

// moved moves a file or folder, instead of a rename.
func moved(ctx context.Context, c *answer.Call, in renameSymbolIn) (*renameSymbolOut, error) {
	ch, from, err := move.Plan(ctx, c, in.FilePath, in.NewPath)
	if err == nil {
		err = ch.CheckTrusted()
	}
	if err != nil {
		return nil, err
	}
	out := &renameSymbolOut{OldName: c.Show(from), NewName: c.Show(c.AbsolutePath(in.NewPath))}
	out.ChangeOut, err = edits.ShowOrApply(ctx, c, ch, in.ApplyIn)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// movedSymbol moves a declaration to another file, instead of a rename.
func movedSymbol(ctx context.Context, c *answer.Call, in renameSymbolIn) (*renameSymbolOut, error) {
	var ch *edits.Proposed
	out := &renameSymbolOut{}
	// By its references, on which the move rests.
	err := resolve.AtExactly(ctx, c, in.Target, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot,
		at symbol.Located) error {
		var err error
		out.OldName = at.Name + " of " + c.Show(at.Path)
		ch, err = move.PlanSymbol(ctx, c, s, at, in.NewPath, usesToMove)
		return err
	})
	if err == nil {
		err = ch.CheckTrusted()
	}
	if err != nil {
		return nil, err
	}
	out.NewName = c.Show(c.AbsolutePath(in.NewPath))
	out.ChangeOut, err = edits.ShowOrApply(ctx, c, ch, in.ApplyIn)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// usesToMove are all uses of what moves, with its declaration.
func usesToMove(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) ([]lsp.Place, error) {
	return allReferences(ctx, c, s, at, true)
}

// maxNewName bounds a name, in code points.
const maxNewName = 200

// Check refuses what is a name in no language; the rest is for the language's rules and the server to
// judge.
func (in renameSymbolIn) Check() error {
	switch name := in.NewName; {
	case in.NewPath != "":
		return in.checkMove()
	case name == "":
		return answer.Missing("new_name")
	case len([]rune(name)) > maxNewName:
		return answer.Invalid("new_name", "has more than %d characters", maxNewName)
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return answer.Invalid("new_name", "contains white space: %q", name)
	}
	return in.Target.Check()
}

// checkMove refuses a new name beside a new path.
func (in renameSymbolIn) checkMove() error {
	switch {
	case in.NewName != "":
		return answer.Invalid("new_name", "is given beside new_path; a call renames or moves")
	case strings.ContainsFunc(in.NewPath, unicode.IsControl):
		return answer.Invalid("new_path", "contains a control character: %q", in.NewPath)
	case in.namesSymbol():
		return in.Target.Check()
	case in.FilePath == "":
		return answer.Missing("file_path")
	}
	return nil
}

// namesSymbol reports whether the call is about a symbol, and not about a whole file or folder.
func (in renameSymbolIn) namesSymbol() bool {
	return in.SymbolName != "" || in.Line > 0 || in.Character > 0
}

// rename asks for the edit and plans it. When a replacement would not replace the name although the
// server had the very text, it is asked once more: a change came while it worked.
func rename(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, name string) (*edits.Proposed,
	error) {
	if name == at.Name {
		return nil, answer.Invalid("new_name", "is already the name: %s", name)
	}
	// Its refusal is in the server's words and comes before the costly edit.
	prepared, told, err := s.PrepareRename(ctx, at.Path, at.At)
	if err != nil {
		return nil, err
	}
	// What a replacement may take away: the word, or what the server says that it renames.
	names := []string{at.Name}
	// The server may rename more, or less, than the word at the position ("'a" of a lifetime).
	if told {
		if text, err := s.Documents().Text(at.Path); err == nil {
			names = append(names, text.Within(prepared))
		}
	}
	// Where the old name is no plain name either (an operator, a lifetime), the server decides.
	if l := lang.Of(at.Path); l.Name != nil && !l.Name(name) && !slices.ContainsFunc(names, func(old string) bool {
		return !l.Name(old)
	}) {
		return nil, answer.Invalid("new_name", "is no name in the language %s: %s", l.ID, name)
	}
	if stub := lsp.InStub(ctx, s, at.Path, at.At); len(stub) == 1 {
		at.Path, at.At = stub[0].Path, stub[0].Range.Start // there the server renames both
	}
	for again := false; ; again = true {
		planned, err := renamePlan(ctx, c, s, at, name, names, nil)
		if err != nil {
			return nil, err
		}
		// With unseen files the caller shows them and asks anew; a second refusal is final
		// ([edits.Proposed.CheckTrusted]).
		if len(planned.Misplaced) == 0 || len(planned.Unseen) > 0 || again {
			planned = edits.UsesLeft(ctx, c, s, at, name, planned, func(left []symbol.UsePlace) (*lsp.Planned, error) {
				return renamePlan(ctx, c, s, at, name, names, left)
			})
			edits.CompilerOnlyOfPlan(ctx, c, s, planned)
			ch := edits.ProposedBy(c, s, planned)
			ch.Renamed, ch.OldName, ch.NewName = wordsTo(at.Name, name), at.Name, name
			ch.Moved, err = move.Along(ctx, c, s, at.Path, planned)
			return ch, err
		}
		// The server had the text and still named another one: a change came while it worked.
		if err := s.Sync(ctx); err != nil {
			return nil, err
		}
	}
}

// renamePlan asks for the edit of a rename and plans it. names are what a replaced text may hold, also are uses that
// the server is known to leave out.
func renamePlan(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, name string,
	names []string, also []symbol.UsePlace) (*lsp.Planned, error) {
	proposal, err := s.Rename(ctx, at.Path, at.At, name)
	if err != nil {
		return nil, err
	}
	// An empty edit would be shown as a rename that succeeded.
	if proposal.Edit.Empty() {
		return nil, contract.Errorf(contract.KindRequestFailed,
			contract.Facts{"server_id": s.ID(), "method": lsp.MethodRename, "refused": true},
			"%s has no edit that renames %s at %s:%d:%d", s.ID(), at.Name, c.Show(at.Path), at.At.Line, at.At.Character)
	}
	for _, u := range also {
		if err := s.Also(ctx, proposal, u.Path, u.At, at.Name, name); err != nil {
			return nil, err
		}
	}
	for _, m := range proposal.Edit.Moves() { // what uses a package or module says its folder's or file's name
		names = append(names, symbol.Base(m.From), strings.TrimSuffix(symbol.Base(m.From), filepath.Ext(m.From)))
	}
	return s.Plan(ctx, proposal, lsp.PlanOptions{Roots: c.Workspace.EditRoots(), Protected: c.Session.Protected(),
		Label: c.Show,
		Holds: func(r edit.Replacement) bool { return takesName(r.Old, names) }})
}

// takesName reports whether a text that a rename replaces is, or holds, one of the names, or is a part
// of one, as the short form of a C# attribute is. A text that is only added (the key of a Rust or
// TypeScript shorthand, an alias) replaces nothing and is fine.
func takesName(old string, names []string) bool {
	if old == "" {
		return true
	}
	// Files and modules are often named in another case than what they hold.
	lower := strings.ToLower(old)
	for _, name := range names {
		if name == "" {
			continue
		}
		name := strings.ToLower(name)
		if strings.Contains(lower, name) || len(old) >= 3 && strings.Contains(name, lower) {
			return true
		}
	}
	return false
}

// wordsTo returns a function that replaces a name in messages.
func wordsTo(old, name string) func(string) string {
	return func(message string) string {
		var b strings.Builder
		from := 0
		for _, i := range source.Occurrences(message, old) {
			b.WriteString(message[from:i] + name)
			from = i + len(old)
		}
		return b.String() + message[from:]
	}
}

// MarshalJSON writes the names before the change.
func (o renameSymbolOut) MarshalJSON() ([]byte, error) {
	if o.Short() {
		return contract.Marshal(o.ChangeOut.Shown())
	}
	type plain struct {
		OldName string `json:"old_name"`
		NewName string `json:"new_name"`
		edits.ChangeFields
	}
	return contract.Marshal(plain{o.OldName, o.NewName, o.ChangeOut.Shown()})
}

// Cut keeps the changes of the first files.
func (o *renameSymbolOut) Cut(n int) any {
	less := *o
	less.ChangeOut = o.ChangeOut.First(n)
	return &less
}

// Summary is the text beside the answer.
func (o *renameSymbolOut) Summary() string {
	return fmt.Sprintf("%s → %s: %s", o.OldName, o.NewName, o.ChangeOut.Summary())
}
