package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/tools"
)

func TestRender(t *testing.T) {
	for name, c := range map[string]struct{ envelope, want string }{
		"lists by file": {
			`{"ok":true,"server_id":"gopls","completeness":"partial","warnings":[{"kind":"truncated","message":"3 more"}],
			  "next_steps":[{"kind":"tool","message":"Continue.","tool":"find_references","arguments":{"offset":2,"symbol_name":"it's"}}],
			  "total":5,"returned":2,"files":[{"file_path":"a.go","count":2,"references":["9:1 Load()","135:24 x := Load()"]}]}`,
			`total     5
returned  2
files
  a.go  count 2
    9:1     Load()
    135:24  x := Load()
warning: 3 more (truncated)
partial answer of gopls
next:
  Continue.
    lspi call find_references '{"offset":2,"symbol_name":"it'\''s"}'
`},
		"objects": {
			`{"ok":true,"server_id":"gopls","completeness":"complete","warnings":[],"next_steps":[],
			  "definitions":[{"file_path":"a.go","line":3,"character":6,"end_line":5,"symbol":"F","kind":"function","snippet":"func F() {\n\treturn\n}\n"}]}`,
			`definitions
  a.go:3:6  function  F
    func F() {
    	return
    }
complete answer of gopls
`},
		"a tree": {
			`{"ok":true,"server_id":null,"warnings":[],"next_steps":[],"root":{"symbol":"F","line":1},
			  "incoming":[{"symbol":"G","kind":"function","file_path":"b.go","line":7,"call_lines":[8,9],"calls":[{"symbol":"H","line":1}]}]}`,
			`root
  symbol  F
  line    1
incoming
  b.go:7  function  G
    call_lines
      8
      9
    calls
      1  H
`},
		"nothing found": {
			`{"ok":true,"server_id":"gopls","completeness":"complete","warnings":[],"next_steps":[],"total":0,"files":[]}`,
			"total  0\nfiles: none\ncomplete answer of gopls\n"},
	} {
		got := render(tools.Result{Structured: json.RawMessage(c.envelope), OK: true})
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestRenderError(t *testing.T) {
	got := renderError(tools.Result{Structured: json.RawMessage(`{"ok":false,"next_steps":[
		{"kind":"tool","message":"Use Load.","tool":"hover","arguments":{"symbol_name":"Load"}},
		{"kind":"command","message":"Look.","command":"lspi doctor"}, {"kind":"config","message":"Change it."}],
		"error":{"kind":"not_found","message":"no symbol Lod","data":{"lspi_error":{"kind":"symbol_not_found","symbol_name":"Lod","closest":["Load"]}}}}`)})
	want := `error: no symbol Lod
  kind: symbol_not_found
  closest:
    Load
next:
  Use Load.
    lspi call hover '{"symbol_name":"Load"}'
  Look.
    lspi doctor
  Change it.
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
