package audit

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/audit/words"
	"lspi/tools/symbol"
)

// occurrences reads the files and adds what they hold to open, to unexplained where there is nobody to ask, and to
// mentions.
func (v *verdict) occurrences(ctx context.Context, held []words.Held, names []string) {
	vouched := v.vouched(ctx, held)
	output := v.output(ctx, held)
	for _, h := range held {
		if vouched[h.Path] == lsp.VouchedAll && v.cpp.callsUndeclared(h.Path) {
			delete(vouched, h.Path)
		}
		// A name that is pasted together is none that the server knows where it stands.
		if len(names) == 1 && !v.cpp.joiners[h.Path] && vouched[h.Path] >= lsp.VouchedAll &&
			h.Use&^lang.TextUse&^lang.CodeUse == 0 || output[h.Path] {
			continue
		}
		if ctx.Err() != nil {
			v.late = true
			return
		}
		text, err := v.c.Workspace.Text(h.Path)
		if err != nil && !source.MayHold(ctx, h.Path, v.at.Name) {
			continue
		}
		if err != nil && slices.Contains(lsp.Unreadable(v.s.Server, v.s.Root()), h.Path) {
			continue // [ask.unreadable] tells it
		}
		if err != nil {
			v.unexplained = append(v.unexplained, occurrence{path: h.Path, name: v.at.Name, reason: reasonNotRead})
			continue
		}
		v.occurrencesIn(ctx, text, names, vouched[h.Path])
	}
}

// rank puts the occurrences first that are nearest to what is known: the server is not asked about all.
func (v *verdict) rank() {
	near := filepath.Dir(v.declared[0].Path)
	rank := func(o occurrence) int {
		switch {
		case v.answers(v.real(o.path)):
			return 0
		case filepath.Dir(o.path) == near:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(v.open, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.path, b.path))
	})
}

// output are those of the files that a build made of sources.
func (v *verdict) output(ctx context.Context, held []words.Held) map[string]bool {
	out := map[string]bool{}
	var files []string
	for _, h := range held {
		if v.serves(h.Path) {
			files = append(files, h.Path)
			out[h.Path] = true
		}
	}
	for _, path := range lsp.WithoutOutput(ctx, v.s.Server, v.at.Path, files) {
		delete(out, path)
	}
	return out
}

// answers reports whether the answer has a place in a file.
func (v *verdict) answers(path string) bool {
	return slices.ContainsFunc(v.known, func(p lsp.Place) bool { return p.Path == path })
}

// occurrencesIn adds the occurrences in one text.
func (v *verdict) occurrencesIn(ctx context.Context, text *source.Text, names []string, vouched lsp.Vouched) {
	in := newInText(ctx, v, text, vouched)
	lang.EachOf(v.cpp.readAs(ctx, in.path), in.content, names, in.add)
}

// inText is what decides about the occurrences in one text.
type inText struct {
	*verdict
	text          *source.Text
	content, path string
	vouched       lsp.Vouched
	served        bool   // the server serves the file
	own           bool   // it does, or the file may use the symbol all the same
	unknown       bool   // own code that the table of languages does not know
	brought       bool   // it imports the name
	other         reason // of code that the server does not serve
	within        [2]int // the part in another language
	used          func() bool
	injected      func() bool // a parameter of its name has the symbol called
	mayDeclare    func(from, to int) bool
	opened        func(offset int) reason // nil until it is needed
}

func newInText(ctx context.Context, v *verdict, text *source.Text, vouched lsp.Vouched) *inText {
	content, path := text.Content(), text.Path
	in := &inText{verdict: v, text: text, content: content, path: path, vouched: vouched, served: v.serves(path),
		brought: vouched == lsp.VouchedNames && imports(content, v.at.Name), other: reasonOtherLanguage,
		within: lang.Within(path, content), mayDeclare: v.mayDeclareOf(ctx, text),
		used: sync.OnceValue(func() bool { return v.usedBy(ctx, path) }),
		injected: sync.OnceValue(func() bool {
			return v.isInjected(lsp.Place{Path: v.at.Path, Range: contract.Range{Start: v.at.At}})
		})}
	in.own = in.served || in.used()
	id := lang.OfText(path, content).ID
	if id == v.language.ID {
		in.other = reasonNotLoaded
	}
	// Code that the table of languages does not know is code all the same where it may use the symbol.
	in.unknown = in.own && id == ""
	return in
}

// foreign reports whether a place is in a language that the server does not serve.
func (in *inText) foreign(offset int) bool {
	return !in.served || in.within[0] <= offset && offset < in.within[1]
}

