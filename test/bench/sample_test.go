//go:build linux

package bench

import (
	"context"
	"encoding/json"
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
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// BenchmarkSampleDefinition is find_definition of names all over the module, as they come: the usual question, and not
// the largest.
func BenchmarkSampleDefinition(b *testing.B) {
	sampled(b, "textDocument/definition", "find_definition")
}

// BenchmarkSampleReferences is find_references of the same names.
func BenchmarkSampleReferences(b *testing.B) {
	sampled(b, "textDocument/references", "find_references")
}

// samples is how many names are asked about.
const samples = 30

// sampled asks about each name raw and through lspi, one after the other, and reports the two and the median of their
// differences. Names that the server refuses are left out, as are the first answers, for which it loads packages.
func sampled(b *testing.B, method, tool string) {
	root := corpus(b)
	d, session := goDirect(b, root), openSession(b, root)
	var raw, through, added times
	spots := slices.DeleteFunc(identifiers(b, root, samples), func(s spot) bool { return !d.knows(b, method, s) })
	ask := func(s spot) (time.Duration, time.Duration) {
		params, arguments := d.at(s.file, s.place), s.in(s.file, nil)
		began := time.Now()
		d.ask(b, method, params)
		between := time.Now()
		answered(b, session, tool, arguments)
		return between.Sub(began), time.Since(between)
	}
	for _, s := range spots {
		ask(s)
	}
	for b.Loop() {
		for _, s := range spots {
			r, l := ask(s)
			raw, through, added = append(raw, r), append(through, l), append(added, l-r)
		}
	}
	b.ReportMetric(0, "ns/op")
	raw.report(b, "raw")
	through.report(b, "lspi")
	b.ReportMetric(micros(added.percentile(0.5)), "added-p50-µs")
	b.ReportMetric(float64(len(spots)), "names")
}

// answered asks through tools.Run.
func answered(b testing.TB, session *session.Session, tool string, arguments map[string]any) {
	raw, err := json.Marshal(arguments)
	testkit.Must(b, err)
	if r := tools.Run(context.Background(), session, nil, answer.Request{Tool: tool, Arguments: raw}); !r.OK {
		b.Fatalf("%s: %s", tool, r.Structured)
	}
}

// knows opens the file at the server and reports whether it answers.
func (d *direct) knows(b *testing.B, method string, s spot) bool {
	d.open(b, s.file)
	var answer json.RawMessage
	return d.Call(b.Context(), method, d.at(s.file, s.place), &answer) == nil
}

// spot is an identifier of a file.
type spot struct {
	file string
	place
}

var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

// identifiers are n names of code, each in another file, the same ones in every run.
func identifiers(b *testing.B, root string, n int) (out []spot) {
	var files []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && e.Name() == "testdata" {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return err
	})
	testkit.Must(b, err)
	rnd := rand.New(rand.NewPCG(1, 0))
	rnd.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for _, file := range files {
		raw, err := os.ReadFile(file)
		testkit.Must(b, err)
		lines := strings.Split(string(raw), "\n")
		line := rnd.IntN(len(lines))
		code, _, _ := strings.Cut(lines[line], "//")
		found := identifier.FindAllStringIndex(code, -1)
		if len(found) == 0 || strings.ContainsAny(code, "\"`") || !ascii(code) {
			continue
		}
		rel, err := filepath.Rel(root, file)
		testkit.Must(b, err)
		at := found[rnd.IntN(len(found))][0]
		if out = append(out, spot{rel, place{line + 1, at + 1}}); len(out) == n {
			break
		}
	}
	return out
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 127 }) < 0
}
