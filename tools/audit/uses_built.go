package audit

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/spec"
	"lspi/tools/symbol"
)

// A program may build the name of a member from parts: getattr(self, "cmd_" + name), this["on" + name](). Such code
// holds the part of the name that is always the same, in a string, beside what takes members by texts.

// maxAccess bounds how far from the part of a name the code is that takes a member by it, in bytes.
const maxAccess = 20_000

// built adds the places that build the name from parts.
func (v nameless) built(ctx context.Context) {
	rules := v.s.Spec().Dynamic
	if rules == nil || v.function != "" {
		return
	}
	prefixes, suffixes := partsOf(v.at.Name)
	words := slices.Concat(prefixes, suffixes)
	for _, suffix := range suffixes {
		words = append(words, "s"+suffix) // "%s_handler"
	}
	for _, prefix := range prefixes {
		words = append(words, prefix+"$") // `on${name}`
	}
	if len(words) == 0 {
		return
	}
	part := regexp.MustCompile(`["'` + "`" + `](` + alternatives(prefixes) + `)(?:\$?\{|%[s(]|["'` + "`" + `]\s*\+)|` +
		`(?:\}|%s|\+\s*["'` + "`" + `])(` + alternatives(suffixes) + `)["'` + "`" + `]`)
	held, _, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, words...)
	if err != nil {
		return // [verdict.find] tells it
	}
	var quotes []string // the parts with the quotation mark that stands beside them
	for _, mark := range []string{`"`, "'", "`"} {
		for i := range prefixes {
			quotes = append(quotes, mark+prefixes[i], suffixes[i]+mark)
		}
	}
	for _, h := range held {
		if !v.serves(h.Path) {
			continue
		}
		text, err := v.c.Workspace.Text(h.Path)
		if err != nil {
			continue
		}
		content := text.Content()
		for _, from := range partsIn(content, quotes, part) {
			at := text.PositionAt(from)
			receiver, ok := receiverOf(content, from, rules)
			if strings.HasPrefix(strings.TrimLeft(text.Line(at.Line), " \t"), lang.CommentSign(h.Path)) || !ok ||
				!v.mayBuild(ctx, h.Path, content, receiver, from) {
				continue
			}
			v.unexplained = append(v.unexplained,
				occurrence{path: h.Path, at: at, name: v.at.Name, use: lang.TextUse, reason: reasonByName})
			break
		}
	}
}

// partsIn are the offsets in a text of parts that an expression matches beside one of quotes. The expression is slow,
// and most files hold the parts as words of their own.
func partsIn(content string, quotes []string, part *regexp.Regexp) (offsets []int) {
	for _, quote := range quotes {
		for at := 0; ; at += len(quote) {
			next := strings.Index(content[at:], quote)
			if next < 0 {
				break
			}
			at += next
			begin := max(0, at-maxBeside)
			near := content[begin:min(len(content), at+len(quote)+maxBeside)]
			for _, m := range part.FindAllStringSubmatchIndex(near, -1) {
				if from := begin + max(m[2], m[4]); !slices.Contains(offsets, from) {
					offsets = append(offsets, from)
				}
			}
		}
	}
	slices.Sort(offsets)
	return offsets
}

// maxBeside bounds what stands between the part of a name and what it is joined with, in bytes.
const maxBeside = 32

// alternatives is a regular expression for one of some words; it matches nothing where there are none.
func alternatives(words []string) string {
	if len(words) == 0 {
		return `[^\x00-\x{10FFFF}]`
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = regexp.QuoteMeta(word)
	}
	return strings.Join(quoted, "|")
}

// partsOf are the parts with which a name begins and ends: cmd_ and _help of cmd_help, on and Load of onLoad.
func partsOf(name string) (prefixes, suffixes []string) {
	for i, r := range name {
		switch before := rune(0); {
		case i == 0, strings.Trim(name[:i], "_") == "":
		case r == '_' && i+1 < len(name):
			prefixes, suffixes = append(prefixes, name[:i+1]), append(suffixes, name[i:])
		case unicode.IsUpper(r):
			if before = rune(name[i-1]); !unicode.IsUpper(before) && before != '_' {
				prefixes, suffixes = append(prefixes, name[:i]), append(suffixes, name[i:])
			}
		}
	}
	return prefixes, suffixes
}

// functionHead matches the beginning of a function or class of Python; the group is the name.
var functionHead = source.LazyRegexp(`\n[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)`)

