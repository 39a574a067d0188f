package lang

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/internal/source"
)

// Declared is one declaration of a source as its server outlines it (LSP, textDocument/documentSymbol).
type Declared struct {
	Name, Kind    string    // as the server writes them
	From, At, End int       // offsets of its beginning, of its name, and of its end
	Outer         *Declared // the declaration around it; nil at the top
}

// Exports is the rule by which a language says who may use a declaration. For a source it returns a function that
// reports whether other files (packages, crates) may use one of its declarations. That function is called only for a
// declaration whose Outer is exported itself.
type Exports func(path, text string) func(d *Declared) bool

// Exporter applies the rule of the language of a source; nil for a language without a known rule.
func Exporter(languageID, path, text string) func(d *Declared) bool {
	if rule := ByID(languageID).Exports; rule != nil {
		return rule(path, text)
	}
	return nil
}

// before returns what precedes the name of a declaration on its line, after the end of another one.
func (d *Declared) before(text string) string {
	line := text[:min(d.At, len(text))]
	return line[strings.LastIndexAny(line, "\n{};,")+1:]
}

// head returns the text from the beginning of a declaration to its name.
func (d *Declared) head(text string) string {
	if d.From > d.At || d.At > len(text) {
		return ""
	}
	return text[d.From:d.At]
}

func (d *Declared) outerKind() string {
	if d.Outer == nil {
		return ""
	}
	return d.Outer.Kind
}

// goExports: the name, and for a method that of its type, begins with an upper case letter (Go specification,
// Exported identifiers).
func goExports(string, string) func(*Declared) bool {
	return func(d *Declared) bool {
		receiver, name := "", d.Name
		if i := strings.LastIndexByte(d.Name, '.'); i >= 0 {
			receiver, name = strings.TrimLeft(d.Name[:i], "(*"), d.Name[i+1:]
		}
		return isUpper(name) && (receiver == "" || isUpper(receiver))
	}
}

