//go:build unix

package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lspi/internal/testkit"
)

// explored are questions about the corpora of which the first and the last function of the answer are known.
var explored = []struct{ corpus, question, from, to string }{
	{"x-tools", "how does Load run the go list command?", "packages.Load", "golistState.invokeGo"},
	{"x-tools", "where are imports sorted when goimports formats a file?", "imports.Process", "sortImports"},
	{"x-tools", "how are the fixes of analyzers applied?", "checker.Run", "driverutil.ApplyFixes"},
	{"x-tools", "how is the body of a function of a program built in SSA?", "ssa.Package.build", "builder.buildFunction"},
	{"leveldb", "how does a get of the database read a table?", "DBImpl::Get", "Table::InternalGet"},
	{"leveldb", "how does a put of the database add a record to the log?", "DB::Put", "log::Writer::AddRecord"},
	{"leveldb", "how is the manifest recovered when a database is opened?", "DB::Open", "VersionSet::Recover"},
	{"leveldb", "how does the builder of a table write a raw block?", "TableBuilder::Add", "TableBuilder::WriteRawBlock"},
	{"regex-syntax", "how does the parser parse a set class?", "ast::parse::Parser::parse", "ParserI::parse_set_class"},
	{"regex-syntax", "where are escapes parsed with comments?", "ParserI::parse_with_comments", "ParserI::parse_escape"},
	{"regex-syntax", "how is a unicode class query canonicalized?", "TranslatorI::hir_unicode_class",
		"ClassQuery::canonicalize"},
	{"regex-syntax", "how does an interval set get canonicalized when it is negated?", "ClassUnicode::negate",
		"IntervalSet::negate"},
	{"zod", "how is a path written when an error is prettified?", "prettifyError", "toDotPath"},
	{"zod", "how does a safe parse of a type reach an object?", "v3.types.ZodType.safeParse", "ZodObject._parse"},
	{"zod", "how is the context for issues of an input made?", "ZodObject._parse", "ZodType._getOrReturnCtx"},
	{"zod", "how does a string check add an issue to the context?", "ZodString._parse", "addIssueToContext"},
	{"click", "how does get_help of a command write the options?", "Command.get_help", "HelpFormatter.write_dl"},
	{"click", "how does prompt_for_value cast the type of a value?", "Option.prompt_for_value", "Parameter.type_cast_value"},
	{"click", "how does echo strip ansi codes?", "echo", "strip_ansi"},
	{"click", "how is a prompt built for a confirmation?", "confirm", "_build_prompt"},
}

// exploreHead is the head of the table.
const exploreHead = "| corpus | from, to | calls | by the server | edges right | characters | of six calls | time | question: ends found | characters | time |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|\n"

// TestExplore asks symbol_bundle for the path between two functions, and holds each step against the raw server: the
// call, or the implementation, has to be there, and a search along its outgoing calls must find no shorter path. The
// answer's size stands beside that of the calls which give the same. Then it puts the question in words.
func TestExplore(t *testing.T) {
	if os.Getenv("LSPI_EXPLORE") == "" {
		t.Skip("LSPI_EXPLORE=all measures symbol_bundle with symbols and questions in five corpora")
	}
	table := exploreHead
	for _, of := range searched {
		t.Run(of.corpus, func(t *testing.T) {
			testkit.Need(t, of.program)
			table += exploreIn(t, of.corpus, of.row)
		})
	}
	t.Log("\n" + table)
}

// exploreIn asks the questions about one corpus.
func exploreIn(t *testing.T, corpus, row string) (table string) {
	i := slices.IndexFunc(trialProjects, func(p trialProject) bool { return p.corpus == corpus })
	root, err := filepath.EvalSymlinks(measuredProject{corpus: corpus}.copy(t, nil))
	testkit.Must(t, err)
	spots := sample(t, root, trialProjects[i].extensions, 40, 1)
	l := language{row: row, warm: func(testing.TB, *rawServer) {}}
	if i := slices.IndexFunc(languages, func(l language) bool { return l.row == row }); i >= 0 {
		l.warm = languages[i].warm
	}
	first := slices.IndexFunc(spots, func(s spot) bool { return s.class == "definition" })
	s, k := warmed(t, l, root, spots[first])
	c := &exploreCheck{compared: s, k: k}
	for _, q := range explored {
		if q.corpus == corpus {
			table += c.measure(t, q.question, q.from, q.to)
		}
	}
	return table
}

