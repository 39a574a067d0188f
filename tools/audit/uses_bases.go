package audit

import (
	"context"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// A member of a class whose base the server does not know, or of an object with a type that it does not know, is of an
// unknown family: it may override, or be, what is asked about, and what the base declares may call it.

// ofUnknown reports whether a place declares a member of the name that may be one of the symbol's family.
func (v *verdict) ofUnknown(ctx context.Context, p lsp.Place) bool {
	if !v.member || v.s.Hooks().UnknownBase == nil || strings.HasPrefix(v.at.Name, "__") || holdsPlace(v.declared, p) {
		return false
	}
	text, err := v.s.Documents().Text(p.Path)
	if err != nil {
		return false
	}
	offset, err := text.Offset(p.Range.Start)
	if err != nil || !v.s.Hooks().MayDerive(text)(ctx, offset) {
		return false
	}
	_, is := v.s.Hooks().UnknownBase(ctx, v.asked, p.Path, p.Range.Start)
	return is == lsp.BaseUnknown
}

// overrides reports whether an occurrence, from which the server leads to a place, is the declaration of a member that
// the symbol overrides, or that overrides it.
func (v *verdict) overrides(ctx context.Context, o *occurrence, p lsp.Place) bool {
	return holdsPlace(v.family, p) && !holdsPlace(v.declared, p) && declares(ctx, v.s, lsp.Place{Path: o.path,
		Range: contract.Range{Start: o.at, End: o.at}})
}

// mayDeclareOf returns what tells whether an occurrence in a text may declare a member of what has a base that the
// server does not know.
func (v *verdict) mayDeclareOf(ctx context.Context, text *source.Text) func(from, to int) bool {
	if v.s.Hooks().MayDerive == nil {
		return func(int, int) bool { return false }
	}
	derives := v.s.Hooks().MayDerive(text)
	return func(from, to int) bool {
		behind := strings.TrimLeft(text.Content()[to:min(to+lang.MaxScanned, len(text.Content()))], " \t\r\n?!")
		return behind != "" && strings.IndexByte("(:=;,}<{", behind[0]) >= 0 && derives(ctx, from)
	}
}

// derived adds the base of the class of the symbol, where the server does not know it: it may declare the symbol, and
// use it.
func (v nameless) derived(ctx context.Context) {
	unknown := v.s.Hooks().UnknownBase
	if unknown == nil || strings.HasPrefix(v.at.Name, "__") || v.at.Name == "constructor" {
		return
	}
	if v.declared == nil && !v.mayBeMember() {
		return
	}
	v.declare(ctx)
	for _, d := range v.declared {
		if _, ours := source.RelativeTo(v.c.Workspace.Root, d.Path); !ours {
			continue
		}
		base, is := unknown(ctx, v.asked, d.Path, d.Range.Start)
		if is == lsp.BaseKnown {
			continue
		}
		v.unexplained = append(v.unexplained, occurrence{path: base.Path, at: base.Range.Start, name: v.at.Name,
			reason: reasonUnknownBase})
		return
	}
}

// mayBeMember reports whether the asked place may name a member: it stands behind a dot, or in braces.
func (v nameless) mayBeMember() bool {
	text, err := v.s.Documents().Text(v.at.Path)
	if err != nil {
		return false
	}
	offset, err := text.Offset(v.at.At)
	return err == nil && (lang.BehindDot(text.Content()[:offset]) || v.language.ID == "python" ||
		len(lang.ReadScriptHeads(text.Content()).Bases(offset)) > 0)
}
