package lsp

import (
	"context"
	"errors"

	"lspi/contract"
	"lspi/internal/lang"
)

// Excluded are the sources that the server does not read for an answer about the whole project of asked (of all its
// folders when asked is "") and for which may holds, sorted.
func Excluded(ctx context.Context, s *Server, asked string,
	may func(path string, m *lang.Mentions) bool) []Uncovered {
	if f := s.hooks.Excluded; f != nil {
		return f(ctx, asked, may)
	}
	return nil
}

// Declared is the place itself where it is certain that what stands there is declared there, as far as Vouch has
// to know it.
func Declared(s *Server, path string, at contract.Position) (Place, bool) {
	if f := s.hooks.Declared; f != nil {
		return f(path, at)
	}
	return Place{}, false
}

// ExclusionOf says why a server cannot be asked about a file, which is no part of what it loads; nil when it can,
// or nobody knows. refusal is what the server said when it was asked about the file; it may be empty.
func ExclusionOf(ctx context.Context, s *Server, path, refusal string) *Exclusion {
	if u := s.exclusion(ctx, path, refusal); u != nil && !u.Answers {
		return u
	}
	return nil
}

// ReportsOn reports whether the server tells the errors of a file; true also where nobody knows.
func ReportsOn(ctx context.Context, s *Server, path string) bool {
	return s.exclusion(ctx, path, "") == nil
}

func (s *Server) exclusion(ctx context.Context, path, refusal string) *Exclusion {
	d := &Diagnosis{}
	if s.hooks.Unlinked != nil {
		if u := s.hooks.Unlinked(path, Finding{Path: path, Message: refusal}); u != nil {
			return u
		}
		if s.Diagnostics().Add(ctx, []string{path}, d) == nil {
			s.Diagnostics().Unlinked(d)
		}
	} else if ask := s.hooks.AskExcluded; ask == nil || ask(ctx, []string{path}, d) != nil {
		return nil
	}
	if len(d.Excluded) == 0 {
		return nil
	}
	return &d.Excluded[0]
}

// ErrManyEmbed is why the uses of fields that embed a type are not all among its references.
var ErrManyEmbed = errors.New("too many structs embed it")

// ReferencesAndFields are references, and those of the fields among them that embed what is referred to. With
// [ErrManyEmbed] or the end of ctx the places are those that are known.
func ReferencesAndFields(ctx context.Context, s *Snapshot, path string, at contract.Position,
	declaration bool) ([]Place, error) {
	if f := s.hooks.ReferencesAndFields; f != nil {
		return f(ctx, s, path, at, declaration)
	}
	return s.References(ctx, path, at, declaration)
}

// VouchQuestion is the question whether the references of a symbol in files are whole.
type VouchQuestion struct {
	Snapshot *Snapshot
	Asked    string // the file that was asked about
	Name     string // of the symbol
	Declared Place  // where it is declared
	Files    []string
}

// Vouched is how much of the code of a file the server's references of a symbol are whole for. The text of a macro,
// code under a condition and the body of a template never count.
type Vouched uint8

// NotVouched: the server may have left out uses. VouchedNames: it may have left out members, because the value before
// the dot may have no type. VouchedAll: it has left out nothing. NoSource: the language says that no build reads the
// file, so that there are no uses. LeftOut: the build leaves the file out, so that the server is not asked about it
// either.
const (
	NotVouched Vouched = iota
	LeftOut
	VouchedNames
	VouchedAll
	NoSource
)

// Restated is whether what a file declares is what a source of the same name does.
type Restated uint8

// NotRestated: it is something else. MayRestate: it is made of several sources. Restates: it is made of this one, or
// stands for it.
const (
	NotRestated Restated = iota
	MayRestate
	Restates
)

// Base is what the server knows of what a class derives from, or of what gives an object its type.
type Base uint8

// BaseKnown: all of it, or it derives from nothing. BaseOutside: it comes from a package that is not in the tree.
// BaseUnknown: it may be anything.
const (
	BaseKnown Base = iota
	BaseOutside
	BaseUnknown
)