// exploreCheck holds explorations against the raw server.
type exploreCheck struct {
	*compared
	k *asker
}

// exploredBody is the answer of symbol_bundle about several symbols.
type exploredBody struct {
	Paths        [][]string
	NoPath       []string `json:"no_path"`
	Declarations []struct{ Declaration string }
}

// step is a line of a path.
type step struct {
	path, name string
	line       int
	implements bool
}

var stepLine = regexp.MustCompile(`^(.+?):(\d+) (\S+) (.+?)(: .*)?$`)

// measure asks about one pair and returns its row.
func (c *exploreCheck) measure(t *testing.T, question, from, to string) string {
	began := time.Now()
	e := c.ask(t, "symbol_bundle", map[string]any{"symbols": []string{from, to}})
	took := time.Since(began)
	var body exploredBody
	e.decode(t, &body)
	if !e.OK || len(body.Paths) == 0 {
		t.Errorf("%s, %s: no path: %s", from, to, e.raw)
		return ""
	}
	c.mirror(t, c.k.r, true)
	steps := c.steps(t, body.Paths[0])
	right := 0
	for i := range steps[1:] {
		if c.confirmed(t, steps[i], steps[i+1]) {
			right++
		} else {
			t.Errorf("%s, %s: the server has no such step: %s", from, to, body.Paths[0][i+1])
		}
	}
	shortest := c.shortest(t, steps[0], steps[len(steps)-1], len(steps)-1)
	if shortest > 0 && shortest < len(steps)-1 {
		t.Errorf("%s, %s: %d calls, and the server has a path of %d", from, to, len(steps)-1, shortest)
	}
	six := c.sixCalls(t, from, to, len(steps)-1)
	began = time.Now()
	words := c.ask(t, "symbol_bundle", map[string]any{"question": question})
	wordsTook := time.Since(began)
	var said exploredBody
	words.decode(t, &said)
	return fmt.Sprintf("| %s | %s, %s | %d | %d | %d of %d | %d | %d | %.1f s | %d of 2 | %d | %.1f s |\n",
		filepath.Base(c.root), from, to, len(steps)-1, shortest, right, len(steps)-1, size(e), six, took.Seconds(),
		holds(said, steps[0])+holds(said, steps[len(steps)-1]), size(words), wordsTook.Seconds())
}

// size is how many characters an answer has.
func size(e envelope) int { return utf8.RuneCountInString(string(e.raw)) }

// holds is 1 where a declaration is among those of an answer.
func holds(b exploredBody, s step) int {
	for _, d := range b.Declarations {
		if m := stepLine.FindStringSubmatch(d.Declaration); strings.HasPrefix(d.Declaration, s.path+":"+strconv.Itoa(s.line)) ||
			m != nil && m[1] == s.path && m[4] == s.name {
			return 1
		}
	}
	return 0
}

// steps reads a path.
func (c *exploreCheck) steps(t *testing.T, lines []string) (out []step) {
	for _, text := range lines {
		m := stepLine.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("a step of another form: %q", text)
		}
		line, _ := strconv.Atoi(m[2])
		out = append(out, step{m[1], m[4], line, strings.HasPrefix(m[5], ": implements")})
	}
	return out
}

