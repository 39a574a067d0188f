package move

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// cFile is a source of C or C++ as the move of a declaration reads it: its directives, its namespaces, and what stands
// in these.
type cFile struct {
	path, content string
	code          string // with blanks for comments and strings, and cDirective for each directive
	directives    []cLine
	includes      []cIncludeLine
	blocks        []cBlock // namespaces and extern "C", in the order in which they open
	guard         string   // the macro that guards a header; "" for none
	broken        bool     // its braces are not in pairs
	first         int      // behind a byte order mark
}

const byteOrderMark = "\uFEFF"

// cDirective stands in cFile.code for a directive, which ends whatever stands above it.
const cDirective = '\x01'

// cLine is a directive of the preprocessor; end is behind its line end.
type cLine struct {
	start, end int
	word       string
	depth      int // of the conditions around it, but for the guard; those that open and close one are in it
}

// cIncludeLine is a directive that includes a file; under a condition it may not.
type cIncludeLine struct {
	cLine
	sign byte // " or <
	name string
}

// spelled is an include as directives write it.
func (i cIncludeLine) spelled() string {
	if i.sign == '<' {
		return "<" + i.name + ">"
	}
	return `"` + i.name + `"`
}

// cBlock is a namespace or extern "C". names are those of the namespaces, of which one head may have several; "" is one
// without a name.
type cBlock struct {
	head, open, close int
	names             []string
	in                int // the block around it; -1 for none
}

// cLinkage is the name of a block of extern "C".
const cLinkage = `extern "C"`

var (
	cIncludeWord   = source.LazyRegexp(`(?m)^(\x{FEFF}?[ \t]*#[ \t]*)i[nm]`)
	cDirectiveWord = source.LazyRegexp(`^(?:#|%:)[ \t]*([a-z_]+)[ \t]*([^\n]*)`)
	cNamespaceHead = source.LazyRegexp(`^(?:inline\s+)?namespace\b\s*(?:\[\[[^\]]*\]\]\s*)?([\w:]*)\s*$`)
	cModule        = source.LazyRegexp(`(?m)^[ \t]*(?:export[ \t]+)?(?:module|import)\b[ \t]*(?:[\w.:<]+[^\n()=]*)?;`)
)

func cFileOf(path, content string) *cFile {
	f := &cFile{path: path, content: content}
	if strings.HasPrefix(content, byteOrderMark) {
		f.first = len(byteOrderMark)
	}
	// As another directive: to the language of C what includes a file is no code.
	code := []byte(lang.CodeOf(path, cIncludeWord.ReplaceAllString(content, "${1}i_")))
	copy(code, "   "[:f.first])
	f.readDirectives(code)
	f.code = string(code)
	f.readBlocks()
	return f
}

// readDirectives finds the directives, and takes them out of the code.
func (f *cFile) readDirectives(code []byte) {
	var opened []int // the directives that open the conditions around
	guards := -1     // the directive that closes the guard
	for i := f.first; i < len(code); {
		end := i + strings.IndexByte(f.content[i:]+"\n", '\n') + 1
		at := i + len(code[i:min(end, len(code))]) - len(strings.TrimLeft(string(code[i:min(end, len(code))]), " \t"))
		if at >= len(code) || code[at] != '#' {
			i = end
			continue
		}
		for strings.HasSuffix(strings.TrimRight(f.content[i:min(end, len(code))], "\r\n"), "\\") && end < len(code) {
			end += strings.IndexByte(f.content[end:]+"\n", '\n') + 1
		}
		end = min(end, len(code))
		one := cLine{start: i, end: end, depth: len(opened)}
		if m := cDirectiveWord.FindStringSubmatch(f.content[at:end]); m != nil {
			one.word = m[1]
			f.noteGuard(one.word, strings.TrimSpace(m[2]))
		}
		switch one.word {
		case "if", "ifdef", "ifndef":
			opened = append(opened, len(f.directives))
			one.depth++
		case "endif":
			if len(opened) > 0 {
				if opened[len(opened)-1] == 0 && guards < 0 {
					guards = len(f.directives)
				}
				opened = opened[:len(opened)-1]
			}
		}
		f.directives = append(f.directives, one)
		for n := i; n < end; n++ {
			if code[n] != '\n' {
				code[n] = ' '
			}
		}
		code[at] = cDirective
		i = end
	}
	if f.guard != "" && (guards != len(f.directives)-1 || len(f.directives) < 3) {
		f.guard = ""
	}
	for i := range f.directives {
		if f.guard != "" {
			f.directives[i].depth--
		}
		d := f.directives[i]
		if m := cInclude.FindStringSubmatch(f.content[d.start:d.end]); m != nil {
			f.includes = append(f.includes, cIncludeLine{d, m[1][0], m[2]})
		}
	}
}

