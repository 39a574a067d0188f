package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// answering is a server that gives each answer once, in turn, to requests of a method; ${f} is the URI of path.
func answering(t *testing.T, method string, answers ...string) (s *Server, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a b@c.w")
	testkit.Must(t, os.WriteFile(path, []byte("def Löad\n  Parse 𝒳 Load\nlast"), 0o600))
	script := &lsptest.Script{Language: "words", CapabilitiesPatch: raw(`{"typeHierarchyProvider":true}`)}
	for _, a := range answers {
		a = strings.ReplaceAll(a, "${f}", string(uri.File(path)))
		script.Rules = append(script.Rules,
			lsptest.Rule{Method: method, Nth: 1, Actions: []lsptest.Action{{Result: raw(a)}}})
	}
	spec := &spec.Spec{ID: "fake", Freshness: spec.Freshness{QueryClosed: true},
		SilentCaps: map[string]int{MethodWorkspaceSymbol: 2}}
	return inside(t, spec, script), path
}

func rng(a, b, c, d int) string {
	return fmt.Sprintf(`{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}`, a, b, c, d)
}

// short shows a place: name range, whole range, whether there is an error.
func short(path string, p Place) string {
	out := fmt.Sprintf("%d:%d-%d:%d", p.Range.Start.Line, p.Range.Start.Character, p.Range.End.Line,
		p.Range.End.Character)
	if p.Full != p.Range {
		out += fmt.Sprintf("(%d-%d)", p.Full.Start.Line, p.Full.End.Line)
	}
	if p.Path != path {
		out += " " + filepath.Base(p.Path)
	}
	if p.Err != nil {
		out += "!"
	}
	return out
}

func TestDecodeLocations(t *testing.T) {
	one := `{"uri":"${f}","range":` + rng(1, 8, 1, 10) + `}`
	cases := []struct{ answer, want string }{
		{`null`, ""},
		{`[]`, ""},
		{one, "2:9-2:10"}, // an astral character counts two units
		{`[` + one + `,` + one + `]`, "2:9-2:10 2:9-2:10"},
		{`[{"targetUri":"${f}","targetRange":` + rng(0, 0, 1, 3) + `,"targetSelectionRange":` + rng(0, 4, 0, 8) +
			`,"originSelectionRange":` + rng(0, 0, 0, 1) + `}]`, "1:5-1:9(1-2)"},
		{`[{"targetUri":"${f}","targetRange":` + rng(0, 4, 0, 8) + `}]`, "1:5-1:9"},
		{`{"targetUri":"${f}","targetRange":` + rng(0, 4, 0, 8) + `,"targetSelectionRange":` + rng(0, 4, 0, 8) + `}`,
			"1:5-1:9"},
		// the line is gone
		{`[{"uri":"${f}","range":` + rng(0, 4, 0, 99) + `},{"uri":"${f}","range":` + rng(9, 0, 9, 1) + `}]`,
			"1:5-1:9 3:5-3:5!"},
		{`[{"uri":"${f}","range":{"start":{"line":-1,"character":-1},"end":{"line":0.0,"character":1e30}}}]`,
			"1:1-1:9"},
		{`[{"uri":"file:///no/such/file.w","range":` + rng(3, 4, 3, 5) + `}]`, "4:5-4:6 file.w!"},
		{`[{"uri":"jdt://contents/x.class?y","range":` + rng(3, 4, 3, 5) + `}]`, "4:5-4:6 x.class?y!"},
		{strings.Replace(`[`+one+`]`, "${f}", "${escaped}", 1), "2:9-2:10"},
	}
	bad := []string{`7`, `"x"`, `[{"uri":"${f}"}]`, `[{}]`, `[null]`, `{"uri":7,"range":` + rng(0, 0, 0, 0) + `}`,
		`[{"uri":"${f}","range":7}]`}
	var answers []string
	for _, c := range cases {
		answers = append(answers, c.answer)
	}
	s, path := answering(t, MethodDefinition, append(answers, bad...)...)
	for _, c := range cases {
		if strings.Contains(c.answer, "${escaped}") {
			continue
		}
		places, err := s.Unverified().Locate(t.Context(), MethodDefinition, path, at(1, 1))
		var got []string
		for _, p := range places {
			got = append(got, short(path, p))
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q %v, want %s", c.answer, got, err, c.want)
		}
	}
	if _, err := s.RequestRaw(t.Context(), MethodDefinition, nil); err != nil { // the escaped one
		t.Fatal(err)
	}
	for _, b := range bad {
		if _, err := s.Unverified().Locate(t.Context(), MethodDefinition, path,
			at(1, 1)); kindOf(err) != contract.KindRequestFailed {
			t.Errorf("%s: %v", b, err)
		}
	}
}

