//go:build unix

package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lspi/internal/testkit"
	"lspi/test/trial"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/hooks"
)

// searched are the corpora of TestSearchTrial.
var searched = []struct{ title, corpus, program, row string }{
	{"Go, gopls: x-tools", "x-tools", "gopls", "gopls"},
	{"TypeScript, typescript-language-server: zod", "zod", "typescript-language-server", "typescript-language-server"},
	{"Python, pyright: click", "click", "pyright-langserver", "pyright"},
	{"Rust, rust-analyzer: regex-syntax", "regex-syntax", "rust-analyzer", "rust-analyzer"},
	{"C++, clangd: leveldb", "leveldb", "clangd", "clangd"},
}

// searches are the ways in which a host looks for a word.
var searches = []func(word string) *hooks.Event{
	func(word string) *hooks.Event { return &hooks.Event{Pattern: word, Reads: true} },
	func(word string) *hooks.Event { return &hooks.Event{Command: "rg -n " + word} },
	func(word string) *hooks.Event {
		return &hooks.Event{Command: `grep -rn "\b` + word + `\b" . | head -50`}
	},
}

// searchHead is the head of the table of docs/hooks.md.
const searchHead = "| language, server: corpus | searches | known | told within 150 ms | wrong facts | declared elsewhere, too | characters p50 | p90 | time p50 | p90 |\n" +
	"|---|---|---|---|---|---|---|---|---|---|\n"

// TestSearchTrial searches for random identifiers of five corpora, as hosts do, and holds each fact that the model is
// told behind a search, given time, against the raw answers of the same server. LSPI_SEARCHES=100 is how many in each
// corpus, by LSPI_COMPARE_SEED. -update writes the table of docs/hooks.md.
func TestSearchTrial(t *testing.T) {
	n := number(t, "LSPI_SEARCHES", 0)
	if n == 0 {
		t.Skip("LSPI_SEARCHES=100 (make hooks-searches) searches in each corpus")
	}
	for _, of := range searched {
		t.Run(of.corpus, func(t *testing.T) {
			testkit.Need(t, of.program)
			i := slices.IndexFunc(trialProjects, func(p trialProject) bool { return p.corpus == of.corpus })
			row := searchIn(t, of.title, of.row, trialProjects[i], n)
			if *update {
				trial.WriteRows(t, "../../docs/hooks.md", searchHead, []string{row})
			}
		})
	}
}

// searchIn searches n times in one corpus and returns its row of the table.
func searchIn(t *testing.T, title, row string, p trialProject, n int) string {
	root, err := filepath.EvalSymlinks(measuredProject{corpus: p.corpus}.copy(t, nil))
	testkit.Must(t, err)
	spots := sample(t, root, p.extensions, 4*n, uint64(number(t, "LSPI_COMPARE_SEED", 1)))
	l := language{row: row, warm: func(testing.TB, *rawServer) {}}
	if i := slices.IndexFunc(languages, func(l language) bool { return l.row == row }); i >= 0 {
		l.warm = languages[i].warm
	}
	first := slices.IndexFunc(spots, func(s spot) bool { return s.class == "definition" })
	s, k := warmed(t, l, root, spots[first])
	c := &searchCheck{compared: s, k: k, files: files(t, root, p.extensions), open: map[string]bool{}}
	var sizes []int
	var times []time.Duration
	asked := map[string]bool{}
	for _, at := range spots {
		if asked[at.word] || at.class == "keyword" || len(asked) == n {
			continue
		}
		e := searches[len(asked)%len(searches)](at.word)
		asked[at.word] = true
		began := time.Now()
		text := hooks.AfterSearch(context.Background(), tools.HookCall(s.session), e, c.tool).Text
		if took := time.Since(began); text != "" {
			times = append(times, took)
			sizes = append(sizes, utf8.RuneCountInString(text))
			c.check(t, at.word, text)
		}
	}
	testkit.Equal(t, len(asked), n, "searches")
	slices.Sort(sizes)
	slices.Sort(times)
	soon := len(times)
	if i := slices.IndexFunc(times, func(took time.Duration) bool { return took > hooks.SearchBudget }); i >= 0 {
		soon = i
	}
	at := func(part int) int { return append(sizes, 0)[len(sizes)*part/10] }
	ms := func(part int) int64 { return append(times, 0)[len(times)*part/10].Milliseconds() }
	line := fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %d ms | %d ms |\n", title, n, len(sizes), soon, c.wrong,
		c.several, at(5), at(9), ms(5), ms(9))
	t.Log(line)
	return line
}

