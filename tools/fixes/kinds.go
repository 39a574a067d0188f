package fixes

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools/answer"
)

// Kinds are the kinds of actions that are wanted, none meaning all, and the kinds that the server
// announces. A kind includes those below it: refactor includes refactor.extract (LSP 3.17,
// CodeActionKind).
type Kinds struct{ Wanted, Known []string }

// Below reports whether a kind is another one or lies below it; everything lies below "".
func Below(kind, of string) bool { return kind == of || of == "" || strings.HasPrefix(kind, of+".") }

// Wants reports whether actions of a kind are wanted.
func (k Kinds) Wants(kind string) bool {
	return len(k.Wanted) == 0 || slices.ContainsFunc(k.Wanted, func(w string) bool { return Below(kind, w) })
}

// baseKinds are the first words of the kinds of LSP 3.18 (CodeActionKind); servers have kinds of their
// own, too.
var baseKinds = []string{"quickfix", "refactor", "source", "notebook"}

// Check refuses a kind that neither LSP nor the server has: nothing would be found, and the empty list
// would read as "nothing can be done".
func (k Kinds) Check() error {
	for _, w := range k.Wanted {
		first, _, _ := strings.Cut(w, ".")
		if slices.Contains(baseKinds, first) || len(k.Of(w)) > 0 {
			continue
		}
		known := append(slices.Clone(baseKinds), k.Known...)
		reason := fmt.Sprintf("has %q, which is not a kind of code action; kinds begin with %s", w,
			strings.Join(baseKinds[:3], ", "))
		if near := contract.Closest(w, known); near != "" {
			reason += "; did you mean " + near + "?"
		}
		return answer.Invalid("kinds", "%s", reason)
	}
	return nil
}

// Reaches reports whether a kind, or some kind below it, is wanted.
func (k Kinds) Reaches(kind string) bool {
	return k.Wants(kind) || slices.ContainsFunc(k.Wanted, func(w string) bool { return Below(w, kind) })
}

// Only returns the kinds to ask a server for. The server's own kinds below a wanted one are added,
// because some servers compare kinds as strings.
func (k Kinds) Only() []string {
	out := slices.Clone(k.Wanted)
	for _, w := range k.Wanted {
		out = append(out, k.Of(w)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Of returns the kinds that the server announces below one.
func (k Kinds) Of(kind string) []string {
	var out []string
	for _, have := range k.Known {
		if Below(have, kind) {
			out = append(out, have)
		}
	}
	return out
}

// OneKind is the kind that is done in all files, by the kinds of a call and the rule of its diagnostics.
func OneKind(c *answer.Call, given, rule string, kinds []string) (string, error) {
	if len(kinds) == 0 && rule != "" {
		kinds = []string{"quickfix"}
	}
	if len(kinds) != 1 {
		return "", contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": "kinds"},
			"for many files kinds has one item: format, or a source action such as source.organizeImports; or diagnostic is the code of a rule whose quick fixes are meant")
	}
	kind := kinds[0]
	switch known := (Kinds{Wanted: kinds}); {
	case kind == Format && rule != "":
		return "", answer.Invalid("diagnostic", "has no meaning for format")
	case kind == Format:
		return kind, nil
	case Below(kind, "quickfix") && rule == "":
		c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Arguments: map[string]any{
			"file_paths": []string{given}}, Message: "See the codes that there are."})
		return "", contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": "diagnostic"},
			"quick fixes in many files are those of one rule: diagnostic is its code, or a part of its message")
	case Below(kind, "quickfix"):
		return kind, nil
	case rule != "":
		return "", answer.Invalid("diagnostic", "goes with quickfix, and not with %s", kind)
	case kind == "source" || !Below(kind, "source"):
		if err := known.Check(); err != nil {
			return "", err
		}
		return "", answer.Invalid("kinds", "has %q; for many files it is format, quickfix or one source action such as source.organizeImports",
			kind)
	}
	return kind, nil
}