// URIs of one file are written in several ways: VS Code escapes the colon and the at sign, others do not.
func TestPathOf(t *testing.T) {
	for u, want := range map[string]string{
		"file:///a%20b/c%40d.w": "/a b/c@d.w", "file:///a b/c@d.w": "/a b/c@d.w", "file:///a%23b%25.w": "/a#b%.w",
		"file:///%C3%A4": "/ä", "file://localhost/x": "", "untitled:x": "", "jdt://x": "", "": "", "file:": "",
	} {
		path, ok := URIToPath(u)
		if u == "file://localhost/x" || u == "file:" {
			continue // a host, or nothing: whatever comes out names no file of the workspace
		}
		if ok != (want != "") || path != want {
			t.Errorf("%q: %q %v, want %q", u, path, ok, want)
		}
	}
}

func TestDecodeHover(t *testing.T) {
	cases := []struct{ answer, want string }{
		{`null`, "none"},
		{`{"contents":{"kind":"markdown","value":"**x**"},"range":` + rng(0, 4, 0, 8) + `}`, "**x** true"},
		{`{"contents":{"kind":"plaintext","value":" x \n"}}`, "x false"},
		{`{"contents":"plain _md_"}`, "plain _md_ true"},
		{`{"contents":{"language":"go","value":"func f()\n"}}`, "```go\nfunc f()\n``` true"},
		{`{"contents":[{"language":"go","value":"f"},"text",""]}`, "```go\nf\n```\n\ntext true"},
		{`{"contents":[]}`, "none"},
		{`{"contents":""}`, "none"},
		{`{"contents":null}`, "none"},
		{`{}`, "none"},
		{`{"contents":{"kind":"markdown","value":"  "}}`, "none"},
		{`{"contents":{"value":"x"}}`, "x true"},
		{`{"contents":"x","range":null}`, "x true"},
		{`{"contents":"x","range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":1}}}`, "x true"},
	}
	var answers []string
	for _, c := range cases {
		answers = append(answers, c.answer)
	}
	s, path := answering(t, MethodHover, append(answers, `7`)...)
	for _, c := range cases {
		h, err := s.Unverified().Hover(t.Context(), path, at(1, 1))
		got := "none"
		if h != nil {
			got = fmt.Sprint(h.Text, " ", h.Markdown)
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q %v, want %q", c.answer, got, err, c.want)
		}
	}
	if _, err := s.Unverified().Hover(t.Context(), path, at(1, 1)); kindOf(err) != contract.KindRequestFailed {
		t.Errorf("a number: %v", err)
	}
}

func showSymbols(all []Symbol) string {
	var out []string
	for _, s := range all {
		one := fmt.Sprintf("%s %s %d-%d@%d:%d", s.Kind, s.Name, s.Range.Start.Line, s.Range.End.Line,
			s.NameAt.Start.Line, s.NameAt.Start.Character)
		if s.Detail != "" {
			one += " " + s.Detail
		}
		if len(s.Children) > 0 {
			one += " {" + showSymbols(s.Children) + "}"
		}
		out = append(out, one)
	}
	return strings.Join(out, ", ")
}

func TestDecodeDocumentSymbols(t *testing.T) {
	cases := []struct{ answer, want string }{
		{`null`, ""},
		{`[]`, ""},
		{`[{"name":"A","kind":5,"range":` + rng(0, 0, 2, 0) + `,"selectionRange":` + rng(0, 4, 0, 8) + `,"detail":"d","children":[
			{"name":"m","kind":6,"range":` + rng(1, 2, 1, 7) + `,"selectionRange":` + rng(1, 2, 1, 7) + `,"children":null,"detail":null}]}]`,
			"class A 1-2@1:5 d {method m 2-2@2:3}"},
		{`[{"name":"f","kind":12,"location":{"uri":"${f}","range":` + rng(1, 2, 1, 7) +
			`}},{"name":"g","kind":99,"containerName":"A","location":{"uri":"${f}","range":` + rng(2, 0, 2, 4) + `}}]`,
			"function f 2-2@2:3, symbol A.g 3-3@3:1"},
		{`[{"name":"a.v1.T","kind":5,"containerName":"a.v1","location":{"uri":"${f}","range":` + rng(2, 0, 2, 4) +
			`}}]`, "class a.v1.T 3-3@3:1"},
		{`[{"name":"x","kind":13,"range":` + rng(1, 2, 1, 7) + `}]`, "variable x 2-2@2:3"},
		{`[{"name":"x","kind":13,"range":{"start":{"line":-1,"character":-1},"end":{"line":-1,"character":-1}},"tags":[1],"deprecated":true}]`, "variable x 1-1@1:1"},
	}
	var answers []string
	for _, c := range cases {
		answers = append(answers, c.answer)
	}
	s, path := answering(t, MethodDocumentSymbol, append(answers, `{"name":"x"}`)...)
	for _, c := range cases {
		s.symbols.clear()
		all, text, err := s.Unverified().DocumentSymbols(t.Context(), path)
		if got := showSymbols(all); err != nil || got != c.want || text.Path != path {
			t.Errorf("%s: %s %v, want %s", c.answer, got, err, c.want)
		}
		if again, _, err := s.Unverified().DocumentSymbols(t.Context(), path); err != nil ||
			showSymbols(again) != c.want {
			t.Errorf("%s: not kept: %v %v", c.answer, again, err)
		}
	}
	s.symbols.clear()
	if _, _, err := s.Unverified().DocumentSymbols(t.Context(), path); kindOf(err) != contract.KindRequestFailed {
		t.Errorf("an object: %v", err)
	}
}

