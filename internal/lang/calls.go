package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// CallForm is a place in a source that is written as a call.
type CallForm struct {
	At    int  // offset of the called name; with Indexed, of what is indexed
	Macro bool // a macro of Rust: name!(…)
	Args  bool // in the arguments of such a macro
	// Indexed: what is called has no name of its own: table["name"](…).
	Indexed bool
	Result  bool // the result of calling the name is called in turn: getattr(x, "name")(…)
}

// callPattern matches a name before a parenthesis. Between them may be arguments of a template or a generic function,
// an optional call of TypeScript, the ! of a macro of Rust, or an index.
var callPattern = source.LazyRegexp(`([\pL_$][\pL\pN_$]*)\s*(?:(!)\s*[(\[{]|(\[[^\[\](){};]*\])?(?:\?\.)?\s*(?:(?:::)?<[^(){};]*>)?\s*\()`)

// declaresFunction are the words before the name of a function that is declared and not called.
var declaresFunction = []string{"fn", "def", "function", "func"}

// CallForms returns the places between two offsets of a source that are written as calls, outside of comments and
// strings. Keywords and the names of functions that are declared there are not among them. Casts and declarations may
// be, since only the server can tell these.
func CallForms(path, text string, from, to int) (out []CallForm) {
	l := Of(path)
	code := l.codeOnly(text[from:to])
	macros := l.macroArguments(code)
	for _, m := range callPattern.FindAllStringSubmatchIndex(code, -1) {
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
		if end := BlockEnd(code, m[1]-1); !macro && strings.HasPrefix(code[end:], "(") {
			form.Result = true
			out = append(out, form)
		}
	}
	return out
}

// wordBegin returns where the word at the end of a text begins.
func wordBegin(text string) int {
	i := len(text)
	for i > 0 && wordByte(text[i-1]) {
		i--
	}
	return i
}

// codeOnly returns a part of a source with blanks for all that is not code, so that offsets stay. The part has to
// begin in code.
func (l *Language) codeOnly(text string) string {
	m := marked{text: text, uses: make([]Use, len(text))}
	m.source(l, 0, len(text))
	return m.codeOf()
}

// macroArguments returns the ranges of code that are arguments of macros of Rust.
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
			out = append(out, [2]int{open, BlockEnd(code, open)})
		}
	}
	return out
}

// BlockStart returns the bracket that is open at i; -1 where none is.
func BlockStart(code string, i int) int {
	depth := 0
	for i--; i >= 0; i-- {
		switch code[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// BlockEnd returns the end of what the bracket at i encloses. Within angle brackets the others count as a whole.
func BlockEnd(code string, i int) int {
	depth := 0
	if i < len(code) && code[i] == '<' {
		return anglesEnd(code, i)
	}
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

// anglesEnd returns the offset behind the angle bracket that closes the one at i; those in parentheses do not count.
func anglesEnd(code string, i int) int {
	depth := 0
	for ; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			i = BlockEnd(code, i) - 1
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(code)
}

// BodyEnd returns the end of the function whose name begins at an offset, in a language with braces; the offset
// itself where there is only a declaration.
func BodyEnd(path, text string, from int) int {
	code := Of(path).codeOnly(text[from:])
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '(', '[':
			i = BlockEnd(code, i) - 1
		case ';', '}', ')': // a call in a condition
			return from
		case '{':
			return from + BlockEnd(code, i)
		}
	}
	return from
}

// rustMacros are the macros of Rust's standard library (std 1.96, "Macros"). What they call beside their arguments is
// in the library.
var rustMacros = set("assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env eprint " +
	"eprintln file format format_args include_bytes include_str line matches module_path option_env panic print println stringify " +
	"thread_local todo unimplemented unreachable vec write writeln")

// IsRustMacro reports whether a macro of Rust's standard library has a name.
func IsRustMacro(name string) bool { return rustMacros[name] }

// MacroCalls reports whether the text of a macro_rules! may call something by itself, beside the arguments that it is
// given.
func MacroCalls(path, text string) bool {
	return slices.ContainsFunc(CallForms(path, text, 0, len(text)), func(f CallForm) bool {
		name := text[f.At:wordEnd(text, f.At)]
		return name != "macro_rules" && !(f.Macro && rustMacros[name])
	})
}