// noteGuard reads the first two directives, which may be those of a guard.
func (f *cFile) noteGuard(word, rest string) {
	name, _, _ := strings.Cut(strings.NewReplacer("!defined", "", "(", " ", ")", " ").Replace(rest), "//")
	switch fields := strings.Fields(name); len(f.directives) {
	case 0:
		if len(fields) > 0 && (word == "ifndef" || word == "if" && strings.HasPrefix(rest, "!defined")) {
			f.guard = fields[0]
		}
	case 1:
		if word != "define" || len(fields) == 0 || fields[0] != f.guard {
			f.guard = ""
		}
	}
}

// depth is how many conditions an offset is in, besides the guard.
func (f *cFile) depth(offset int) (depth int) {
	for _, d := range f.directives {
		if d.start >= offset {
			break
		}
		if depth = d.depth; d.word == "endif" {
			depth--
		}
	}
	return max(depth, 0)
}

// readBlocks finds the namespaces.
func (f *cFile) readBlocks() {
	var open []int // the blocks around, and -1 for other braces
	head := 0
	for i := 0; i < len(f.code); i++ {
		switch f.code[i] {
		case ';', cDirective:
			head = i + 1
		case '{':
			start := head + len(f.code[head:i]) - len(strings.TrimLeft(f.code[head:i], " \t\r\n"))
			head = i + 1
			if slices.Contains(open, -1) {
				open = append(open, -1)
				continue
			}
			around := -1
			if len(open) > 0 {
				around = open[len(open)-1]
			}
			b := cBlock{head: start, open: i, close: -1, in: around}
			text := strings.TrimSpace(f.code[start:i])
			if m := cNamespaceHead.FindStringSubmatch(text); m != nil {
				b.names = strings.Split(m[1], "::")
			} else if text == "extern" && strings.Contains(f.content[start:i], `"C`) {
				b.names = []string{cLinkage}
			}
			if b.names == nil {
				open = append(open, -1)
				continue
			}
			open = append(open, len(f.blocks))
			f.blocks = append(f.blocks, b)
		case '}':
			head = i + 1
			if len(open) == 0 {
				f.broken = true
				return
			}
			if n := open[len(open)-1]; n >= 0 {
				f.blocks[n].close = i
			}
			open = open[:len(open)-1]
		}
	}
	f.broken = len(open) > 0
}

// blockAt is the innermost block around an offset; -1 for none.
func (f *cFile) blockAt(offset int) int {
	at := -1
	for i, b := range f.blocks {
		if b.open < offset && offset <= b.close {
			at = i
		}
	}
	return at
}

// chain are the blocks around and with one, the outermost first.
func (f *cFile) chain(block int) (out []cBlock) {
	for ; block >= 0; block = f.blocks[block].in {
		out = append(out, f.blocks[block])
	}
	slices.Reverse(out)
	return out
}

// namesOf are the names of a chain.
func namesOf(chain []cBlock) (out []string) {
	for _, b := range chain {
		out = append(out, b.names...)
	}
	return out
}

// bounds are the offsets between which a block holds its declarations; those of the file for -1.
func (f *cFile) bounds(block int) (from, to int) {
	if block < 0 {
		return 0, len(f.code)
	}
	return f.blocks[block].open + 1, f.blocks[block].close
}

// cItem is a declaration, or a block, as it stands in a block: from its first letter to its last sign.
type cItem struct{ start, end int }

// inText is the order in which items stand in a text.
func inText(a, b cItem) int { return a.start - b.start }

