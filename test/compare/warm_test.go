package compare

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lspi/internal/testkit"
	"lspi/lsp/servers/clangd"
)

func number(t testing.TB, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// score is how one kind of question went.
type score struct {
	asked, equal, empty, refused, items, shown, excluded int
	ours, raw                                            time.Duration

	truth map[spot][]string // what the server said, where it did not refuse
}

// TestAnswers asks a loaded lspi and a loaded server the same questions and expects equal answers; then it asks lspi
// right after a start (see cold).
func TestAnswers(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			// Each of the others takes half a minute of a processor: its server has to load and index a corpus.
			testkit.Always(t, l.name, "go")
			testkit.Need(t, l.row)
			root := testkit.Corpus(t, l.corpus)
			n := number(t, "LSPI_COMPARE_POSITIONS", testkit.Times(8, 80))
			spots := sample(t, root, l.extensions, n, uint64(number(t, "LSPI_COMPARE_SEED", 1)))
			s, k := warmed(t, l, root, spots[0])
			var truth []score
			t.Run("warm", func(t *testing.T) { truth = compare(t, s, k, spots) })
			s.session.Close()
			t.Run("cold", func(t *testing.T) {
				cold(t, l, root, spots, truth)
			})
		})
	}
}

// warmed is a session whose server has loaded the project, and the server itself beside it.
func warmed(t testing.TB, l language, root string, at spot) (*compared, *asker) {
	t.Helper()
	s := open(t, root, l.row)
	began := time.Now()
	for {
		e := s.ask(t, "find_references", with(at.at(root), everything))
		if e.whole() || e.Reason() == "request_failed" {
			break
		}
		if !e.OK || time.Since(began) > askLimit {
			t.Fatalf("%s does not become ready: %s", l.row, e.raw)
		}
	}
	r := s.startRaw(t)
	s.mirror(t, r, true)
	l.warm(t, r)
	t.Logf("both ready after %v", time.Since(began).Round(time.Millisecond))
	k := &asker{t: t, r: r, root: root, texts: sources{}, direct: s.spec.DirectImplementations}
	if l.row == "clangd" {
		k.info = clangd.MethodSymbolInfo
	}
	if l.build != nil {
		k.build = l.build(t, root)
	}
	return s, k
}

// maxShown is how many differences of one kind are written out.
const maxShown = 4

// compare asks everything about one position before it goes on to the next, so that documents stay open.
func compare(t *testing.T, s *compared, k *asker, spots []spot) []score {
	k.t = t
	scores := make([]score, len(questions))
	for i := range scores {
		scores[i].truth = map[spot][]string{}
	}
	for _, at := range spots {
		for i, q := range questions {
			sc := &scores[i]
			if problem := q.compare(t, s, k, at, sc); problem == "" {
				sc.equal++
			} else if sc.shown++; sc.shown <= maxShown {
				t.Errorf("%s of %q (%s) at %s:%d:%d: %s", q.name, at.word, at.class, k.show(at.path), at.line,
					at.column, problem)
			}
		}
	}
	for i, q := range questions {
		sc := scores[i]
		testkit.Equal(t, sc.equal, sc.asked, q.name, "only")
		each := func(d time.Duration) time.Duration {
			return (d / time.Duration(sc.asked)).Round(10 * time.Microsecond)
		}
		t.Logf("%-16s %4d asked, %4d equal (%d empty, %d refused by the server, %d lack files of other builds), %6d items; lspi %8v, raw %8v for each", q.name,
			sc.asked, sc.equal, sc.empty, sc.refused, sc.excluded, sc.items, each(sc.ours), each(sc.raw))
	}
	return scores
}

// certain are the items of an answer without what depends on more than the question at clangd 22.1.8. Callers that
// macros made have no line of their own, and clangd names them for open files only, of which each side has others.
// The functions main of all programs are one symbol, and which file it is shown in depends on what was indexed
// first. A number that max_breadth cut counts these, too.
func (s *compared) certain(items []string) []string {
	if s.spec.ID != "clangd" {
		return items
	}
	return slices.DeleteFunc(slices.Clone(items), func(item string) bool {
		return strings.HasPrefix(item, "in function main ") || strings.HasPrefix(item, cut+" in ") ||
			strings.HasPrefix(item, "in ") && strings.HasSuffix(item, " []")
	})
}

