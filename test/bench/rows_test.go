//go:build linux

package bench

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/answer"
)

// row is one question, asked alternately of a server alone and of lspi over MCP.
type row struct {
	name    string
	samples int // even, so that the edited file ends as it began
	// alone describes what the server alone is asked for the same.
	alone   string
	measure measure
	goals   map[string]string // by server, as the page shows them
}

// measure makes what takes one sample of each; text is what the edited file becomes in rows that edit.
type measure = func(b *testing.B, p *pair) (alone func(t text) time.Duration, lspi func(t text) reply)

// benchRows are in the order in which they run: rows that start servers of their own come before those that share two.
var benchRows = []row{
	{"start to initialize", 10, "initialize answered", start, everywhere("lspi 12 ms")},
	{"first diagnostics of a session", 4,
		"start, didOpen of a file with or without an error, until its diagnostics tell it; without one at rust-analyzer until cargo check is over, too", firstDiagnostics, nil},
	{"implementations, empty caches", 2, "start, didOpen, loaded, textDocument/implementation", freshImplementations,
		map[string]string{"gopls": "lspi 50 s"}},
	{"symbol search, empty caches", 2, "start, didOpen, loaded, workspace/symbol", freshSearch, everywhere("lspi 5 s")},
	{"references", 20, "textDocument/references", references, everywhere("1.2 ×")},
	{"definition", 20, "textDocument/definition", definition, everywhere("1.3 ×")},
	{"references, new symbols", newSymbols, "textDocument/references of another symbol each time",
		newSymbol("find_references", declared, 1, askReferences), everywhere("lspi adds 5 ms (30 ms)")},
	{"callers, new symbols", newSymbols, "prepareCallHierarchy and incomingCalls of another function each time",
		newSymbol("call_hierarchy", declaredFunction, 2, askCallers), everywhere("lspi adds 5 ms (30 ms)")},
	{"implementations, new symbols", newSymbols, "textDocument/implementation of another type each time",
		newSymbol("find_implementations", declaredType, 3, askImplementations), everywhere("lspi adds 5 ms (30 ms)")},
	{"symbol search", 20, "workspace/symbol", search, nil},
	{"type hierarchy", 10, "prepareTypeHierarchy, then supertypes and subtypes, one level", typeHierarchy,
		everywhere("1.2 ×")},
	{"symbol bundle", 6, "the slowest of references, incoming calls on two levels and, of a type, implementations",
		bundle, everywhere("lspi adds 10 ms")},
	{"rename, preview", 6, "textDocument/rename", rename, nil},
	{"diagnostics of an edited file", 20,
		"didChange, until its diagnostics are those of the new text; of one without an error at rust-analyzer until cargo check is over, too", editedDiagnostics, everywhere("lspi adds 20 ms")},
	{"check_edit of one file", 10, "didChange, until its diagnostics are those of the new text", checkEdit,
		everywhere("1.2 ×")},
	{"errors of the workspace", 4,
		"didChange, then gopls.diagnose_files for a file of each folder, or cargo check; elsewhere the diagnostics of the edited file " +
			"alone, which is less than lspi is asked for", workspaceDiagnostics, nil},
	{"doctor", 4, "start, didOpen, loaded, documentSymbol and definition", doctor, everywhere("1.2 ×")},
}

// everywhere is a goal at every server.
func everywhere(goal string) map[string]string {
	out := map[string]string{}
	for _, l := range benchLanguages {
		out[l.row] = goal
	}
	return out
}

// outcome is what a row measured at one server. It has no samples when the server does not offer the request.
type outcome struct {
	server, row string
	alone, lspi times
	mcp         times          // of [echoed] answers of lspi; without samples where lspi gives none
	claims      map[string]int // what lspi's answers claim, without those that claim nothing
}

// outcomes are those of this run.
var outcomes []outcome

// BenchmarkRows measures each row at each server: -bench 'Rows/gopls/references' selects.
func BenchmarkRows(b *testing.B) {
	for _, l := range benchLanguages {
		b.Run(l.row, func(b *testing.B) {
			p := newPair(b, l)
			for _, r := range benchRows {
				b.Run(r.name, func(b *testing.B) { r.run(b, p) })
			}
		})
	}
}

