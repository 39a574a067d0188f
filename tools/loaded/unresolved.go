package loaded

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// Unresolved looks into an empty answer about a name. A server that could not resolve it, because what
// is imported is not there or the code is broken, gives the same nothing as for a symbol without uses,
// and no error; "there is none" must not be said then. A name that the server knows, or one in a file
// without errors, is believed. It adds at most one warning with one step. It can judge only at a server
// that gives diagnostics and says when it has given all of them.
func Unresolved(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) {
	sp, language := s.Spec(), lang.Of(at.Path)
	if at.Name == "" || lang.Reserved(sp.LanguageID(symbol.Base(at.Path)), at.Name) || !IsCodeAt(s, at) ||
		language.ID == "" || language.Optional || language.NoSymbols {
		return // there is nothing to resolve
	}
	ctx, cancel := context.WithTimeout(ctx, unresolvedLimit)
	defer cancel()
	sure := sp.Roles.Has(spec.RoleDiagnostics) && s.Diagnostics().Sure()
	navigates, led := s.Offers(lsp.MethodDefinition), error(nil)
	if navigates {
		var places []lsp.Place
		places, led = s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
		// A name with a definition is known to the server, unless that is only the import of what it did not find.
		if led == nil && len(places) > 0 {
			if sure && len(NotImports(places)) == 0 {
				notFollowed(ctx, c, s, at, places[0])
			}
			return
		}
	}
	facts := contract.Facts{"name": at.Name, "file_path": c.Show(at.Path)}
	reason, known, step := "", true, answer.DiagnosticsStep(c.Show(at.Path))
	if sure {
		reason, known = reasonOf(ctx, c, s, at, facts)
	}
	switch {
	case reason != "":
	// No reason so far, and the server did not tell all: an answer of nothing cannot be believed yet.
	case !known:
		reason = "it did not tell in time whether errors in " + c.Show(at.Path) + " are the reason"
		step = c.Repeat("Repeat the call; the server continues to work meanwhile.", nil)
	// Names such as __init__ belong to Python itself: every type may have them without a declaration.
	case !navigates, led != nil, !lang.IsWord(at.Name), slices.Contains(contextual, at.Name),
		strings.HasPrefix(at.Name, "__") && sp.Dynamic != nil:
		return
	// Nothing tells why; something has to declare a name in code.
	default:
		facts["line"] = at.At.Line
		c.Warn(contract.WarnUnresolved, facts, fmt.Sprintf("%s does not find what %s means at %s:%d", s.ID(), at.Name,
			c.Show(at.Path), at.At.Line))
		c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "search_workspace_symbols",
			Arguments: map[string]any{"query": at.Name}, Message: "Search for a declaration of the name."})
		return
	}
	c.Warn(contract.WarnUnresolved, facts, fmt.Sprintf(
		"%s gives no definition of %s, and %s; this answer lacks what it could not resolve", s.ID(), at.Name, reason))
	c.Step(step)
}

// contextual are words that are keywords of some language in some places, where nothing declares them: those of
// TypeScript, Python, Rust and C++.
var contextual = strings.Fields("abstract accessor as asserts async await declare from get global infer is keyof " +
	"module namespace of out override readonly satisfies set type unique match case final dyn auto union default")

// IsCodeAt reports whether a place is a name in code, and not in a comment, a string or a directive of the
// preprocessor; true where that cannot be told.
func IsCodeAt(s *lsp.Snapshot, at symbol.Located) bool {
	text, err := s.Documents().Text(at.Path)
	if err != nil {
		return true
	}
	offset, err := text.Offset(at.At)
	if err != nil {
		return true
	}
	content, code := text.Content(), true
	lang.EachOf(at.Path, content, []string{at.Name}, func(from, to int, use lang.Use) {
		if from <= offset && offset <= to {
			code = use&(lang.CodeUse|lang.OpenUse) != 0
		}
	})
	return code && !(s.Hooks().Includes != nil && strings.HasSuffix(strings.TrimRight(content[:offset], " \t"), "#")) &&
		!(lang.Of(at.Path).ID == "rust" && inAttribute(content, offset, len(at.Name)))
}