// compare asks both sides once; "" when they agree.
func (q question) compare(t *testing.T, s *compared, k *asker, at spot, sc *score) string {
	// Both at the same time, unless the server has to have the same documents open first.
	ours := s.start(t, q.tool, with(at.at(k.root), q.arguments))
	var e envelope
	opens := !s.spec.Freshness.QueryClosed || s.spec.Freshness.OpenAsked
	if opens {
		e = ours.envelope(t)
		// The one may ask about the definition, in another file; the other about each implementation.
		s.mirror(t, k.r, q.tool == "call_hierarchy" || k.direct && q.tool == "find_implementations")
	}
	began := time.Now()
	want, err := q.want(k, at)
	sc.raw += time.Since(began)
	if !opens {
		e = ours.envelope(t)
	}
	e = s.decided(t, q.tool, with(at.at(k.root), q.arguments), e)
	s.mirror(t, k.r, true)
	sc.ours += ours.took
	sc.asked++
	switch {
	case err != nil && e.OK:
		return fmt.Sprintf("the server refused (%v), lspi answered %s", err, e.raw)
	case err != nil:
		sc.refused++
		return refusal(e, err)
	}
	sc.truth[at] = want
	if !e.OK {
		return fmt.Sprintf("lspi failed: %s; the server: %s", e.Error.Message, strings.Join(want, "\n"))
	}
	if len(want) == 0 {
		sc.empty++
	}
	sc.items += len(want)
	got := q.got(t, e)
	// The audit adds places at which the server leads to the symbol, and lists none, and values that set a field by
	// their place.
	if q.tool == "find_references" || q.tool == "find_implementations" {
		got = slices.DeleteFunc(got, func(item string) bool {
			return !slices.Contains(want, item) && (strings.Contains(item, at.word) || k.byPlace(item))
		})
	}
	if diff := cmp.Diff(s.certain(want), s.certain(got), cmpopts.EquateEmpty()); diff != "" {
		return fmt.Sprintf("-server +lspi\n%.3000s\n%v", diff, e.Warnings)
	}
	claim, truncated := "complete", marked(want, cut)
	if truncated || marked(want, missing) {
		claim = "partial"
	}
	if left := e.excluded(); len(left) > 0 {
		claim = "partial"
		sc.excluded++
		for _, file := range left {
			if k.build[at.path] && (k.build[filepath.Join(k.root, file)] ||
				slices.ContainsFunc(want, func(line string) bool {
					return strings.Contains(line, file)
				})) {
				return fmt.Sprintf("%s is called no part of the build, and is one\n%v", file, e.Warnings)
			}
		}
	}
	if slices.ContainsFunc(e.Warnings, func(w warning) bool {
		return (w.Kind == "not_built" || w.Kind == "unexplained") && len(w.Files) > 0
	}) {
		claim = "partial"
	}
	if e.Completeness != claim || e.Truncated != truncated {
		return fmt.Sprintf("completeness %q, truncated %v: %v", e.Completeness, e.Truncated, e.Warnings)
	}
	return ""
}

// byPlace reports whether an item of an answer is a value without a key in a composite literal of Go, by the parser
// alone.
func (k *asker) byPlace(item string) bool {
	path, rest, _ := strings.Cut(item, ".go ")
	position, _, _ := strings.Cut(rest, " ")
	path += ".go"
	if !filepath.IsAbs(path) {
		path = filepath.Join(k.root, path)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return !found
		}
		for _, value := range literal.Elts {
			at := files.Position(value.Pos())
			column := k.texts.get(k.t, path).column("utf-8", at.Line-1, at.Column-1)
			if _, keyed := value.(*ast.KeyValueExpr); !keyed && fmt.Sprintf("%d:%d", at.Line, column) == position {
				found = true
			}
		}
		return !found
	})
	return found
}

// marked reports whether a line says why the answer is not whole.
func marked(lines []string, mark string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, mark) })
}

// refusal holds the envelope of a request that the server refused.
func refusal(e envelope, err error) string {
	refused, ok := err.(*rawError)
	if !ok {
		return err.Error()
	}
	want := "request_failed"
	if refused.Code == -32601 {
		want = "request_unsupported"
	}
	if e.Reason() != want || want == "request_failed" && !strings.Contains(e.Error.Message, refused.Message) {
		return fmt.Sprintf("the server refused (%v), lspi: %s: %s", err, e.Reason(), e.Error.Message)
	}
	return ""
}