// add adds what is known of an occurrence to the verdict, unless it is clear that it is no use.
func (in *inText) add(from, to int, use lang.Use) {
	if in.unknown && use&(lang.QualifiedUse|lang.TemplateUse) != 0 {
		use = lang.CodeUse
	}
	after := in.content[to:min(to+lang.MaxScanned, len(in.content))]
	behind := strings.TrimLeft(after, " \t\r\n")
	if use == lang.AloneUse {
		behind = strings.TrimLeft(behind, `"'`)
	}
	o := occurrence{path: in.path, at: in.text.PositionAt(from), name: in.content[from:to], use: use,
		dotted:   use == lang.CodeUse && lang.BehindDot(in.content[:from]),
		assigned: strings.HasPrefix(behind, ":") || strings.HasPrefix(behind, "=") && !strings.HasPrefix(behind, "=="),
		called:   called(in.language, in.content, from, to),
		renamed:  in.calls && renamedBehind.MatchString(after)}
	if use&(lang.CodeUse|lang.OpenUse) != 0 && in.language.Keywords[o.name] && !o.dotted &&
		!inList(in.content[:from], behind) {
		return // the keyword
	}
	if in.isUnexplained(&o, from, to) {
		in.unexplained = append(in.unexplained, o)
	}
}

// isUnexplained reports whether an occurrence may be a use that nobody can be asked about. What the server can be asked
// about, and what only mentions the name, goes into the lists of the verdict.
func (in *inText) isUnexplained(o *occurrence, from, to int) bool {
	pasted, code := o.name != in.at.Name, o.use&(lang.CodeUse|lang.OpenUse) != 0
	switch {
	case in.calls && o.use == lang.CodeUse && in.served && !o.called && !pasted && !o.renamed && !in.injected():
		return false // passed as a value, imported or declared
	case o.use == lang.CodeUse && !in.served && !in.used(), o.use == lang.OpenUse && in.foreign(from) && !in.used():
		return false // a word in code of another language
	case pasted:
		o.reason = reasonInMacro
		return code && in.cpp.joins(in.content, from, to)
	case code && !in.own:
		return false // only its strings may name what the symbol is
	case o.use == lang.CodeUse:
		return in.isUnexplainedCode(o, from, to)
	case o.use == lang.OpenUse:
		return in.isUnexplainedOpen(o, from)
	case o.use == lang.TemplateUse && in.inTemplates():
		if o.reason = reasonInTemplate; lang.Of(in.path).ID == "rust" {
			o.reason = reasonInMacro // a format string
		}
		return true
	}
	in.mention(o, from)
	return false
}

// isUnexplainedCode is isUnexplained for code.
func (in *inText) isUnexplainedCode(o *occurrence, from, to int) bool {
	if !in.served {
		o.reason = in.other
		return true
	}
	switch {
	case in.replacedModule(in.content, from, o) || in.standsIn(in.path, o):
		in.mentions = append(in.mentions, *o)
		return false
	// The macro may make a string of it, or code that is resolved only where it is used.
	case in.cpp.joiners[in.path] && (in.cpp.joins(in.content, from, to) || in.cpp.templates(in.content, from)):
		o.reason = reasonInMacro
	case in.vouched >= lsp.VouchedAll:
		return false
	}
	// A pattern takes a member out of a value, which may have no type.
	o.typed = in.vouched == lsp.VouchedNames && !in.brought && !o.dotted &&
		!lang.TakenFrom(in.content, from, to) && !in.mayDeclare(from, to)
	if in.vouched == lsp.LeftOut {
		o.reason = reasonNotBuilt
	}
	in.open = append(in.open, *o)
	return false
}

// isUnexplainedOpen is isUnexplained for code of which the file alone does not tell what it means ([lang.OpenUse]).
func (in *inText) isUnexplainedOpen(o *occurrence, from int) bool {
	switch {
	case in.vouched == lsp.NoSource:
		return false
	case in.foreign(from):
		if o.reason = reasonInMacro; in.served {
			o.reason = reasonOtherLanguage
		}
		return true
	}
	if in.opened == nil {
		in.opened = openReasons(in.path, in.content)
	}
	if o.reason = in.opened(from); in.calls && !o.called && o.reason == reasonNotBuilt {
		return false
	}
	in.open = append(in.open, *o)
	return false
}

// mention notes a name in a text that is not code, where that may mean the symbol.
func (in *inText) mention(o *occurrence, from int) {
	if o.use == lang.QualifiedUse {
		o.before, o.inPath = lang.Qualifier(in.content, from), in.own && inDottedString(in.content, from)
	}
	if o.use == lang.QualifiedUse || o.use == lang.AloneUse && (in.own || !in.inTemplates()) ||
		o.use == lang.OptionUse && !in.inTemplates() {
		in.mentions = append(in.mentions, *o)
	}
	if o.use == lang.TextUse && in.served {
		in.unrun = cmp.Or(in.unrun, in.path)
	}
}

