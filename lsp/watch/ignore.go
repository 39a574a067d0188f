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

// rules are those of one ignore file, laid over the ones of the files above it (gitignore(5)). nil has none.
//
// The patterns are doublestar's, which has git's globs; what differs is translated in parseRule.
// sabhiram/go-gitignore v0.0.0-20210923224102, made for the files as a whole, has no '?' and no '[!a]', lets 'a/b'
// match x/a/b, cannot match 'c++' nor the '*$py.class' that GitHub's template for Python has, and does not tell a
// file that says "not ignored" from one that says nothing, which stacking needs.
type rules struct {
	above *rules
	base  string // the folder of the ignore file
	list  []rule // in the order of the file: the last one that matches decides
}

// rule is one line.
type rule struct {
	glob     string
	literal  bool // glob has no special characters
	keep     bool // it began with '!'
	onlyDirs bool // it ended with '/'
	anchored bool // it is matched against the path relative to base, otherwise against the name
}

// maxRules is how much of an ignore file is read, in bytes.
const maxRules = 1 << 20

// readRules lays the ignore file over above. A file that cannot be read has no rules.
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

// parseRule reads one line; ok is false for a comment, an empty line and a pattern that is none.
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

// trimSpaces cuts the spaces at the end that no backslash protects.
func trimSpaces(line string) string {
	cut := strings.TrimRight(line, " ")
	slashes := len(cut) - len(strings.TrimRight(cut, `\`))
	if slashes%2 == 1 && len(cut) < len(line) {
		cut += " "
	}
	return cut
}

// translate makes doublestar's pattern of git's: braces are not special to git, and 'a/**' does not match a itself.
func translate(glob string) string {
	glob = strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(glob)
	if dir, ok := strings.CutSuffix(glob, "/**"); ok {
		return dir + "/**/*"
	}
	return glob
}

// ignored reports whether the path, which is in the folder of r or below, is to be left out. The nearest file that
// has a rule for it decides. It does not look at the folders above path: nothing below a folder that is left out is
// asked for.
func (r *rules) ignored(path string, isDir bool) bool {
	for ; r != nil; r = r.above {
		if keep, ok := r.decide(path, isDir); ok {
			return !keep
		}
	}
	return false
}

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

// outer are the ignore files of the repository that hold for the root but do not lie in it. They are not watched, but
// looked at in each barrier.
type outer struct {
	rules *rules
	seen  map[string]stamp // the files there could be; the zero stamp: it is not there
}

// read reads them anew. A root that they leave out was asked for all the same, so they do not hold for it.
func (o *outer) read(root string) {
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

func (o *outer) readOne(path, base string) *rules {
	o.seen[path] = followed(path)
	return readRules(path, base, o.rules)
}

// changed reports whether one of the files is not as it was when it was read.
func (o *outer) changed() bool {
	for path, s := range o.seen {
		if followed(path) != s {
			return true
		}
	}
	return false
}

// repositoryOf is the nearest folder from root upwards that has a .git; "" when there is none.
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

// foldersBetween are the folders from top down to root, without root.
func foldersBetween(top, root string) []string {
	if top == root {
		return nil
	}
	return append(foldersBetween(top, filepath.Dir(root)), filepath.Dir(root))
}