// items are what stands directly in a block.
func (f *cFile) items(block int) (out []cItem) {
	from, to := f.bounds(block)
	start, depth, brace := -1, 0, -1 // brace is the first one that opens in the item
	finish := func(end int) {
		out = append(out, cItem{start, end})
		start, brace = -1, -1
	}
	for i := from; i < to; i++ {
		c := f.code[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case c == cDirective:
			if depth == 0 && start >= 0 {
				finish(i)
			}
			continue
		case start < 0 && c == ';':
			continue
		case start < 0:
			start = i
		}
		switch c {
		case '{', '(', '[':
			if c == '{' && depth == 0 && brace < 0 {
				brace = i
			}
			depth++
		case ')', ']':
			depth--
		case '}':
			if depth--; depth == 0 && endsWith(f.code[start:brace], f.code[i+1:to]) {
				finish(i + 1)
			}
		case ';':
			if depth == 0 {
				finish(i + 1)
			}
		}
	}
	if start >= 0 {
		finish(to)
	}
	return out
}

var (
	cTypeHead     = source.LazyRegexp(`^(?:typedef\s+|static\s+|const\s+|extern\s+|inline\s+|constexpr\s+)*(?:class|struct|union|enum)\b`)
	cTemplateHead = source.LazyRegexp(`^template\s*<`)
	cAttribute    = source.LazyRegexp(`\[\[[^\]]*\]\]|\b(?:alignas|__attribute__|__declspec)\s*\((?:[^()]|\([^()]*\))*\)`)
)

// endsWith reports whether a declaration ends with a brace that closes, going by its head and what follows.
func endsWith(head, rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	if rest != "" && strings.IndexByte(";,{.(", rest[0]) >= 0 {
		return false
	}
	head = strings.TrimSpace(cAttribute.ReplaceAllString(withoutTemplate(head), " "))
	if strings.HasSuffix(head, "=") || cTypeHead.MatchString(head) && !strings.Contains(head, "(") {
		return false
	}
	return true
}

// withoutTemplate is a declaration without the heads of templates in front.
func withoutTemplate(head string) string {
	for {
		head = strings.TrimSpace(head)
		if !cTemplateHead.MatchString(head) {
			return head
		}
		depth, end := 0, -1
		for i := strings.IndexByte(head, '<'); i < len(head) && end < 0; i++ {
			switch head[i] {
			case '<', '(':
				depth++
			case '>', ')':
				if depth--; depth == 0 {
					end = i + 1
				}
			}
		}
		if end < 0 {
			return ""
		}
		head = head[end:]
	}
}

// lineStart and lineEnd are the bounds of the line of an offset, the end behind its line end.
func (f *cFile) lineStart(offset int) int {
	return max(strings.LastIndexByte(f.content[:offset], '\n')+1, f.first)
}

func (f *cFile) lineEnd(offset int) int {
	return min(offset+strings.IndexByte(f.content[offset:]+"\n", '\n')+1, len(f.content))
}

// lines are the whole lines of an item, with the comments above it; ok is false where other code is on them, or a
// comment goes on over one of their ends.
func (f *cFile) lines(i cItem) (start, end int, ok bool) {
	start, end = f.lineStart(i.start), f.lineEnd(i.end)
	if strings.TrimSpace(f.code[start:i.start]) != "" || strings.TrimSpace(f.code[i.end:end]) != "" {
		return 0, 0, false
	}
	start = f.lead(start)
	return start, end, !f.commentOver(start) && !f.commentOver(end)
}

// commentOver reports whether a comment goes on over the beginning of a line.
func (f *cFile) commentOver(line int) bool {
	return line > 0 && lang.InComment(f.path, f.content, line-1)
}

var cNotice = source.LazyRegexp(`(?i)\bcopyright\b|\blicen[cs]e\b|SPDX-`)

// lead is where the comments directly above a line begin. The notice at the beginning of a file is of the file.
func (f *cFile) lead(line int) int {
	start := line
	for start > 0 {
		above := f.lineStart(start - 1)
		if strings.TrimSpace(f.code[above:start]) != "" ||
			strings.TrimSpace(f.content[above:start]) == "" && !f.commentOver(start) {
			break
		}
		start = above
	}
	if strings.TrimSpace(f.content[:start]) == "" && cNotice.MatchString(f.content[start:line]) {
		return line
	}
	return start
}