// items are the raw server's items of a step.
func (c *exploreCheck) items(t *testing.T, s step) []rawItem {
	path := filepath.Join(c.root, s.path)
	text, err := os.ReadFile(path)
	testkit.Must(t, err)
	name := s.name[strings.LastIndexAny(s.name, ".:")+1:]
	line := strings.Split(string(text), "\n")[s.line-1]
	at := regexp.MustCompile(`(^|[^\pL\pN_])` + regexp.QuoteMeta(name) + `($|[^\pL\pN_])`).FindStringIndex(line)
	if at == nil {
		t.Fatalf("%s is not in line %d of %s", name, s.line, s.path)
	}
	column := utf8.RuneCountInString(line[:strings.Index(line[at[0]:], name)+at[0]]) + 1
	items, err := c.k.roots(spot{path: path, line: s.line, column: column, word: name})
	testkit.Must(t, err)
	return items
}

// at reports whether an item is the function of a step.
func (c *exploreCheck) at(i rawItem, s step) bool {
	p := c.k.place(i.URI, i.SelectionRange)
	return c.k.show(p.path) == s.path && p.line == s.line
}

// confirmed reports whether the raw server has a step: as an outgoing or an incoming call, or as an implementation.
func (c *exploreCheck) confirmed(t *testing.T, a, b step) bool {
	for _, i := range c.items(t, a) {
		if b.implements {
			p := c.k.place(i.URI, i.SelectionRange)
			places, err := c.k.places("textDocument/implementation", spot{path: p.path, line: p.line, column: p.column}, nil)
			if err == nil && slices.ContainsFunc(places, func(p place) bool {
				return c.k.show(p.path) == b.path && p.line == b.line
			}) {
				return true
			}
			continue
		}
		if c.calls(t, "callHierarchy/outgoingCalls", i, b) {
			return true
		}
	}
	for _, i := range c.items(t, b) {
		if c.calls(t, "callHierarchy/incomingCalls", i, a) {
			return true
		}
	}
	return false
}

// calls reports whether a step is among the calls of an item. What the raw server does not answer, as on a machine that
// is too busy, is no proof that a step is wrong.
func (c *exploreCheck) calls(t *testing.T, method string, i rawItem, s step) bool {
	found, err := c.k.related(method, i)
	if err != nil {
		t.Errorf("the raw server does not answer %s: %v", method, err)
	}
	return slices.ContainsFunc(found, func(call call) bool { return c.at(call.item, s) })
}

// shortest is the length of the shortest path by outgoing calls within the workspace, up to a length; 0 where there is
// none.
func (c *exploreCheck) shortest(t *testing.T, from, to step, most int) int {
	seen := map[string]bool{}
	level := c.items(t, from)
	for n := 1; n <= most; n++ {
		var next []rawItem
		for _, i := range level {
			found, err := c.k.related("callHierarchy/outgoingCalls", i)
			if err != nil {
				continue
			}
			for _, call := range found {
				p := c.k.place(call.item.URI, call.item.SelectionRange)
				key := fmt.Sprint(p.path, p.line, p.column)
				if c.at(call.item, to) {
					return n
				}
				if !seen[key] && strings.HasPrefix(p.path, c.root+"/") && len(seen) < 400 {
					seen[key], next = true, append(next, call.item)
				}
			}
		}
		level = next
	}
	return 0
}

// sixCalls is how many characters the answers of the calls have that give the same: both declarations with their
// bodies, the calls from the first one and to the last one, and the uses of the last one.
func (c *exploreCheck) sixCalls(t *testing.T, from, to string, depth int) (n int) {
	for _, call := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"search_workspace_symbols", map[string]any{"query": to}},
		{"find_definition", map[string]any{"symbol_name": from, "include_body": true}},
		{"find_definition", map[string]any{"symbol_name": to, "include_body": true}},
		{"call_hierarchy", map[string]any{"symbol_name": from, "direction": "outgoing", "max_depth": min(depth, 6)}},
		{"call_hierarchy", map[string]any{"symbol_name": to, "max_depth": min(depth, 6)}},
		{"find_references", map[string]any{"symbol_name": to}},
	} {
		n += size(c.ask(t, call.tool, call.arguments))
	}
	return n
}
