package watch

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/internal/source"
)

const ignoreFile = ".gitignore"

// gitName is the repository in the root of a working tree: a folder, or a file that names it.
const gitName = ".git"

// rules are the patterns of one ignore file, over those of the files above it (gitignore(5)). nil has none.
//
// doublestar matches the patterns, since it has git's globs; parseRule translates what differs. The obvious library,
// sabhiram/go-gitignore v0.0.0-20210923224102, does not do: it has no '?' and no '[!a]', lets 'a/b' match x/a/b,
// cannot match 'c++' nor the '*$py.class' of GitHub's template for Python, and does not tell a file that says "not
// ignored" from one that says nothing, which files above each other need.
type rules struct {
	above *rules
	base  string // the folder of the ignore file
	list  []rule // in the order of the file; the last one that matches decides
}

// rule is one line of an ignore file.
type rule struct {
	glob     string
	literal  bool // glob has no special characters
	keep     bool // it began with '!'
	onlyDirs bool // it ended with '/'
	anchored bool // matches the path relative to base; otherwise the name
}

// maxRules is how much of an ignore file is read, in bytes.
const maxRules = 1 << 20

// readRules returns the rules of an ignore file, over above. A file that cannot be read has none. Pipes and devices
// are not opened: a pipe called .gitignore would block the journal.
func readRules(path, base string, above *rules) *rules {
	f, _, err := source.OpenRegular(path)
	if err != nil {
		return above
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRules))
	if err != nil {
		return above
	}
	return parseRules(string(text), base, above)
}

func parseRules(text, base string, above *rules) *rules {
	r := &rules{above: above, base: base}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if one, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			r.list = append(r.list, one)
		}
	}
	if len(r.list) == 0 {
		return above
	}
	return r
}

// parseRule reads one line; ok is false for a comment, an empty line and an invalid pattern.
func parseRule(line string) (r rule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line = trimSpaces(line)
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.onlyDirs = strings.CutSuffix(line, "/")
	line, rooted := strings.CutPrefix(line, "/")
	r.anchored = rooted || strings.Contains(line, "/")
	if line == "" {
		return r, false
	}
	r.literal = !strings.ContainsAny(line, `*?[\`)
	r.glob = line
	if !r.literal {
		r.glob = translate(line)
	}
	return r, r.literal || doublestar.ValidatePattern(r.glob)
}

// trimSpaces removes the spaces at the end, but for one after a backslash.
func trimSpaces(line string) string {
	cut := strings.TrimRight(line, " ")
	slashes := len(cut) - len(strings.TrimRight(cut, `\`))
	if slashes%2 == 1 && len(cut) < len(line) {
		cut += " "
	}
	return cut
}

// translate makes a pattern of git's one of doublestar's: braces are not special to git, and 'a/**' does not match a
// itself.
func translate(glob string) string {
	glob = strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(glob)
	if dir, ok := strings.CutSuffix(glob, "/**"); ok {
		return dir + "/**/*"
	}
	return glob
}

// ignored reports whether a path, which lies below r.base, is ignored. The nearest file that has a rule for the path
// decides. The folders above path are not looked at, since the caller does not ask about anything in an ignored
// folder.
func (r *rules) ignored(path string, isDir bool) bool {
	for ; r != nil; r = r.above {
		if keep, ok := r.decide(path, isDir); ok {
			return !keep
		}
	}
	return false
}

// decide applies the rules of one file; ok is false when none matches.
func (r *rules) decide(path string, isDir bool) (keep, ok bool) {
	rel := filepath.ToSlash(strings.TrimPrefix(path[len(r.base):], string(filepath.Separator)))
	name := baseOf(path)
	for i := len(r.list) - 1; i >= 0; i-- {
		if r.list[i].matches(rel, name, isDir) {
			return r.list[i].keep, true
		}
	}
	return false, false
}

func (r *rule) matches(rel, name string, isDir bool) bool {
	if r.onlyDirs && !isDir {
		return false
	}
	subject := name
	if r.anchored {
		subject = rel
	}
	if r.literal {
		return r.glob == subject
	}
	return doublestar.MatchUnvalidated(r.glob, subject)
}

// outerRules are the ignore files of the repository that apply to the root but lie outside of it. They have no
// watches; each barrier looks at them.
type outerRules struct {
	rules *rules
	seen  map[string]stamp // of each file that could be there; the zero stamp for one that is not
}

// read reads them again. When they ignore the root itself they do not apply, since the user opened it all the same.
func (o *outerRules) read(root string) {
	o.rules, o.seen = nil, make(map[string]stamp)
	top := repositoryOf(root)
	if top == "" {
		return
	}
	o.rules = o.readOne(filepath.Join(top, ".git", "info", "exclude"), top)
	for _, dir := range foldersBetween(top, root) {
		o.rules = o.readOne(filepath.Join(dir, ignoreFile), dir)
	}
	for _, dir := range append(foldersBetween(top, root), root) {
		if dir != top && o.rules.ignored(dir, true) {
			o.rules = nil
			return
		}
	}
}

func (o *outerRules) readOne(path, base string) *rules {
	o.seen[path] = statStamp(path)
	return readRules(path, base, o.rules)
}

// stale reports whether one of the files has changed since it was read.
func (o *outerRules) stale() bool {
	for path, s := range o.seen {
		if statStamp(path) != s {
			return true
		}
	}
	return false
}

// repositoryOf returns the nearest folder from root upwards that has a .git; "" when there is none.
func repositoryOf(root string) string {
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// foldersBetween returns the folders from top down to root, without root.
func foldersBetween(top, root string) []string {
	if top == root {
		return nil
	}
	return append(foldersBetween(top, filepath.Dir(root)), filepath.Dir(root))
}
