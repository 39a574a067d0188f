//go:build linux

package bench

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// The rows of new symbols ask a warm server about another symbol in each sample: no answer of one sample can serve
// another, as it can in the rows that repeat a question. Both have the file of the symbol open.

const newSymbols = 40 // samples of a row

var (
	declaredFunction = regexp.MustCompile(`(?m)(?:\b(?:func|fn|def|function)(?: \([^)[]*\))? |^\w[\w:]*[ *&]+(?:\w+::)?)(\w+)[(\[<]`)
	declaredType     = regexp.MustCompile(`\b(?:type|class|struct|interface|trait|enum) (\w+)`)
	declared         = regexp.MustCompile("(?m)" + declaredFunction.String() + "|" + declaredType.String())
)

// declarations are n places of names that the sources declare, each of another name, in random files. The same seed and
// sources give the same places.
func (p *pair) declarations(b *testing.B, line *regexp.Regexp, seed uint64, n int) (out []spotAt) {
	b.Helper()
	extensions := []string{filepath.Ext(p.file)}
	if extensions[0] == ".cc" {
		extensions = append(extensions, ".h")
	}
	var files []string
	testkit.Must(b, filepath.WalkDir(p.served, func(path string, d fs.DirEntry, err error) error {
		base := filepath.Base(path)
		if d.IsDir() && (base == "testdata" || base == "target" || base == "vendor" || base == "benches" || base[0] == '.') {
			return filepath.SkipDir
		}
		if base == "doc.go" { // examples in a comment
			return err
		}
		if !d.IsDir() && slices.Contains(extensions, filepath.Ext(path)) {
			rel, _ := filepath.Rel(p.served, path)
			files = append(files, rel)
		}
		return err
	}))
	rng, seen := rand.New(rand.NewPCG(seed, 1)), map[string]bool{}
	for tries := 0; len(out) < n && tries < 100*n; tries++ {
		file := files[rng.IntN(len(files))]
		raw, err := os.ReadFile(filepath.Join(p.served, file))
		testkit.Must(b, err)
		if strings.Contains(string(raw), "//go:build") {
			continue // of another build
		}
		found := line.FindAllStringSubmatchIndex(string(raw), -1)
		if len(found) == 0 {
			continue
		}
		at := found[rng.IntN(len(found))]
		if at[2] < 0 {
			at = at[2:] // the other alternative
		}
		name, before := string(raw[at[2]:at[3]]), string(raw[:at[2]])
		start := strings.LastIndexByte(before, '\n') + 1
		// Neither in a comment nor in a text; a generic type of Go looks like a function of C++.
		if seen[name] || line == declaredFunction && strings.HasPrefix(before[start:], "type ") || strings.ContainsAny(before[start:], "/*#\"'`") || strings.Count(before, "`")%2 == 1 ||
			strings.Count(before, `"""`)%2 == 1 {
			continue
		}
		seen[name] = true
		out = append(out, spotAt{file, place{strings.Count(before, "\n") + 1, at[2] - start + 1}})
	}
	if len(out) < n {
		b.Skipf("%d declarations", len(out))
	}
	return out
}

// spotAt is a place of a file.
type spotAt struct {
	file string
	at   place
}

// newSymbol asks about another declaration in each sample: alone does what the server alone is asked for, tool is
// lspi's.
func newSymbol(tool string, line *regexp.Regexp, seed uint64, alone func(b *testing.B, d *direct,
	params map[string]any)) measure {
	return func(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
		p.warm(b)
		spots := p.declarations(b, line, seed, newSymbols)
		var asked, served int // each takes the samples in the same order
		return func(text) time.Duration {
				s := spots[asked%len(spots)]
				asked++
				p.knows(b, spotOf{file: s.file})
				params := p.server.at(s.file, s.at)
				p.server.ask(b, "textDocument/hover", params) // as lspi is asked
				return since(func() { alone(b, p.server, params) })
			}, func(text) reply {
				s := spots[served%len(spots)]
				served++
				p.call(b, p.host, "hover", s.at.in(s.file, nil)) // opens the file, which the server then parses
				return p.call(b, p.host, tool, s.at.in(s.file, nil))
			}
	}
}

func askReferences(b *testing.B, d *direct, params map[string]any) {
	d.ask(b, "textDocument/references", params)
}

func askImplementations(b *testing.B, d *direct, params map[string]any) {
	if !d.offers("implementationProvider", "textDocument/implementation") {
		b.Skip("not offered")
	}
	d.ask(b, "textDocument/implementation", params)
}

func askCallers(b *testing.B, d *direct, params map[string]any) {
	if !d.offers("callHierarchyProvider", "textDocument/prepareCallHierarchy") {
		b.Skip("not offered")
	}
	d.callers(b, d.items(b, "textDocument/prepareCallHierarchy", params))
}
