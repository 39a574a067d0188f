package compare

import (
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"lspi/internal/testkit"
)

// spot is a position to ask about.
type spot struct {
	path   string // absolute
	line   int    // from 1
	column int    // code points, from 1
	word   string
	class  string
}

// The classes of positions and how often each is taken. They are told apart by a look at the text alone, which is
// enough to have all of them.
var weights = []struct {
	class  string
	weight int
}{
	{"definition", 22}, // behind func, class, struct …
	{"member", 20},     // behind a dot, an arrow, a double colon
	{"type", 18},       // begins with a capital
	{"local", 14},      // three letters or less
	{"use", 16},        // all other names
	{"text", 8},        // in a string or a comment
	{"keyword", 2},     //
}

var keywords = []string{
	"func", "type", "struct", "interface", "package", "import", "return", "if", "else", "for", "range", "switch",
	"case",
	"var", "const", "class", "enum", "namespace", "template", "public", "private", "static", "fn", "impl", "trait",
	"mod",
	"let", "mut", "pub", "use", "match", "void", "int", "bool", "char", "virtual", "union", "macro_rules", "while",
}

var definers = []string{
	"func", "type", "struct", "interface", "class", "enum", "namespace", "fn", "trait", "mod", "let", "const", "var",
	"static", "union", "macro_rules", "impl", "mut",
}

// sample takes n positions from the files below root. The same seed, files and n give the same positions. They are of
// few files, four of each at the mean: servers parse or check what is asked about first, which is most of the time.
func sample(t testing.TB, root string, extensions []string, n int, seed uint64) []spot {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(strings.Join(extensions, ",")))
	rng := rand.New(rand.NewPCG(seed, h.Sum64()))
	byFile := map[string][][]spot{} // by class, then by file
	all := files(t, root, extensions)
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, path := range all[:min(len(all), max(n/4, 10))] {
		in := map[string][]spot{}
		for _, s := range scan(t, path) {
			in[s.class] = append(in[s.class], s)
		}
		for class, spots := range in {
			byFile[class] = append(byFile[class], spots)
		}
	}
	total := 0
	for _, w := range weights {
		total += w.weight
	}
	var out []spot
	taken := map[spot]bool{}
	for tries := 0; len(out) < n && tries < 100*n; tries++ {
		at := rng.IntN(total)
		for _, w := range weights {
			if at -= w.weight; at >= 0 {
				continue
			}
			// A file first, then a place in it, so that large files do not take all.
			if in := byFile[w.class]; len(in) > 0 {
				spots := in[rng.IntN(len(in))]
				if s := spots[rng.IntN(len(spots))]; !taken[s] {
					taken[s] = true
					out = append(out, s)
				}
			}
			break
		}
	}
	if len(out) < n {
		t.Fatalf("only %d positions below %s", len(out), root)
	}
	return out
}

// skipped are folders that are no part of the project, or hold nothing but tables of characters.
var skipped = []string{"testdata", "benches", "test", "unicode_tables"}

// files are the sources that a server loads as part of the project, in order.
func files(t testing.TB, root string, extensions []string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		base := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (slices.Contains(skipped, base) || base[0] == '.' || base[0] == '_'):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains(extensions, strings.TrimPrefix(filepath.Ext(base), ".")):
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(raw) || foreign(base, raw) {
			return err
		}
		out = append(out, path)
		return nil
	})
	testkit.Must(t, err)
	return out
}

// foreign reports whether a Go file belongs to another build than this machine's: gopls builds a view of its own for
// such a file, which takes seconds each.
func foreign(base string, raw []byte) bool {
	if !strings.HasSuffix(base, ".go") {
		return false
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test")
	for _, os := range []string{"windows", "darwin", "plan9", "wasm", "js", "arm64", "freebsd", "openbsd", "solaris",
		"aix"} {
		if strings.HasSuffix(stem, "_"+os) {
			return true
		}
	}
	return strings.Contains(string(raw), "\n//go:build") || strings.HasPrefix(string(raw), "//go:build")
}

// scan finds every identifier of a file with its class.
func scan(t testing.TB, path string) []spot {
	t.Helper()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	var out []spot
	s := newSource(path, string(raw))
	block, before := false, ""
	for n, line := range s.lines {
		quote := rune(0)
		runes := []rune(line)
		for i := 0; i < len(runes); {
			rest := string(runes[i:])
			switch r := runes[i]; {
			case block:
				if strings.HasPrefix(rest, "*/") {
					block = false
				}
			case quote != 0 && r == '\\':
				i++
			case quote != 0 && r == quote:
				quote = 0
			case quote != 0:
			case strings.HasPrefix(rest, "/*"):
				block = true
			case strings.HasPrefix(rest, "//"):
				quote = '\n' // to the end of the line
			case r == '"' || r == '`':
				quote = r
			case r == '\'' && i+2 < len(runes) && (runes[i+1] == '\\' || runes[i+2] == '\''):
				quote = r // a character, and no lifetime of Rust
			}
			if i >= len(runes) || !starts(runes[i]) || i > 0 && continues(runes[i-1]) {
				i++
				continue
			}
			end := i
			for end < len(runes) && continues(runes[end]) {
				end++
			}
			word := string(runes[i:end])
			if word == "_" { // no name: it stands where one has to
				i = end
				continue
			}
			class := classOf(word, before, strings.TrimRight(string(runes[:i]), " "), block || quote != 0)
			out = append(out, spot{path, n + 1, i + 1, word, class})
			before, i = word, end
		}
	}
	return out
}

func classOf(word, before, left string, text bool) string {
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case text:
		return "text"
	case slices.Contains(keywords, word):
		return "keyword"
	case slices.Contains(definers, before) && strings.HasSuffix(left, before), strings.HasSuffix(left, ")") &&
		strings.HasPrefix(left, "func ("):
		return "definition"
	case strings.HasSuffix(left, "."), strings.HasSuffix(left, "->"), strings.HasSuffix(left, "::"):
		return "member"
	case unicode.IsUpper(first):
		return "type"
	case len(word) <= 3:
		return "local"
	}
	return "use"
}

func starts(r rune) bool    { return r == '_' || unicode.IsLetter(r) }
func continues(r rune) bool { return starts(r) || unicode.IsDigit(r) }