func isUpper(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

var (
	// pythonAll is one statement about the names of a module that are public, with what follows it.
	pythonAll  = source.LazyRegexp(`(?m)^__all__(?:\s*:[^=\n]*)?\s*(=|\+=|\.extend\(|\.append\()\s*`)
	quotedWord = source.LazyRegexp(`^(?:"(\w+)"|'(\w+)')`)
)

// pythonExports: the name does not begin with an underscore; where a module lists names in __all__, these are public
// and no others (PEP 8, public and internal interfaces).
func pythonExports(_, text string) func(*Declared) bool {
	all := pythonNames(text)
	return func(d *Declared) bool {
		if d.Outer == nil && all != nil {
			return all[d.Name]
		}
		return !strings.HasPrefix(d.Name, "_")
	}
}

// pythonNames returns the names in __all__; nil when there is none, or when it holds more than strings.
func pythonNames(text string) map[string]bool {
	var out map[string]bool
	for _, m := range pythonAll.FindAllStringIndex(text, -1) {
		if out == nil {
			out = map[string]bool{}
		}
		rest := strings.TrimLeft(text[m[1]:], "([")
		for {
			rest = strings.TrimLeft(rest, " \t\r\n,")
			if strings.HasPrefix(rest, "#") {
				_, rest, _ = strings.Cut(rest, "\n")
				continue
			}
			m := quotedWord.FindStringSubmatch(rest)
			if m == nil {
				break
			}
			out[m[1]+m[2]] = true
			rest = rest[len(m[0]):]
		}
		closed := strings.TrimLeft(rest, "])")
		// a name, a call, a comprehension
		if closed == rest || strings.HasPrefix(strings.TrimLeft(closed, " \t"), "+") {
			return nil
		}
	}
	return out
}

// rustPub is what makes an item visible, with what narrows it.
var rustPub = source.LazyRegexp(`(?:^|[\s\]])pub\b\s*(\([^)]*\))?`)

// rustExports: pub without what narrows it to a crate or a module (Rust reference, Visibility and privacy). Variants
// of an enum and items of a trait are as public as these, as are those of an impl of a trait. A private module on the
// way is not looked at.
func rustExports(_, text string) func(*Declared) bool {
	return func(d *Declared) bool {
		switch outer := d.outerKind(); {
		case outer == "enum", outer == "interface", outer == "object" && strings.Contains(d.Outer.Name, " for "):
			return true
		case d.Kind == "object" && strings.HasPrefix(d.Name, "impl"):
			return rustImpl(text, d.Name)
		case strings.Contains(d.head(text), "#[macro_export"):
			return true
		}
		m := rustPub.FindStringSubmatch(d.before(text))
		return m != nil && m[1] == ""
	}
}

// innerGenerics are generic arguments without others in them.
var innerGenerics = source.LazyRegexp(`<[^<>]*>`)

// rustImpl reports whether the type of an impl block is public, as far as its source tells.
func rustImpl(text, name string) bool {
	for was := ""; was != name; {
		was, name = name, innerGenerics.ReplaceAllString(name, "")
	}
	words := strings.FieldsFunc(name, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	m := regexp.MustCompile(`(?m)^[ \t]*(pub\b\s*(?:\([^)]*\))?\s*)?(?:struct|enum|union|trait)\s+` +
		words[len(words)-1] + `\b`).FindStringSubmatch(text)
	return m == nil || m[1] != "" && !strings.Contains(m[1], "(")
}

var (
	scriptModule  = source.LazyRegexp(`(?m)^\s*(import|export)\b`)
	scriptLists   = source.LazyRegexp(`(?m)^\s*export\s*(?:type\s*)?\{([^}]*)\}\s*(from)?`)
	scriptDefault = source.LazyRegexp(`(?m)^\s*(?:export\s*(?:default|=)|module\.exports\s*=)\s*(\w+)\s*;?\s*$`)
	scriptCommon  = source.LazyRegexp(`(?m)^\s*(?:module\.exports\b|exports\.(\w+)\s*=)`)
	scriptObject  = source.LazyRegexp(`(?m)^\s*module\.exports\s*=\s*\{([^}]*)\}`)
	scriptNarrow  = source.LazyRegexp(`\b(private|protected)\b`)
)

// scriptExports: export before a declaration or in a list (ECMAScript, Exports), what is assigned to module.exports
// (CommonJS); in a source that neither imports nor exports everything is global. Members are those that are not
// private, protected or #.
func scriptExports(path, text string) func(*Declared) bool {
	listed, common := scriptNames(text)
	global := !common && !scriptModule.MatchString(text)
	return func(d *Declared) bool {
		before := strings.TrimSpace(d.before(text))
		switch outer := d.outerKind(); {
		case outer == "" && (global || listed[d.Name] || strings.HasPrefix(statement(text, d.At), "export ")):
			return true
		case outer == "", outer == "module", outer == "namespace":
			ambient := outer != "" && (strings.HasPrefix(text[min(d.Outer.From, len(text)):], "declare") ||
				strings.HasSuffix(path, ".d.ts"))
			return ambient || strings.HasPrefix(before, "export") || strings.HasPrefix(text[min(d.From, len(text)):],
				"export")
		}
		return !strings.HasPrefix(d.Name, "#") && !scriptNarrow.MatchString(before)
	}
}

// statement is the text from the last line that is not indented to a place, as far as no semicolon stands in it.
func statement(text string, at int) string {
	text = text[:min(at, len(text))]
	for end := len(text); end > 0; {
		begin := strings.LastIndexByte(text[:end], '\n') + 1
		if begin == len(text) || !strings.ContainsRune(" \t\r\n})]", rune(text[begin])) {
			if strings.Contains(text[begin:], ";") {
				return ""
			}
			return text[begin:]
		}
		end = begin - 1
	}
	return ""
}

// scriptNames are the names that lists of exports have, and whether the source is a CommonJS module.
func scriptNames(text string) (listed map[string]bool, common bool) {
	listed = map[string]bool{"default": true, "export=": true}
	list := func(names string) {
		for name := range strings.SplitSeq(strings.ReplaceAll(names, ":", ","), ",") {
			words := strings.Fields(name)
			if len(words) > 1 && words[0] == "type" && words[1] != "as" {
				words = words[1:]
			}
			if len(words) > 0 {
				listed[words[0]] = true // behind "as" stands the name that others use
			}
		}
	}
	for _, m := range scriptLists.FindAllStringSubmatch(text, -1) {
		if m[2] == "" { // else the names are another file's
			list(m[1])
		}
	}
	for _, re := range []*source.Regexp{scriptObject, scriptDefault} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			list(m[1])
		}
	}
	for _, m := range scriptCommon.FindAllStringSubmatch(text, -1) {
		listed[m[1]], common = true, true
	}
	return listed, common
}