// itemAt is the item of a block that holds an offset.
func (f *cFile) itemAt(block, offset int) (cItem, bool) {
	for _, i := range f.items(block) {
		if i.start <= offset && offset < i.end {
			return i, true
		}
	}
	return cItem{}, false
}

// cut is the text without some whole lines, which are in order, and one of the blank lines around each; at the end of
// the file none stays.
func (f *cFile) cut(parts []cItem) string {
	var changes []splice.Change
	for _, p := range parts {
		from, to := p.start, p.end
		blankAbove := from == 0 || strings.TrimSpace(f.content[f.lineStart(from-1):from]) == ""
		if blankAbove && to < len(f.content) && strings.TrimSpace(f.content[to:f.lineEnd(to)]) == "" {
			to = f.lineEnd(to)
		}
		changes = append(changes, splice.Cut(from, to))
	}
	left := splice.Apply(f.content, changes)
	if parts[len(parts)-1].end == len(f.content) {
		code := strings.TrimRight(left, " \t\r\n")
		left = code + lineEnd.FindString(left[len(code):])
	}
	return left
}

// place is where a text comes into the file that is to stand in namespaces, in front of what uses it (before; -1 for
// nothing): an offset at the beginning of a line, with how many of the names stand around it already. top is where the
// file may have declarations at all.
func (f *cFile) place(names []string, before, top int) (offset, around int) {
	limit := len(f.content)
	if before >= 0 {
		limit = before
	}
	for around = len(names); around > 0; around-- {
		best := -1
		for i, b := range f.blocks {
			if slices.Equal(namesOf(f.chain(i)), names[:around]) && b.open < limit && f.depth(b.open+1) == f.outer(i) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		if f.blocks[best].close > limit { // which uses it
			if item, ok := f.itemAt(best, limit); ok {
				if start, _, ok := f.lines(item); ok && f.depth(start) == 0 {
					return start, around
				}
			}
			continue
		}
		if at := f.unconditional(f.lineStart(f.blocks[best].close)); at > f.blocks[best].open {
			return at, around
		}
	}
	if before >= 0 {
		if item, ok := f.itemAt(-1, before); ok {
			if start, _, ok := f.lines(item); ok && f.depth(start) == 0 {
				return max(start, top), 0
			}
		}
		return top, 0
	}
	if f.guard != "" {
		return f.directives[len(f.directives)-1].start, 0
	}
	return len(f.content), 0
}

// outer is how many conditions the brace of a block is in: #ifdef __cplusplus is one around that of extern "C" alone.
func (f *cFile) outer(block int) int {
	if f.blocks[block].names[0] == cLinkage {
		return f.depth(f.blocks[block].open + 1)
	}
	return 0
}

// unconditional is the last beginning of a line, up to one, that is in no condition.
func (f *cFile) unconditional(line int) int {
	for line > 0 && f.depth(line) > 0 {
		line = f.lineStart(line - 1)
	}
	return line
}

// firstCode is where the first declaration begins, with its comments; the end of the file without any.
func (f *cFile) firstCode() int {
	if all := f.items(-1); len(all) > 0 {
		return f.lead(f.lineStart(all[0].start))
	}
	if f.guard != "" {
		return f.directives[len(f.directives)-1].start
	}
	return len(f.content)
}

// top is where the first declaration may stand: behind the includes in front of all code.
func (f *cFile) top() int {
	end, first := f.headEnd(), f.firstCode()
	for _, d := range f.directives {
		if d.start < first && d.depth == 0 && (d.word == "include" || d.word == "endif") &&
			!(f.guard != "" && d.start == f.directives[len(f.directives)-1].start) {
			end = max(end, d.end)
		}
	}
	return end
}

// headEnd is the offset behind the comments at the beginning of a file and the lines that guard it.
func (f *cFile) headEnd() int {
	end := f.first
	for i, d := range f.directives {
		if f.guard != "" && i < 2 || d.word == "pragma" && strings.Contains(f.content[d.start:d.end], "once") {
			end = d.end
		}
	}
	for end == f.first || end < len(f.content) && f.guard == "" {
		next := f.lineEnd(end)
		if next == end || strings.TrimSpace(f.code[end:next]) != "" || strings.TrimSpace(f.content[end:next]) == "" {
			break
		}
		end = next
	}
	if first := f.firstCode(); end > first {
		end = f.lineStart(first)
	}
	return end
}

// groups are the runs of includes without a condition in front of all code.
func (f *cFile) groups() (out [][]cIncludeLine) {
	first, end := f.firstCode(), -1
	for _, i := range f.includes {
		if i.depth > 0 || i.start >= first {
			continue
		}
		if i.start != end {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], i)
		end = i.end
	}
	return out
}

