package paths

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// root is one root of one side in one of the ways in which it stands in a text, and what takes its place.
type root struct {
	from, to string
	uri      bool   // from begins with scheme
	fold     bool   // of a Windows path, in which the case of letters does not count
	between  string // what separates names behind from
	becomes  string // what separates them behind to
}

// tree is a root as the configuration has it.
type tree struct {
	path    string // cleaned, with / in a Windows path, too
	windows bool
}

// drive begins a Windows path: C:\ or C:/.
var drive = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

// treeOf is a root; false for one that is not absolute, or all of a file system or drive. \\SERVER\SHARE is none: in JSON it looks like \SERVER.
func treeOf(p string) (tree, bool) {
	if drive.MatchString(p) {
		cleaned := path.Clean(strings.ReplaceAll(p, `\`, "/"))
		return tree{cleaned, true}, len(cleaned) > len("C:/")
	}
	cleaned := path.Clean(p)
	return tree{cleaned, false}, path.IsAbs(cleaned) && cleaned != "/"
}

const scheme = "file://"

// uri is the tree as the URI of a file.
func (t tree) uri() string {
	p := t.path
	if t.windows {
		p = "/" + p
	}
	return scheme + (&url.URL{Path: p}).EscapedPath()
}

// rootsOf are the ways in which a tree stands in a text, each with the tree that takes its place. remote says that the other one is of the machine of
// the server, whose own separators are used; what comes to lspi has / in Windows paths, too, which all programs there take, and which needs no
// escape where the text is JSON.
func rootsOf(from, to tree, remote bool) []root {
	out := []root{{from: from.uri(), to: to.uri(), uri: true, fold: from.windows, between: "/", becomes: "/"}}
	path, becomes := to.path, "/"
	if to.windows && remote {
		path, becomes = strings.ReplaceAll(path, "/", `\`), `\`
	}
	add := func(between string) {
		out = append(out, root{from: strings.ReplaceAll(from.path, "/", between), to: path, fold: from.windows, between: between, becomes: becomes})
	}
	add("/")
	if from.windows {
		add(`\`)
		if !remote {
			add(`\\`) // in a text that is JSON
		}
		encoded := out[0] // by VS Code and what follows it
		encoded.from = strings.Replace(encoded.from, ":/", "%3A/", 2)
		encoded.from = strings.Replace(encoded.from, "file%3A/", "file:/", 1)
		out = append(out, encoded)
	}
	return out
}

// inOrder puts longer roots before those that they begin with.
func inOrder(roots []root) {
	slices.SortStableFunc(roots, func(a, b root) int { return len(b.from) - len(a.from) })
}

// heads reports whether a text begins with the root.
func (r *root) heads(s string) bool {
	if len(s) < len(r.from) {
		return false
	}
	if head := s[:len(r.from)]; head != r.from {
		return r.fold && strings.EqualFold(head, r.from)
	}
	return true
}

// separates reports whether a path goes on in a text behind the root.
func (r *root) separates(after string) bool {
	return after != "" && (after[0] == '/' || r.fold && !r.uri && after[0] == '\\')
}

// notInNames are characters that no name of Windows has.
const notInNames = `:*?"<>|`

// rest is what follows the root in the path, with the separators of the other side, and how long it was. Where separators stay it is empty.
func (r *root) rest(before, after string) (mapped string, n int) {
	if r.between == r.becomes {
		return "", 0
	}
	n = r.length(before, after)
	return strings.ReplaceAll(after[:n], r.between, r.becomes), n
}

// length is how much of a text belongs to a path whose root stands before it. A path that is the whole text, or stands in quotes, may have spaces; any
// other one ends with the first.
func (r *root) length(before, after string) int {
	n := strings.IndexFunc(after, func(c rune) bool { return unicode.IsControl(c) || strings.ContainsRune(notInNames, c) })
	if n < 0 {
		n = len(after)
	}
	if r.between == `\\` {
		n = min(n, single(after))
	}
	if before == "" {
		return n
	}
	if quote := before[len(before)-1]; strings.IndexByte("\"'`", quote) >= 0 {
		if end := strings.IndexByte(after, quote); end >= 0 && end <= n || quote == '"' && n < len(after) {
			return min(n, max(end, 0))
		}
	}
	if space := strings.IndexFunc(after, unicode.IsSpace); space >= 0 {
		n = min(n, space)
	}
	return n
}

// single is where the first backslash of JSON stands that is neither one of a path nor begins a character by its number, or how long the text is.
func single(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if i+1 == len(s) || s[i+1] != '\\' && s[i+1] != 'u' {
			return i
		}
		i++
	}
	return len(s)
}

// replace is what takes the place of the root at the beginning of a text, and of what follows in the path, and how long both were. It is false where the
// other side can have no such name.
func (r *root) replace(before, s string) (mapped string, n int, ok bool) {
	after := s[len(r.from):]
	rest, taken := r.rest(before, after)
	if r.becomes == `\` && strings.Contains(after[:taken], `\`) && !r.fold {
		return "", 0, false
	}
	return r.to + rest, len(r.from) + taken, true
}

// find is a string whose beginning is mapped; false when no root is there.
func find(roots []root, s string) (mapped string, ok bool) {
	uri, isURI := strings.CutPrefix(s, scheme)
	uri = strings.TrimPrefix(uri, "localhost")
	for i := range roots {
		r := &roots[i]
		text, prefix := s, ""
		switch {
		case isURI && r.uri:
			text = scheme + uri
		case isURI && !r.fold && r.becomes == "/": // with characters that should be escaped
			text, prefix = uri, scheme
		case isURI || r.uri:
			continue
		}
		if !r.heads(text) {
			continue
		}
		if after := text[len(r.from):]; after != "" && !r.separates(after) {
			continue
		}
		if mapped, n, ok := r.replace("", text); ok {
			return prefix + mapped + text[n:], true
		}
	}
	return s, false
}

// within maps each occurrence of a root at the boundaries of a path. What was mapped is not looked at again: a local root may lie below a
// remote one.
func within(roots []root, s string) string {
	if !slices.ContainsFunc(roots, func(r root) bool { return r.fold || strings.Contains(s, r.from) }) {
		return s
	}
	var b strings.Builder
	last := 0
	for i := 0; i < len(s); {
		r, ok := at(roots, s, i)
		if !ok {
			i++
			continue
		}
		mapped, n, _ := r.replace(s[:i], s[i:])
		b.WriteString(s[last:i])
		b.WriteString(mapped)
		i += n
		last = i
	}
	if last == 0 {
		return s
	}
	return b.String() + s[last:]
}

// at is the longest root that stands at i.
func at(roots []root, s string, i int) (*root, bool) {
	for n := range roots {
		r := &roots[n]
		if s[i]|0x20 != r.from[0]|0x20 || !r.heads(s[i:]) || !begins(s[:i]) {
			continue
		}
		after := s[i+len(r.from):]
		if !r.separates(after) && !ends(after) {
			continue
		}
		if _, _, ok := r.replace(s[:i], s[i:]); ok {
			return r, true
		}
	}
	return nil, false
}

// begins says whether a path may begin behind a text: not within a word, a longer path or a URL other than that of a file.
func begins(before string) bool {
	if before == "" || strings.HasSuffix(before, scheme) || strings.HasSuffix(before, scheme+"localhost") {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return !partOfPath(r) && !strings.ContainsRune("/.~)]}\\", r)
}

// ends says whether a root ends where a text begins: at a slash, or at what is no part of a name. A dot ends it where a sentence does.
func ends(after string) bool {
	if after == "" || after[0] == '/' {
		return true
	}
	r, n := utf8.DecodeRuneInString(after)
	if r == '.' {
		next, _ := utf8.DecodeRuneInString(after[n:])
		return next == utf8.RuneError || unicode.IsSpace(next)
	}
	return !partOfPath(r)
}

func partOfPath(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-+~@%$", r)
}

// mistake is why a pair of roots cannot be mapped.
func mistake(remote, local string) error {
	return fmt.Errorf("paths: %q = %q: each has to be a folder below the root of a file system or drive, such as /srv/app or C:\\src\\app, and no share of a network",
		remote, local)
}