// BenchmarkTrees measures the rows of new symbols in benchTrees.
func BenchmarkTrees(b *testing.B) {
	for _, l := range benchTrees {
		b.Run(l.corpus, func(b *testing.B) {
			p := newPair(b, l)
			for _, r := range benchRows {
				if strings.HasSuffix(r.name, ", new symbols") {
					b.Run(r.name, func(b *testing.B) { r.run(b, p) })
				}
			}
		})
	}
}

// run takes the samples, the server alone first in one and lspi in the next.
func (r row) run(b *testing.B, p *pair) {
	o := outcome{server: p.title(), row: r.name, claims: map[string]int{}}
	defer func() {
		if !b.Failed() {
			outcomes = append(outcomes, o)
		}
	}()
	alone, lspi := r.measure(b, p)
	var last reply
	both := []func(t text){
		func(t text) { o.alone = append(o.alone, alone(t)) },
		func(t text) {
			a := lspi(t)
			o.lspi, last = append(o.lspi, a.took), a
			if claim := a.claim(); claim != "" {
				o.claims[claim]++
			}
		},
	}
	for i := range r.samples {
		t := p.next()
		both[i%2](t)
		both[1-i%2](t)
	}
	if last.result != nil {
		o.mcp = echoed(b, last.result, r.samples)
	}
	for b.Loop() { // the samples are those of the row
	}
	b.ReportMetric(0, "ns/op")
	for _, side := range []struct {
		name string
		times
	}{{"alone", o.alone}, {"lspi", o.lspi}, {"mcp", o.mcp}} {
		if len(side.times) == 0 {
			continue
		}
		b.ReportMetric(micros(side.median())/1e3, side.name+"-p50-ms")
		b.ReportMetric(micros(side.percentile(0.9))/1e3, side.name+"-p90-ms")
	}
	b.ReportMetric(o.ratio(), "ratio")
	b.Log(o.claims)
}

func (o outcome) ratio() float64 {
	return float64(o.lspi.median()) / float64(o.alone.median())
}

