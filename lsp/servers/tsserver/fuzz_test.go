package tsserver

import (
	"encoding/json"
	"strings"
	"testing"

	"lspi/internal/source"
)

// Whatever JSON tsserver answers with comes out as what it says or as an error, never as a panic or an answer that
// silently holds less.
func FuzzDiagnostics(f *testing.F) {
	for _, seed := range []string{
		`null`, `[]`, `{}`, `7`, `"x"`, `{"body":null}`, `{"body":[]}`, `{"body":7}`, `{"body":[null]}`,
		`{"body":[{}]}`,
		`{"body":[{"start":{"line":1,"offset":5},"end":{"line":1,"offset":9},"text":"m","code":1,"category":"error"}]}`,
		`{"body":[{"start":{"line":0,"offset":0},"end":{"line":4294967295,"offset":4294967295},"reportsUnnecessary":true,"code":"x"}]}`,
		`{"body":[{"start":{"line":-1,"offset":0.5}}]}`,
	} {
		f.Add([]byte(seed))
	}
	text := source.New("/a.ts", "def Löad\n  Parse 𝒳 Load\nlast")
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return // which is the stream's matter
		}
		var body []diagnostic
		if decode(raw, &body) != nil {
			return
		}
		for _, d := range body {
			if got := d.convert(text, source.UTF16); got.Source == "" {
				t.Errorf("%+v has no source", got)
			}
		}
		if said := items(raw); len(body) < said {
			t.Errorf("%d diagnostics of %d", len(body), said)
		}
	})
}

// items is how many things the body of an answer lists; names of fields count in any case.
func items(raw []byte) (n int) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return 0
	}
	for name, value := range fields {
		var list []json.RawMessage
		if strings.EqualFold(name, "body") && len(fields) == 1 && json.Unmarshal(value, &list) == nil {
			n = len(list)
		}
	}
	return n
}