// inList reports whether a name stands in braces between others: as a key, an import, or what a pattern takes.
func inList(before, behind string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	return before != "" && strings.IndexByte("{,", before[len(before)-1]) >= 0 && behind != "" &&
		strings.IndexByte(",}:", behind[0]) >= 0
}

// replacedModule reports whether a name is a key of an object that a test gives in place of a module:
// jest.mock("./mail", () => ({ sendMail: … })). It is one behind the module, which no server connects with it.
func (v *verdict) replacedModule(content string, from int, o *occurrence) bool {
	before := content[max(0, from-maxReplaced):from]
	if trimmed := strings.TrimRight(before, " \t\r\n"); !strings.HasSuffix(trimmed, "{") &&
		!strings.HasSuffix(trimmed, ",") || !strings.Contains(before, "mock") {
		return false
	}
	m := replaced.FindStringSubmatch(before)
	if m == nil {
		return false
	}
	o.use, o.before = lang.QualifiedUse, m[1]
	return true
}

// standsIn reports whether a name is in a module that stands in for another one in tests, or in the one for which the
// declaring module does: jest and vitest take __mocks__/mail.ts for mail.ts beside that folder.
func (v *verdict) standsIn(path string, o *occurrence) bool {
	folder, own := filepath.Dir(path), filepath.Dir(v.at.Path)
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	asked := strings.TrimSuffix(filepath.Base(v.at.Path), filepath.Ext(v.at.Path))
	if filepath.Base(folder) != mocks && (filepath.Base(own) != mocks || filepath.Dir(own) != folder || stem != asked) ||
		folder == own || o.dotted {
		return false
	}
	o.use, o.before, o.reason = lang.QualifiedUse, stem, reasonOfFamily
	return true
}

// mocks is the folder of such modules.
const mocks = "__mocks__"

// renamedBehind matches what gives another name to what stands in front of it, in an import or a pattern.
var renamedBehind = source.LazyRegexp(`^(?:\s+as\s+[\w$]+|\s*:\s*[\w$]+\s*[,}])`)

// maxReplaced bounds how far in front of a name the module is looked for that an object stands in for, in bytes.
const maxReplaced = 1000

// replaced matches the call that takes a module's path and an object; the group is the name of the module.
var replaced = source.LazyRegexp(`(?s)\b\w*[mM]ock\w*\(\s*["'` + "`" + `](?:[^"'` + "`" + `]*/)?([\w$-]+)(?:\.\w+)?["'` + "`" + `]\s*,[^;]*$`)

// typeArgument matches what ends with the bracket of arguments for type parameters, and not with that of an element.
var typeArgument = source.LazyRegexp(`[\w$]<$`)

// called reports whether what stands in a text is called there: by what follows, or by what stands before it.
func called(language *lang.Language, content string, from, to int) bool {
	behind := strings.TrimLeft(content[to:min(to+lang.MaxScanned, len(content))], " \t\r\n")
	// Arguments of types may come first: in brackets in Go, in angle brackets in most others, in Python not at all.
	return strings.HasPrefix(behind, "(") || language.ID != "python" && calledWithTypes(behind) ||
		strings.HasPrefix(behind, "[") && language.ID == "go" ||
		strings.HasPrefix(behind, "::<") || strings.HasPrefix(behind, "`") || strings.HasPrefix(behind, "?.(") ||
		strings.HasPrefix(behind, "!") || strings.HasSuffix(content[:from], "@") ||
		strings.HasSuffix(content[:from], "<") && (strings.HasPrefix(language.ID, "javascript") ||
			language.ID == "typescriptreact" && !typeArgument.MatchString(content[max(0, from-2):from])) // an element
}

// calledWithTypes reports whether a text begins with arguments for type parameters, behind which a call may follow;
// false for the name of a type, which is not called (Box<number> | null).
func calledWithTypes(behind string) bool {
	if !strings.HasPrefix(behind, "<") {
		return false
	}
	depth := 0
	for i := 0; i < len(behind); i++ {
		switch behind[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				rest := strings.TrimLeft(behind[i+1:], " \t\r\n")
				return rest == "" || strings.ContainsRune("({`:", rune(rest[0]))
			}
		case '=', '(', '-', ';': // a function type, or no arguments at all
			return true
		}
	}
	return true
}

// Around the names of an import or export from another module, in TypeScript: its first word, and the one behind them.
var (
	importBefore = source.LazyRegexp(`\b(?:import|export)\b`)
	fromBehind   = source.LazyRegexp(`\bfrom\b`)
)