func TestSymbolCacheIsBounded(t *testing.T) {
	c := newSymbolCache()
	texts := make([]*source.Text, 3*maxCachedSymbols)
	for i := range texts {
		texts[i] = source.New("/f", fmt.Sprint(i))
		c.put(texts[i], nil)
		c.put(texts[i], []Symbol{{Name: fmt.Sprint(i)}})
	}
	if len(c.known) != maxCachedSymbols || len(c.order) != maxCachedSymbols {
		t.Errorf("%d and %d", len(c.known), len(c.order))
	}
	if got, ok := c.get(texts[len(texts)-1]); !ok || got[0].Name != fmt.Sprint(len(texts)-1) {
		t.Errorf("%v %v", got, ok)
	}
	if _, ok := c.get(texts[0]); ok {
		t.Error("the oldest is still there")
	}
}

func TestDecodeWorkspaceSymbols(t *testing.T) {
	cases := []struct{ answer, want string }{
		{`null`, " false"},
		{`[]`, " false"},
		{`[{"name":"f","kind":12,"containerName":"p","location":{"uri":"${f}","range":` + rng(0, 4, 0, 8) + `}}]`,
			"function p.f 1:5-1:9 false"},
		{`[{"name":"f","kind":12,"location":{"uri":"${f}"}},{"name":"g","kind":12,"containerName":null,"location":{"uri":"x:y"}}]`,
			"function .f 0:0-0:0 norange, function .g 0:0-0:0 x:y! norange true"},
	}
	bad := []string{`{"name":"x"}`, `[{"name":"f","kind":12}]`, `[{"name":"f","kind":12,"location":null}]`, `[null]`}
	var answers []string
	for _, c := range cases {
		answers = append(answers, c.answer)
	}
	s, path := answering(t, MethodWorkspaceSymbol, append(answers, bad...)...)
	for _, c := range cases {
		all, limited, err := s.Unverified().WorkspaceSymbols(t.Context(), "q")
		var got []string
		for _, w := range all {
			one := fmt.Sprintf("%s %s.%s %s", w.Kind, w.Container, w.Name, short(path, w.Place))
			if w.NoRange {
				one += " norange"
			}
			got = append(got, one)
		}
		if line := fmt.Sprint(strings.Join(got, ", "), " ", limited); err != nil || line != c.want {
			t.Errorf("%s: %q %v, want %q", c.answer, line, err, c.want)
		}
	}
	for _, answer := range bad {
		if _, _, err := s.Unverified().WorkspaceSymbols(t.Context(), "q"); kindOf(err) != contract.KindRequestFailed {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// Items go back to the server as they came, with the data that it put into them.
func TestDecodeHierarchies(t *testing.T) {
	item := `{"name":"f","kind":12,"detail":"d","uri":"${f}","range":` + rng(0, 0, 1, 3) + `,"selectionRange":` +
		rng(0, 4, 0, 8) + `,"data":{"k":[1]}}`
	s, path := answering(t, MethodCallHierarchy, `null`, `[`+item+`]`, `[{"name":"f","kind":1}]`, `[7]`, `{}`)
	for i, want := range []string{"", "f function d 1:5-1:9(1-2)", "error", "error", "error"} {
		items, err := s.Unverified().PrepareHierarchy(t.Context(), MethodCallHierarchy, path, at(1, 5))
		got := ""
		for _, it := range items {
			got += fmt.Sprint(it.Name, " ", it.Kind, " ", it.Detail, " ", short(path, it.Place))
			testkit.Holds(t, string(it.raw), `"data":{"k":[1]}`, it.raw)
		}
		if kindOf(err) == contract.KindRequestFailed {
			got = "error"
		} else if err != nil {
			t.Error(err)
		}
		testkit.Equal(t, got, want, "answer", i)
	}
	calls := `[{"from":` + item + `,"to":` + item + `,"fromRanges":[` + rng(1, 2, 1, 7) + `]},{"from":` + item +
		`,"to":` + item + `}]`
	s, _ = answering(t, MethodIncomingCalls, calls, `null`, `[{}]`)
	for i, want := range []string{"f 1 f 0", "", "error"} {
		found, err := s.Unverified().IncomingCalls(t.Context(), HierarchyItem{raw: raw(`{"uri":"file:///x"}`)})
		var got []string
		for _, c := range found {
			got = append(got, fmt.Sprint(c.Item.Name, " ", len(c.From)))
		}
		if kindOf(err) == contract.KindRequestFailed {
			got = []string{"error"}
		}
		testkit.Equal(t, strings.Join(got, " "), want, "calls", i, got, err)
	}
}

// Who waits for a request that was sent ahead has its answer though the first asker ends meanwhile; one that nobody
// waits for is cancelled.
func TestAheadIsOfWhoWaitsForIt(t *testing.T) {
	s, path := answering(t, MethodDefinition)
	place := `{"uri":"` + string(uri.File(path)) + `","range":` + rng(0, 4, 0, 8) + `}`
	s = inside(t, s.spec, &lsptest.Script{Language: "words", Rules: []lsptest.Rule{{Method: MethodDefinition,
		Actions: []lsptest.Action{{DelayMS: 100}, {Result: raw(place)}}},
		// Not answered: an answer that came before the asker's end is kept.
		{Method: MethodDeclaration, Actions: []lsptest.Action{{DelayMS: 60_000}}}}})
	asked := s.Unverified()
	first, cancel := context.WithCancel(t.Context())
	end := asked.Ahead(first, MethodDefinition, path, at(1, 5))
	type answer struct {
		places []Place
		err    error
	}
	takers, answers := 2, make(chan answer, 2)
	for range takers {
		go func() {
			places, err := asked.Locate(t.Context(), MethodDefinition, path, at(1, 5))
			answers <- answer{places, err}
		}()
	}
	askers := func() (n int) {
		asked.answers.mu.Lock()
		defer asked.answers.mu.Unlock()
		for _, a := range asked.answers.byRequest {
			n += a.askers
		}
		return n
	}
	for askers() < 1+takers {
		runtime.Gosched()
	}
	cancel()
	end()
	for range takers {
		if got := <-answers; got.err != nil || len(got.places) != 1 {
			t.Errorf("who waited for it: %v, %v", got.places, got.err)
		}
	}

	asked.Ahead(t.Context(), MethodDeclaration, path, at(1, 5))() // returns when the request has ended
	if n := len(asked.answers.byRequest); askers() != 0 || n != 1 {
		t.Errorf("%d answers are kept for %d askers", n, askers())
	}
}

// A request that was sent ahead is not sent again: its answer is that of all who ask, until the server is sent
// another text. What another question asks is asked anew.
func TestAhead(t *testing.T) {
	first, second := `{"uri":"${f}","range":`+rng(0, 4, 0, 8)+`}`, `{"uri":"${f}","range":`+rng(1, 2, 1, 7)+`}`
	s, path := answering(t, MethodDefinition, first, second, first)
	asked := s.Unverified()
	defer asked.Ahead(t.Context(), MethodDefinition, path, at(1, 5))()
	asked.Ahead(t.Context(), MethodReferences, path, at(1, 5))() // which has more parameters, and is not sent
	for i, want := range []string{"1:5-1:9", "1:5-1:9", "2:3-2:8", "1:5-1:9"} {
		of := asked
		switch i {
		case 2:
			s.docs.newEdition() // another text
		case 3:
			of = s.Unverified()
		}
		places, err := of.Locate(t.Context(), MethodDefinition, path, at(1, 5))
		if err != nil || len(places) != 1 || short(path, places[0]) != want {
			t.Errorf("answer %d: %v, %v, want %s", i+1, places, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	defer asked.Ahead(ctx, MethodDefinition, path, at(1, 5))()
	if _, err := asked.Locate(ctx, MethodDefinition, path, at(1, 5)); kindOf(err) != contract.KindCancelled {
		t.Errorf("cancelled: %v", err)
	}
}