// inAttribute reports whether a name in Rust is a word of an attribute, #[inline], or the prefix of a literal, b"x".
func inAttribute(content string, offset, length int) bool {
	line := content[strings.LastIndexByte(content[:offset], '\n')+1 : offset]
	open := max(strings.LastIndex(line, "#["), strings.LastIndex(line, "#!["))
	behind := content[min(offset+length, len(content)):]
	return open >= 0 && !strings.Contains(line[open:], "]") || strings.HasPrefix(behind, `"`) ||
		strings.HasPrefix(behind, "'")
}

// reasonOf returns why a name may be unresolved, by the diagnostics of its file: its line is not built,
// which explains it alone, else the errors of the file; "" when they give no reason. known is false
// when the server did not tell all diagnostics. The number of the errors and the line of the first are
// added to facts.
func reasonOf(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	facts contract.Facts) (reason string, known bool) {
	d, err := s.Diagnostics().Of(ctx, []string{at.Path})
	if err != nil {
		return "", false
	}
	known = d.Check == nil && len(d.Silent) == 0
	for _, r := range d.Reports {
		if r.Path != at.Path {
			continue
		}
		for _, f := range r.Findings {
			if f.Severity != "error" && slices.Contains(f.Tags, "unnecessary") && f.Range.Contains(at.At) {
				return fmt.Sprintf("line %d lies in code that is not built (%s)", at.At.Line, answer.Quoted(f)), known
			}
		}
	}
	if slices.ContainsFunc(d.Inactive(at.Path), func(r contract.Range) bool {
		return r.Start.Line <= at.At.Line && at.At.Line <= r.End.Line
	}) {
		return fmt.Sprintf("line %d lies in code that is not built", at.At.Line), known
	}
	if errors := errorsIn(d, at.Path); len(errors) > 0 {
		first := errors[0]
		facts["errors"], facts["line"] = len(errors), first.Range.Start.Line
		reason = fmt.Sprintf("%s has errors (%d, the first in line %d: %s)", c.Show(at.Path), len(errors),
			first.Range.Start.Line, answer.Quoted(first))
	}
	return reason, known
}

// NotSeen warns that the server sees no symbol at the asked place, so that its declaration was found by the name alone.
// lead is where the server leads from there.
func NotSeen(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, lead []lsp.Place) {
	ctx, cancel := context.WithTimeout(ctx, unresolvedLimit)
	defer cancel()
	// Only a reason about the line itself (code that is not built) explains this; that the file has errors
	// elsewhere does not.
	if reason, _ := reasonOf(ctx, c, s, at, contract.Facts{}); strings.HasPrefix(reason, "line ") {
		c.Warn(contract.WarnUnresolved, contract.Facts{"name": at.Name, "file_path": c.Show(at.Path),
			"line": at.At.Line}, fmt.Sprintf("%s sees no symbol at %s, because %s; it searched for the name instead",
			s.ID(), at.Name, reason))
		return
	}
	Guessed(c, s, at, lead)
}

// Guessed warns that places were found by the name alone; once, however many of the places are guesses.
func Guessed(c *answer.Call, s *lsp.Snapshot, at symbol.Located, places []lsp.Place) {
	for _, p := range places {
		if p.Guess {
			c.Warn(contract.WarnUnresolved, contract.Facts{"name": at.Name, "file_path": c.Show(at.Path),
				"line": at.At.Line}, fmt.Sprintf(
				"%s sees no symbol at %s in line %d of %s, which is not compiled, is the text of a macro or depends on a template's arguments; it searched for the name instead",
				s.ID(), at.Name, at.At.Line, c.Show(at.Path)))
			return
		}
	}
}