// imports reports whether a text imports or exports a name from another module.
func imports(content, name string) bool {
	for at := 0; ; at += len(name) {
		next := strings.Index(content[at:], name)
		if next < 0 {
			return false
		}
		at += next
		begin := strings.LastIndexAny(content[:at], `;'"`) + 1
		end := strings.IndexAny(content[at:], `;'"`)
		if end < 0 {
			end = len(content) - at
		}
		if from, to, ok := source.WordAround(content, at); ok && content[from:to] == name &&
			importBefore.MatchString(content[begin:at]) && fromBehind.MatchString(content[at:at+end]) {
			return true
		}
	}
}

// inDottedString reports whether the word at an offset stands in a string that is a name behind others: "maker.label".
func inDottedString(text string, at int) bool {
	from, to := at, at
	inside := func(b byte) bool { return b == '.' || source.IsWord(rune(b)) }
	for from > 0 && inside(text[from-1]) {
		from--
	}
	for to < len(text) && inside(text[to]) {
		to++
	}
	return from > 0 && to < len(text) && text[from-1] == text[to] && strings.IndexByte("\"'`", text[to]) >= 0
}

// qualifies reports whether the word before an occurrence is what the symbol is declared in: its module, its folder, or
// the symbol around it, or a module that has the name by an import. A value of a type mostly has the name of the type,
// in small letters; a path to a member in a string goes through values of any name.
func (v *verdict) qualifies(o occurrence) bool {
	container := strings.ReplaceAll(v.container, "_", "")
	return o.inPath && v.member || container != "" && strings.EqualFold(strings.ReplaceAll(o.before, "_", ""), container) ||
		v.importedInto(o.before) ||
		slices.ContainsFunc(v.declared, func(d lsp.Place) bool {
			stem, _, _ := strings.Cut(filepath.Base(d.Path), ".")
			// crate and super are the module that code of Rust is written for.
			return slices.Contains([]string{stem, filepath.Base(filepath.Dir(d.Path)), v.module, "crate", "super"}, o.before)
		})
}

// importedInto reports whether a use in the answer gives its module, of that name, the symbol by an import: the tests
// of app/view.py replace app.view.fetch where that says from app.net import fetch. A name behind a dot is in no import.
func (v *verdict) importedInto(module string) bool {
	if v.member || v.language.ID != "python" && !v.language.IsScript() {
		return false // an import does not make the name one of the module
	}
	return slices.ContainsFunc(v.known, func(p lsp.Place) bool {
		return p.Line != "" && slices.Contains(lang.ImportNames(p.Path), module) &&
			!lang.BehindDot(p.Line[:symbol.ByteOffset(p.Line, p.Range.Start.Character)])
	})
}

// dropTexts leaves out the strings and templates by which no running program finds the symbol: a local variable
// (local) has its name in the source only.
func (v *verdict) dropTexts(local bool) {
	drop := func(all []occurrence) []occurrence {
		return slices.DeleteFunc(all, func(o occurrence) bool {
			if o.use != lang.AloneUse && o.use != lang.QualifiedUse && o.use != lang.TemplateUse {
				return false
			}
			if local && (o.use != lang.TemplateUse || v.language.ByText == nil) {
				return o.use != lang.TemplateUse
			}
			// What another language finds in a program of Rust, it may find by any name.
			other := lang.Of(o.path)
			text, err := v.c.Workspace.Text(o.path)
			if err != nil || v.language.ID == "rust" && other.ID != "rust" && other.ID != "" && !other.Optional &&
				!other.NoSymbols {
				return false
			}
			from, err := text.Offset(o.at)
			return err == nil && !v.language.FoundByText(v.at.Name, string(v.kind), v.module, text.Content(), from, o.use)
		})
	}
	v.mentions, v.unexplained = drop(v.mentions), drop(v.unexplained)
}

// openReasons returns what tells why code of a source is open.
func openReasons(path, text string) func(offset int) reason {
	unclosed := lang.Of(path).Unclosed(text)
	if lang.Of(path).ID == "rust" {
		macros := lang.RustMacroTexts(text)
		return func(offset int) reason {
			switch {
			case 0 <= unclosed && unclosed <= offset:
				return reasonUnclosed
			case slices.Contains(macros, offset):
				return reasonInMacro
			}
			return reasonNotBuilt
		}
	}
	templates, conditional := lang.Templates(path, text), lang.Conditional(text, nil)
	return func(offset int) reason {
		switch {
		case 0 <= unclosed && unclosed <= offset:
			return reasonUnclosed
		case lang.MacroAround(text, offset) != "":
			return reasonInMacro
		case slices.ContainsFunc(templates, func(t [2]int) bool { return t[0] <= offset && offset < t[1] }):
			return reasonInTemplate
		case slices.Contains(conditional, offset):
			return reasonNotBuilt
		}
		return ""
	}
}