// searchCheck holds what is told behind searches against the raw server.
type searchCheck struct {
	*compared
	k     *asker
	files []string        // all sources
	open  map[string]bool // those that the raw server was shown for documentSymbol

	wrong, several int
}

// tool runs a tool as the hook does.
func (c *searchCheck) tool(ctx context.Context, name string, arguments map[string]any) (json.RawMessage, bool) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, false
	}
	r := tools.Run(ctx, c.session, nil, answer.Request{Tool: name, Arguments: raw})
	return r.Structured, r.OK
}

var toldWord = regexp.MustCompile(`(?s)^lspi: (.+?):(\d+) (\S+) (\S+?)(?::? .*)?\n` +
	`(\d+) uses? in (\d+) files? \((complete|there may be more)\)`)

// check counts the facts of a text that are wrong.
func (c *searchCheck) check(t *testing.T, word, text string) {
	m := toldWord.FindStringSubmatch(text)
	if m == nil {
		c.fails(t, text, "it has another form")
		return
	}
	c.follow(t)
	line, _ := strconv.Atoi(m[2])
	at := spot{path: filepath.Join(c.root, m[1]), line: line, word: word}
	here := func(d rawItem) bool { return d.SelectionRange.Start.Line+1 == line }
	declared := c.declared(t, at.path, word)
	i := slices.IndexFunc(declared, here)
	if i < 0 { // clangd has macros in no outline
		declared = c.known(t, at.path, word)
		i = slices.IndexFunc(declared, here)
	}
	if i < 0 {
		c.fails(t, text, "the server declares it elsewhere: %+v", declared)
		return
	}
	if kind := symbolKinds[declared[i].Kind-1]; kind != m[3] {
		c.fails(t, text, "the server calls it a %s", kind)
	}
	start := declared[i].SelectionRange.Start
	at.column = c.k.texts.get(t, at.path).column(c.k.r.encoding, start.Line, start.Character)
	c.uses(t, at, text, m[5], m[6])
	c.alone(t, at, text)
}

// alone counts a text whose word other symbols have, too.
func (c *searchCheck) alone(t *testing.T, at spot, text string) {
	own, err := c.k.places("textDocument/references", at,
		map[string]any{"context": map[string]any{"includeDeclaration": true}})
	testkit.Must(t, err)
	for _, path := range c.files {
		if !regexp.MustCompile(`\b` + at.word + `\b`).MatchString(strings.Join(c.k.texts.get(t, path).lines, "\n")) {
			continue
		}
		for _, d := range c.declared(t, path, at.word) {
			line := d.SelectionRange.Start.Line + 1
			if slices.ContainsFunc(append(own, place{path: at.path, line: at.line}),
				func(p place) bool { return p.path == path && p.line == line }) {
				continue
			}
			c.several++
			t.Logf("%s:%d declares another %s:\n%s", c.k.show(path), line, d.Name, text)
			return
		}
	}
}

// follow opens and closes at the raw server what lspi did at its own.
func (c *searchCheck) follow(t *testing.T) {
	c.mu.Lock()
	for _, m := range c.said {
		var p struct{ TextDocument struct{ URI string } }
		if json.Unmarshal(m.Params, &p) == nil && m.Method != "textDocument/didChange" {
			c.open[p.TextDocument.URI] = m.Method == "textDocument/didOpen" || c.open[p.TextDocument.URI]
		}
	}
	c.mu.Unlock()
	c.mirror(t, c.k.r, true)
}

// show opens a file at the raw server: some know only the symbols of open files.
func (c *searchCheck) show(path string) {
	uri := uriOf(path)
	if c.open[uri] {
		return
	}
	c.open[uri] = true
	c.k.r.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1,
		"languageId": c.spec.LanguageID(filepath.Base(path)), "text": strings.Join(c.k.texts.get(c.k.t, path).lines, "\n")}})
}

