package resolve

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// maxDisambiguated bounds the occurrences of a name on one line whose definitions are asked for; each
// is a request.
const maxDisambiguated = 8

// occurrence is one place where a name stands, with what the server says that it means there.
type occurrence struct {
	at     contract.Position
	behind bool // it stands behind the qualifier of the name that was asked for

	place lsp.Place // of the definition
	known bool      // the server gives a definition
	parts []string  // the qualified name of what is defined
	kind  lsp.SymbolKind
}

// onSameLine returns the occurrence of a name on a line that means what was asked for, where the text
// alone does not tell: the name stands there several times, or was given with a qualifier that is not
// before it (in c.Call() the name Client.Call). found is the occurrence that the text suggests.
func onSameLine(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, found symbol.Located,
	t Target) (symbol.Located, error) {
	want := symbol.Components(t.SymbolName)
	line := text.Line(found.At.Line)
	code := lang.InCode(found.Path, line, source.Occurrences(line, found.Name))
	// Nothing to choose, or nothing to choose by: then what the text suggests is taken without a request.
	if len(code) == 0 || len(code) == 1 && len(want) == 1 || t.Character > 0 || !s.Offers(lsp.MethodDefinition) {
		return found, nil
	}
	var all []occurrence
	for _, i := range code[:min(len(code), maxDisambiguated)] {
		o := occurrence{at: text.PositionAt(text.LineStart(found.At.Line) + i), behind: isBehind(line[:i], want)}
		// One request for each occurrence, which the bound above keeps few.
		if err := definitionAt(ctx, c, s, found.Path, &o, found.Name); err != nil {
			return symbol.Located{}, err
		}
		all = append(all, o)
	}
	at, err := choose(c, s, all, found, t)
	found.At = at
	return found, err
}

// choose returns the occurrence whose definition has the qualified name, else one behind the qualifier,
// else one of which nothing is known. A bare name has to mean the same wherever it stands on the line.
func choose(c *answer.Call, s *lsp.Snapshot, all []occurrence, found symbol.Located, t Target) (contract.Position,
	error) {
	want := symbol.Components(t.SymbolName)
	if len(want) == 1 {
		return sameEverywhere(c, s, all, found, t)
	}
	// From the surest to the weakest: what the server says, what the text says, and at last what nobody contradicts.
	for _, fits := range []func(occurrence) bool{
		func(o occurrence) bool { return o.known && o.is(want) },
		func(o occurrence) bool { return o.behind },
		func(o occurrence) bool { return !o.known },
	} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i].at, nil
		}
	}
	there := candidates(c, s, all, found)
	facts := contract.Facts{"symbol_name": t.SymbolName, "file_path": found.Path, "line": found.At.Line,
		"candidates": there}
	return found.At, contract.Errorf(contract.KindSymbolNotFound, facts, "line %d of %s has no %s: %s is %s there",
		found.At.Line, c.Show(found.Path), t.SymbolName, found.Name, describe(there))
}

// sameEverywhere returns where a bare name stands when all occurrences with a known definition have the
// same one; otherwise the name is ambiguous. Occurrences without a definition do not count: they may be
// words in a string. When none is known, the position that the text suggests is as good as any.
func sameEverywhere(c *answer.Call, s *lsp.Snapshot, all []occurrence, found symbol.Located,
	t Target) (contract.Position, error) {
	var apart []occurrence
	for _, o := range all {
		same := func(other occurrence) bool {
			return other.place.Path == o.place.Path && other.place.Range == o.place.Range
		}
		// By the place of the definition: two locals of one name on a line have two.
		if o.known && !slices.ContainsFunc(apart, same) {
			apart = append(apart, o)
		}
	}
	switch len(apart) {
	case 0:
		return found.At, nil
	case 1:
		return apart[0].at, nil
	}
	return found.At, AmbiguousAmong(t.SymbolName, candidates(c, s, apart, found))
}

// candidates returns occurrences as errors name them: what each means, and where it stands.
func candidates(c *answer.Call, s *lsp.Snapshot, all []occurrence, found symbol.Located) (out []answer.Candidate) {
	for _, o := range all {
		name := symbol.JoinParts(s.Spec().LanguageID(symbol.Base(o.place.Path)), o.parts)
		out = append(out, answer.Candidate{SymbolName: name, Kind: o.kind, FilePath: c.Show(found.Path),
			Line: o.at.Line, Character: o.at.Character})
	}
	return out
}

// definitionAt asks for the definition of what stands at an occurrence, and fills in place, known,
// parts and kind. That there is none, or that the server refuses this position, is no error: known
// stays false. Of several definitions the first counts.
func definitionAt(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, o *occurrence, name string) error {
	places, err := s.Locate(ctx, lsp.MethodDefinition, path, o.at)
	if err != nil && (ask.Final(err) || ctx.Err() != nil) {
		return err
	}
	if err != nil || len(places) == 0 {
		return nil
	}
	o.place, o.known, o.parts = places[0], true, []string{name}
	// Without the symbols of its file the bare name is all that is known of the definition.
	if sym, ok := SymbolAt(ctx, c, s, o.place); ok && o.place.Err == nil {
		o.parts, o.kind = sym.Parts, sym.Sym.Kind
	}
	return nil
}

// is reports whether what is defined there has the qualified name. Components before those that the
// file's symbols tell may be its package, module or crate; these are compared with the folders and the
// name of its file.
func (o occurrence) is(want []string) bool {
	if symbol.EndsWith(o.parts, want) {
		return true
	}
	if !symbol.EndsWith(want, o.parts) {
		return false
	}
	// The file counts with its name without extensions, as a module; "-" in a folder is "_" in the name of a crate.
	folders := strings.Split(filepath.ToSlash(o.place.Path), "/")
	last := len(folders) - 1
	folders[last], _, _ = strings.Cut(folders[last], ".")
	for _, module := range want[:len(want)-len(o.parts)] {
		if !slices.ContainsFunc(folders, func(f string) bool { return strings.ReplaceAll(f, "-", "_") == module }) {
			return false
		}
	}
	return true
}

// isBehind reports whether text ends with the qualifier of a name (its component before the last) and a
// separator (., ::, ->, or the ) of a Go receiver). "Client Call" is no Client.Call.
func isBehind(text string, want []string) bool {
	if len(want) < 2 {
		return false
	}
	before := strings.TrimRight(text, ".:>-/)")
	from, to, ok := source.WordAround(before, len(before))
	return ok && to == len(before) && before != text && before[from:to] == want[len(want)-2]
}