// since measures f.
func since(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

func start(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	return func(text) time.Duration {
			var d *direct
			defer func() { d.end() }()
			return since(func() { d = startDirect(b, p.spec, p.alone, p.params) })
		}, func(text) reply {
			h, took := startHost(b, p.program, p.served, p.env...)
			stop(b, h)
			return reply{took: took}
		}
}

// session is a measurement of lspi from its start to the answer to its first question.
func (p *pair) session(b *testing.B, tool string, arguments map[string]any) reply {
	began := time.Now()
	h := p.startServed(b)
	a := p.call(b, h, tool, arguments)
	a.took = time.Since(began)
	stop(b, h)
	return a
}

func firstDiagnostics(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	return func(t text) time.Duration {
			p.put(b, p.alone, t)
			var d *direct
			defer func() { d.end() }()
			return since(func() {
				d = p.startAlone(b)
				d.told(b, p.file, 0, t.told)
				p.confirm(b, d, t)
			})
		}, func(t text) reply {
			p.put(b, p.served, t)
			a := p.session(b, "get_diagnostics", map[string]any{"file_path": p.file})
			p.check(b, t, a)
			return a
		}
}

// check fails the benchmark when an answer of get_diagnostics is not about the text. Of one that has no room for all,
// the file's own answer is held instead: zod's tests have a thousand errors without the packages that they import.
func (p *pair) check(b *testing.B, t text, a reply) {
	b.Helper()
	var found struct {
		Truncated bool
		Files     []fileProblems
	}
	testkit.Must(b, json.Unmarshal(a.structured, &found))
	if found.Truncated {
		a = p.call(b, p.host, "get_diagnostics", map[string]any{"file_path": p.file, "severities": []string{"error"}})
		testkit.Must(b, json.Unmarshal(a.structured, &found))
	}
	if t.in(p.file, found.Files) != t.bad {
		b.Errorf("the error in line %d is there: %v; the answer: %.2000s", t.line, t.bad, a.structured)
	}
}

func freshImplementations(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	return p.withEmptyCaches(b, "find_implementations", p.parent, nil, func(q *pair, d *direct) {
		if !d.offers("implementationProvider", "textDocument/implementation") {
			b.Skip("not offered")
		}
		d.open(b, p.parent.file)
		d.loaded(b, p.sign)
		d.ask(b, "textDocument/implementation", q.at(b, d, p.parent))
	})
}

func freshSearch(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	return p.withEmptyCaches(b, "search_workspace_symbols", spotOf{},
		map[string]any{"query": p.query, "match": "exact"}, func(_ *pair, d *direct) {
			d.loaded(b, p.sign)
			d.ask(b, "workspace/symbol", map[string]any{"query": p.query})
		})
}

// withEmptyCaches asks sessions of their own, each on a new copy with empty caches, about a spot or with arguments.
func (p *pair) withEmptyCaches(b *testing.B, tool string, at spotOf, arguments map[string]any,
	alone func(q *pair, d *direct)) (func(text) time.Duration, func(text) reply) {
	return func(text) time.Duration {
			q := p.fresh(b)
			var d *direct
			defer func() { d.end() }()
			return since(func() {
				d = q.startAlone(b)
				alone(q, d)
			})
		}, func(text) reply {
			q := p.fresh(b)
			if arguments != nil {
				return q.session(b, tool, arguments)
			}
			return q.session(b, tool, q.arguments(b, at))
		}
}

func doctor(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	return func(text) time.Duration {
			var d *direct
			defer func() { d.end() }()
			return since(func() {
				d = p.startAlone(b)
				d.loaded(b, p.sign)
				d.ask(b, "textDocument/documentSymbol", d.at(p.file, place{1, 1}))
				d.open(b, p.used.file)
				d.ask(b, "textDocument/definition", p.at(b, d, p.used))
			})
		}, func(text) reply {
			cmd := exec.Command(p.program, "doctor", "--workspace-root", p.served, "--trust", "all", "--json")
			cmd.Env = append(os.Environ(), p.env...)
			var report struct{ OK bool }
			took := since(func() {
				said, err := cmd.Output()
				testkit.Must(b, err)
				testkit.Must(b, json.Unmarshal(said, &report))
			})
			return reply{took: took}
		}
}

// asks is a row of one request and one tool, warm.
func (p *pair) asks(b *testing.B, method, tool string, params, arguments map[string]any) (func(text) time.Duration,
	func(text) reply) {
	return func(text) time.Duration {
			return since(func() { p.server.ask(b, method, params) })
		}, func(text) reply {
			return p.call(b, p.host, tool, arguments)
		}
}

// asksAt is asks about a spot, which both have been asked about before.
func (p *pair) asksAt(b *testing.B, method, tool string, s spotOf, more map[string]any) (func(text) time.Duration,
	func(text) reply) {
	p.warm(b)
	p.knows(b, s)
	params, arguments := p.at(b, p.server, s), p.arguments(b, s)
	for name, value := range more {
		params[name], arguments[name] = value, value
	}
	alone, lspi := p.asks(b, method, tool, params, arguments)
	alone(text{})
	lspi(text{})
	return alone, lspi
}

func references(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	return p.asksAt(b, "textDocument/references", "find_references", p.asked, nil)
}

func definition(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	return p.asksAt(b, "textDocument/definition", "find_definition", p.used, nil)
}

func rename(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	p.warm(b)
	p.knows(b, p.asked)
	params, arguments := p.at(b, p.server, p.asked), p.arguments(b, p.asked)
	params["newName"], arguments["new_name"] = "Renamed", "Renamed"
	return p.asks(b, "textDocument/rename", "rename_symbol", params, arguments)
}

func search(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	p.warm(b)
	return p.asks(b, "workspace/symbol", "search_workspace_symbols", map[string]any{"query": p.query},
		map[string]any{"query": p.query, "match": "exact"})
}

func typeHierarchy(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	p.warm(b)
	if !p.server.offers("typeHierarchyProvider", "textDocument/prepareTypeHierarchy") {
		b.Skip("not offered")
	}
	p.knows(b, p.parent)
	params, arguments := p.at(b, p.server, p.parent), p.arguments(b, p.parent)
	arguments["max_depth"] = 1
	lspi := func(text) reply { return p.call(b, p.host, "type_hierarchy", arguments) }
	lspi(text{})
	return func(text) time.Duration {
		return since(func() {
			items := p.server.items(b, "textDocument/prepareTypeHierarchy", params)
			for _, item := range items {
				p.server.ask(b, "typeHierarchy/supertypes", map[string]any{"item": item})
				p.server.ask(b, "typeHierarchy/subtypes", map[string]any{"item": item})
			}
		})
	}, lspi
}

// items asks for items of a hierarchy.
func (d *direct) items(b *testing.B, method string, params any) (out []json.RawMessage) {
	testkit.Must(b, json.Unmarshal(d.ask(b, method, params), &out))
	return out
}

func bundle(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	p.warm(b)
	p.knows(b, p.asked)
	params, arguments := p.at(b, p.server, p.asked), p.arguments(b, p.asked)
	return func(text) time.Duration {
			uses := since(func() { p.server.ask(b, "textDocument/references", params) })
			if p.asked.before != "func " && p.server.offers("implementationProvider", "textDocument/implementation") {
				uses = max(uses, since(func() { p.server.ask(b, "textDocument/implementation", params) }))
			}
			if !p.server.offers("callHierarchyProvider", "textDocument/prepareCallHierarchy") {
				return uses
			}
			return max(uses, since(func() {
				callers := p.server.callers(b, p.server.items(b, "textDocument/prepareCallHierarchy", params))
				p.server.callers(b, callers[:min(len(callers), bundledCallers)])
			}))
		}, func(text) reply {
			return p.call(b, p.host, "symbol_bundle", arguments)
		}
}

// bundledCallers is of how many callers symbol_bundle shows the callers, unless it is told another number.
const bundledCallers = 20

// callers asks for the callers of items, four at a time as lspi does, and returns each once.
func (d *direct) callers(b *testing.B, items []json.RawMessage) (out []json.RawMessage) {
	answers := make([][]struct{ From json.RawMessage }, len(items))
	answer.Parallel(len(items), 4, func(i int) {
		if err := json.Unmarshal(d.ask(b, "callHierarchy/incomingCalls", map[string]any{"item": items[i]}),
			&answers[i]); err != nil {
			b.Error(err)
		}
	})
	known := map[string]bool{}
	for _, calls := range answers {
		for _, c := range calls {
			if !known[string(c.From)] {
				known[string(c.From)] = true
				out = append(out, c.From)
			}
		}
	}
	return out
}

// changed measures the server alone until it has told the diagnostics of a new text.
func (p *pair) changed(b *testing.B) func(text) time.Duration {
	return func(t text) time.Duration {
		return since(func() { p.server.diagnosed(b, p.file, t.whole, t.told) })
	}
}

// confirm waits until no error of a text without one may be missing.
func (p *pair) confirm(b *testing.B, d *direct, t text) {
	if p.checker != nil && !t.bad {
		d.loaded(b, p.sign)
		p.checker(b, d)
	}
}

func editedDiagnostics(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	p.warm(b)
	changed := p.changed(b)
	return func(t text) time.Duration {
			p.put(b, p.alone, t)
			return changed(t) + since(func() { p.confirm(b, p.server, t) })
		}, func(t text) reply {
			p.put(b, p.served, t)
			a := p.call(b, p.host, "get_diagnostics", map[string]any{"file_path": p.file})
			p.check(b, t, a)
			return a
		}
}

func checkEdit(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	p.warm(b)
	return p.changed(b), func(t text) reply {
		a := p.call(b, p.host, "check_edit",
			map[string]any{"edits": []any{map[string]any{"file_path": p.file, "line": t.line, "character": 1,
				"end_line": t.line, "end_character": 1, "new_text": t.error}}})
		var found struct{ Appears []fileProblems }
		testkit.Must(b, json.Unmarshal(a.structured, &found))
		if !t.in(p.file, found.Appears) {
			b.Errorf("the error is not among what appears: %.2000s", a.structured)
		}
		return a
	}
}

func workspaceDiagnostics(b *testing.B, p *pair) (func(text) time.Duration, func(text) reply) {
	p.warm(b)
	alone := p.changed(b)
	if p.everything != nil {
		alone = p.everything(b, p)
	}
	lspi := func(t text) reply {
		p.put(b, p.served, t)
		a := p.call(b, p.host, "get_diagnostics", map[string]any{"wait": "all", "severities": []string{"error"},
			"max_results": 500})
		p.check(b, t, a)
		return a
	}
	for range 2 { // opens what belongs to the question
		t := p.next()
		alone(t)
		lspi(t)
	}
	return alone, lspi
}
