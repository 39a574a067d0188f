package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// CallForm is a place in a source that is written as a call.
type CallForm struct {
	At    int  // the offset of the name that is called, or of what [Indexed] takes its function from
	Macro bool // a macro of Rust: name!(…)
	Args  bool // it stands among the arguments of such a macro
	// Indexed: what is called has no name of its own: table["name"](…).
	Indexed bool
	Result  bool // what the call of the name gave is called in turn: getattr(x, "name")(…)
}

// callForm matches a name before a parenthesis, with arguments of a template or a generic function between them, an
// optional call of TypeScript, a macro of Rust, and what is called by an index.
var callForm = source.LazyRegexp(`([\pL_$][\pL\pN_$]*)\s*(?:(!)\s*[(\[{]|(\[[^\[\](){};]*\])?(?:\?\.)?\s*(?:(?:::)?<[^(){};]*>)?\s*\()`)

// declaresFunction are the words before the name of a function that is declared, and not called.
var declaresFunction = []string{"fn", "def", "function", "func"}

// CallForms are the places between two offsets of a source that are written as calls. Comments and strings hold
// none. Keywords and the names of functions that are declared there are no calls; casts and declarations may be
// among them, which only the server can tell.
func CallForms(path, text string, from, to int) (out []CallForm) {
	l := Of(path)
	code := l.codeOnly(text[from:to])
	macros := l.macroArguments(code)
	for _, m := range callForm.FindAllStringSubmatchIndex(code, -1) {
		at, end := m[2], m[3]
		before := strings.TrimRight(code[:at], " \t\r\n")
		macro := m[4] >= 0 && strings.HasPrefix(strings.TrimLeft(code[end:], " \t"), "!")
		switch {
		// a non-null assertion; $( begins a repetition in a macro
		case macro && !l.Macros, l.Macros && code[at:end] == "$":
			continue
		case l.Keywords[code[at:end]], slices.Contains(declaresFunction, before[wordBegin(before):]):
			continue
		}
		within := slices.ContainsFunc(macros, func(r [2]int) bool { return r[0] <= at && at < r[1] })
		form := CallForm{At: from + at, Macro: macro, Args: within, Indexed: m[6] >= 0}
		out = append(out, form)
		if end := blockEnd(code, m[1]-1); !macro && strings.HasPrefix(code[end:], "(") {
			form.Result = true
			out = append(out, form)
		}
	}
	return out
}

// wordBegin is where the word at the end of a text begins.
func wordBegin(text string) int {
	i := len(text)
	for i > 0 && wordByte(text[i-1]) {
		i--
	}
	return i
}

// codeOnly is a part of a source with blanks for all that is no code, so that offsets stay. It has to begin in code.
func (l *Language) codeOnly(text string) string {
	out := []byte(text)
	comment, quoted := false, false
	for i := 0; i < len(text); {
		end := lineEnd(text, i)
		was := quoted
		if l.Triple && (strings.Count(text[i:end], `"""`)+strings.Count(text[i:end], `'''`))%2 == 1 {
			quoted = !quoted
		}
		code := l.code(text[i:end])
		for n := i; n < end; n++ {
			switch {
			case comment && strings.HasPrefix(text[n:], "*/"):
				comment = false
				out[n], out[n+1] = ' ', ' '
				n++
				continue
			case !comment && l.blocks() && code[n-i] && strings.HasPrefix(text[n:], "/*"):
				comment = true
			}
			if comment || was || quoted || !code[n-i] {
				out[n] = ' '
			}
		}
		i = end + 1
	}
	return string(out)
}

// macroArguments are the stretches of code that macros of Rust get as arguments.
func (l *Language) macroArguments(code string) (out [][2]int) {
	if !l.Macros {
		return nil
	}
	for i := 0; i < len(code); i++ {
		if code[i] != '!' || i == 0 || !wordByte(code[i-1]) {
			continue
		}
		open := i + 1 + len(code[i+1:]) - len(strings.TrimLeft(code[i+1:], " \t\r\n"))
		if open < len(code) && strings.IndexByte("([{", code[open]) >= 0 {
			out = append(out, [2]int{open, blockEnd(code, open)})
		}
	}
	return out
}

// blockEnd is the end of what the bracket at i encloses.
func blockEnd(code string, i int) int {
	depth := 0
	for ; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(code)
}

// BodyEnd is the end of the function whose name begins at an offset of a source in a language with braces; from
// where only a declaration stands there.
func BodyEnd(path, text string, from int) int {
	code := Of(path).codeOnly(text[from:])
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '(', '[':
			i = blockEnd(code, i) - 1
		case ';', '}':
			return from
		case '{':
			return from + blockEnd(code, i)
		}
	}
	return from
}

// rustMacros are the macros of Rust's standard library (std 1.96, "Macros"). What they call besides their arguments
// is the library's own.
var rustMacros = set("assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env eprint " +
	"eprintln file format format_args include_bytes include_str line matches module_path option_env panic print println stringify " +
	"thread_local todo unimplemented unreachable vec write writeln")

// MacroCalls reports whether the text of a macro_rules! may call something by itself: more than the parameters that
// it puts in its place.
func MacroCalls(path, text string) bool {
	return slices.ContainsFunc(CallForms(path, text, 0, len(text)), func(f CallForm) bool {
		name := text[f.At:wordEnd(text, f.At)]
		return name != "macro_rules" && !(f.Macro && rustMacros[name])
	})
}