var (
	cInternal = source.LazyRegexp(`(?:^|\s)static\b`)
	cConstant = source.LazyRegexp(`(?:^|\s)(?:const|constexpr)\b`)
	cShared   = source.LazyRegexp(`(?:^|\s)(?:extern|inline)\b`)
	cType     = source.LazyRegexp(`^(?:template\s*<[^;{]*>\s*)?(?:typedef\s+)?(class|struct|union|enum)\b`)
	cAccess   = source.LazyRegexp(`(?m)^\s*(public|protected|private)\b[^:;{}()]*:`)
	// cHeaders are the extensions of what other files include.
	cHeaders = words(".h .hh .hpp .hxx .h++ .ipp .inl .tpp .txx .tcc .cuh")
)

// cExports: external linkage (ISO C++, basic.link), which static, an unnamed namespace, and in a source that nobody
// includes const take away. A declaration of a type without its body, what using brings in, and a definition of
// what is declared in a class elsewhere, belong to another file. Members are those behind public.
func cExports(path, text string) func(*Declared) bool {
	header := slices.Contains(cHeaders, strings.ToLower(filepath.Ext(path)))
	return func(d *Declared) bool {
		whole := text[min(d.From, len(text)):max(min(d.End, len(text)), min(d.From, len(text)))]
		switch outer := d.outerKind(); {
		case d.Name == "(anonymous namespace)", d.Kind == "null", strings.HasPrefix(whole, "using") &&
			d.Kind == "namespace", cType.MatchString(whole) && !strings.Contains(whole, "{"):
			return false
		case outer == "enum":
			return true
		case outer == "class" || outer == "struct":
			return cPublic(text, d)
		case strings.Contains(d.Name, "::"), cInternal.MatchString(d.head(text)):
			return false
		case d.Kind == "variable" && !header && cConstant.MatchString(d.head(text)) &&
			!cShared.MatchString(d.head(text)):
			return strings.HasSuffix(path, ".c") // const is internal in C++ alone
		}
		return true
	}
}

// cPublic reports whether the last access specifier of its class before a member is public; that of a class without
// one is private.
func cPublic(text string, d *Declared) bool {
	if d.Outer.From > d.From || d.From > len(text) {
		return false
	}
	class := text[d.Outer.From:d.From]
	access := "public"
	if m := cType.FindStringSubmatch(class); m != nil && m[1] == "class" {
		access = "private"
	}
	for _, m := range cAccess.FindAllStringSubmatch(withoutBodies(class), -1) {
		access = m[1]
	}
	return access == "public"
}

// withoutBodies is the beginning of a class without what is in braces that are closed.
func withoutBodies(class string) string {
	var out []byte
	var open []int
	for i := range len(class) {
		switch class[i] {
		case '{':
			open = append(open, len(out))
		case '}':
			if n := len(open); n > 0 {
				out, open = append(out[:open[n-1]], '\n'), open[:n-1]
			}
		default:
			out = append(out, class[i])
		}
	}
	return string(out)
}