// include adds an include among those of its kind.
func (f *cFile) include(spelled string) splice.Change {
	groups := f.groups()
	own := func(g []cIncludeLine) bool { // the header of a source stands in front
		stem, _, _ := strings.Cut(filepath.Base(g[0].name), ".")
		mine, _, _ := strings.Cut(filepath.Base(f.path), ".")
		return len(g) == 1 && g[0].sign == '"' && (stem == mine || strings.HasPrefix(mine, stem+"_"))
	}
	best, fits := -1, 0 // those without .h are another group where the file has both
	for i, g := range groups {
		for _, one := range g {
			n := 1
			if strings.Contains(one.name, ".") == strings.Contains(spelled, ".") {
				n = 2
			}
			if one.sign == spelled[0] && !own(g) && n >= fits {
				best, fits = i, n
			}
		}
	}
	at := 0
	switch {
	case best >= 0:
		at = among(groups[best], spelled)
	case spelled[0] == '"' && len(groups) == 1 && own(groups[0]):
		at = groups[0][0].end
	default:
		return f.includeApart(spelled, groups)
	}
	return f.includeAt(at, spelled)
}

// includeAt adds an include at the beginning of a line, or the end of the file.
func (f *cFile) includeAt(at int, spelled string) splice.Change {
	end := splice.LineEnd(f.content)
	if at > f.first && f.content[at-1] != '\n' {
		return splice.Insert(at, end+"#include "+spelled)
	}
	return splice.Insert(at, "#include "+spelled+end)
}

// among is the offset in a group for an include: in the order of those of its kind, else behind those of its folder.
func among(g []cIncludeLine, spelled string) int {
	var kind []cIncludeLine
	for _, one := range g {
		if one.sign == spelled[0] {
			kind = append(kind, one)
		}
	}
	at := kind[len(kind)-1].end
	if slices.IsSortedFunc(kind, func(a, b cIncludeLine) int { return strings.Compare(a.name, b.name) }) {
		for _, one := range slices.Backward(kind) {
			if one.spelled() > spelled {
				at = one.start
			}
		}
		return at
	}
	for _, one := range kind {
		if path.Dir(one.spelled()) == path.Dir(spelled) {
			at = one.end
		}
	}
	return at
}

// includeApart adds an include of a kind that the file does not have yet, with a blank line to the others.
func (f *cFile) includeApart(spelled string, groups [][]cIncludeLine) splice.Change {
	end := splice.LineEnd(f.content)
	line := "#include " + spelled + end
	if len(groups) == 0 {
		at := f.headEnd()
		if at > f.first {
			if f.content[at-1] != '\n' {
				line = end + line
			}
			line = end + line
		}
		if rest := f.content[at:]; rest != "" && strings.TrimSpace(rest[:strings.IndexByte(rest+"\n", '\n')]) != "" {
			line += end
		}
		return splice.Insert(at, line)
	}
	if spelled[0] == '<' && !(len(groups[0]) == 1 && groups[0][0].sign == '"') {
		at := groups[0][0].start
		return splice.Insert(at, line+end)
	}
	g := groups[len(groups)-1]
	if spelled[0] == '<' {
		g = groups[0]
	}
	at := g[len(g)-1].end
	if f.content[at-1] != '\n' {
		line = end + line
	}
	return splice.Insert(at, end+line)
}