// around is the function of Python around an offset in a text, with its name.
func around(content string, from int) (near, name string) {
	begin := max(0, from-maxAccess)
	if heads := functionHead.FindAllStringSubmatchIndex(content[begin:from], -1); len(heads) > 0 {
		last := heads[len(heads)-1]
		name = content[begin+last[2] : begin+last[3]]
		begin += last[0]
	}
	near = content[begin:min(len(content), from+maxAccess)]
	if next := functionHead.FindStringIndex(near[from-begin:]); next != nil {
		near = near[:from-begin+next[0]]
	}
	return near, name
}

// What stands in JavaScript before the text that names a member: the value and a bracket, or the variable for the text.
var (
	indexed = source.LazyRegexp(`([\w$]+)(?:\s+as\s+[^)\[]*)?\)?(?:\?\.)?\s*\[\s*$`)
	named   = source.LazyRegexp(`([\w$]+)\s*(?::[^=(){},;]*)?=\s*$`)
)

// receiverOf is the value a member of which is taken by a text with a part at an offset; "" for a global.
func receiverOf(content string, from int, rules *spec.Dynamic) (receiver string, ok bool) {
	start := strings.LastIndexByte(content[:from], '\n') + 1
	quote := strings.TrimRight(content[start:from], "\"'`")
	if len(rules.Getters) > 0 {
		near, function := around(content, from)
		getters := alternatives(rules.Getters)
		taken := regexp.MustCompile(`\b(?:` + getters + `)\s*\(\s*([\w.]*)|\bglobals\(\)|\bvars\(\s*([\w.]*)|` +
			`\b([\w.]+)\.__dict__\b`)
		if m := taken.FindStringSubmatch(near); m != nil {
			return m[1] + m[2] + m[3], true
		}
		// The function may give the text away, to where the member is taken.
		given := regexp.MustCompile(`\b(?:` + getters + `)\s*\(\s*([\w.]*),[^\n]*\b` + regexp.QuoteMeta(function) + `\(`)
		if m := given.FindStringSubmatch(content); m != nil && function != "" {
			return m[1], true
		}
		return "", false
	}
	near := content[start:min(len(content), from+maxAccess)]
	if m := indexed.FindStringSubmatch(quote); m != nil {
		return m[1], true
	}
	if m := named.FindStringSubmatch(quote); m != nil {
		access := regexp.MustCompile(`([\w$]+)(?:\s+as\s+[^)\[]*)?\)?(?:\?\.)?\s*\[\s*` + regexp.QuoteMeta(m[1]) + `\b`)
		if m := access.FindStringSubmatch(near); m != nil {
			return m[1], true
		}
	}
	return "", false
}

// mayBuild reports whether a member of a receiver in a file, or a global of the file, may be the symbol.
func (v nameless) mayBuild(ctx context.Context, path, content, receiver string, from int) bool {
	if v.declared == nil {
		v.declare(ctx)
		if v.functionAround(ctx); v.function != "" {
			return false
		}
	}
	declared := v.declared[0].Path
	own := receiver == "self" || receiver == "cls" || receiver == "this"
	if v.real(path) == declared {
		return !own || v.member && v.mayShare(content, from)
	}
	stem, _, _ := strings.Cut(symbol.Base(declared), ".")
	switch {
	case receiver == "", own && !v.member:
		return false
	case own:
		// One of the two classes names the other where it derives from it.
		text, err := v.c.Workspace.Text(declared)
		base, _, _ := strings.Cut(symbol.Base(path), ".")
		return err != nil || source.HasWord(content, v.container) || source.HasWord(text.Content(), base)
	}
	return v.language.ID == "python" && v.member || source.HasWord(content, stem) ||
		v.container != "" && source.HasWord(content, v.container)
}

// classHead matches the head of a class; the groups are its name and what it derives from.
var classHead = source.LazyRegexp(`\bclass\s+([\w$]+)([^:{]*)`)

// mayShare reports whether the class around an offset of the declaring file is that of the symbol, or one of the two
// classes names the other as a base.
func (v nameless) mayShare(content string, from int) bool {
	around, bases := "", ""
	for _, m := range classHead.FindAllStringSubmatch(content[:from], -1) {
		around, bases = m[1], m[2]
	}
	return around == v.container || source.HasWord(bases, v.container) ||
		slices.ContainsFunc(classHead.FindAllStringSubmatch(content, -1), func(m []string) bool {
			return m[1] == v.container && source.HasWord(m[2], around)
		})
}