// uses counts a wrong number of uses or files.
func (c *searchCheck) uses(t *testing.T, at spot, text, uses, files string) {
	found, err := c.k.places("textDocument/references", at,
		map[string]any{"context": map[string]any{"includeDeclaration": true}})
	if err != nil {
		c.fails(t, text, "%v", err)
		return
	}
	// A use is what is no declaration, of which there may be several; servers differ in which they leave out themselves.
	for _, method := range []string{"textDocument/definition", "textDocument/declaration"} {
		// Not every server knows the latter, and clangd leads elsewhere from the declaration itself.
		declared, _ := c.k.places(method, at, nil)
		declared = append(declared, place{path: at.path, line: at.line, column: at.column})
		found = slices.DeleteFunc(found, func(p place) bool {
			return slices.ContainsFunc(declared, func(d place) bool {
				return d.path == p.path && d.line == p.line && d.column == p.column
			})
		})
	}
	raw, err := c.k.lines(found, nil)
	testkit.Must(t, err)
	e := c.ask(t, "find_references", with(at.at(c.root), with(map[string]any{"include_declaration": false}, everything)))
	all := references(t, e)
	in := map[string]bool{}
	for _, line := range all {
		path, _, _ := strings.Cut(line, " ")
		in[path] = true
		if !slices.Contains(raw, line) && !c.leads(line, at, all) {
			c.fails(t, text, "the server has no use %s", line)
		}
	}
	for _, line := range raw {
		if !slices.Contains(all, line) {
			c.fails(t, text, "the server has a use %s", line)
		}
	}
	if fmt.Sprint(len(all)) != uses || fmt.Sprint(len(in)) != files {
		c.fails(t, text, "there are %d uses in %d files", len(all), len(in))
	}
}

// leads reports whether a use that the server does not list is one all the same: the server leads from there to the
// declaration or another one of the uses (a namespace that is opened again), or the place has no name, as a field in a
// literal of a struct.
func (c *searchCheck) leads(line string, at spot, uses []string) bool {
	m := regexp.MustCompile(`^(.+?) (\d+):(\d+) (.*)$`).FindStringSubmatch(line)
	if !regexp.MustCompile(`\b` + at.word + `\b`).MatchString(m[4]) {
		return true
	}
	from := spot{path: filepath.Join(c.root, m[1]), word: at.word}
	from.line, _ = strconv.Atoi(m[2])
	from.column, _ = strconv.Atoi(m[3])
	c.show(from.path)
	to, err := c.k.places("textDocument/definition", from, nil)
	return err == nil && slices.ContainsFunc(to, func(p place) bool {
		return p.path == at.path && p.line == at.line || slices.ContainsFunc(uses, func(use string) bool {
			return strings.HasPrefix(use, fmt.Sprintf("%s %d:", c.k.show(p.path), p.line))
		})
	})
}

// known are the symbols of a name and a file that the server has in the workspace.
func (c *searchCheck) known(t *testing.T, path, word string) (all []rawItem) {
	var found []struct {
		Name     string
		Kind     int
		Location struct {
			URI   string
			Range rawRange
		}
	}
	testkit.Must(t, c.k.r.call("workspace/symbol", map[string]any{"query": word}, &found))
	for _, f := range found {
		if f.Name == word && pathOf(t, f.Location.URI) == path {
			all = append(all, rawItem{Name: f.Name, Kind: f.Kind, SelectionRange: f.Location.Range})
		}
	}
	return all
}

// declared are the symbols of a name that the server has in a file.
func (c *searchCheck) declared(t *testing.T, path, word string) (all []rawItem) {
	var read func(list []json.RawMessage)
	read = func(list []json.RawMessage) {
		for _, raw := range list {
			var s struct {
				Name           string
				Kind           int
				SelectionRange rawRange `json:"selectionRange"`
				Location       *struct{ Range rawRange }
				Children       []json.RawMessage
			}
			testkit.Must(t, json.Unmarshal(raw, &s))
			if s.Location != nil {
				s.SelectionRange = s.Location.Range
			}
			if plain := regexp.MustCompile(`[\pL_][\pL\pN_]*`).FindAllString(s.Name, -1); slices.Contains(plain, word) {
				all = append(all, rawItem{Name: s.Name, Kind: s.Kind, SelectionRange: s.SelectionRange})
			}
			read(s.Children)
		}
	}
	c.show(path)
	var list []json.RawMessage
	testkit.Must(t, c.k.r.call("textDocument/documentSymbol",
		map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}}, &list))
	read(list)
	return all
}

func (c *searchCheck) fails(t *testing.T, text, what string, args ...any) {
	c.wrong++
	t.Errorf("%s:\n%s", fmt.Sprintf(what, args...), text)
}
