package edit_test

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

func TestDecodeRefuses(t *testing.T) {
	const edits = `"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"x"}]`
	for name, c := range map[string]struct{ edit, want string }{
		"null":                      {`null`, ""},
		"nothing":                   {`{}`, ""},
		"changes":                   {`{"changes":{"file:///a":[]}}`, ""},
		"an unknown flag, off":      {`{"changes":{},"vendor":null,"other":false}`, ""},
		"no object":                 {`[1]`, "malformed"},
		"an unknown member":         {`{"changes":{},"moves":[1]}`, "unknown_member"},
		"an unknown operation":      {`{"documentChanges":[{"kind":"copy","uri":"file:///a"}]}`, "unknown_member"},
		"a null operation":          {`{"documentChanges":[{"kind":null,"uri":"file:///a"}]}`, "unknown_member"},
		"an unknown option":         {`{"documentChanges":[{"kind":"create","uri":"file:///a","options":{"template":"x"}}]}`, "unknown_member"},
		"a create without uri":      {`{"documentChanges":[{"kind":"create"}]}`, "malformed"},
		"a rename without target":   {`{"documentChanges":[{"kind":"rename","oldUri":"file:///a"}]}`, "malformed"},
		"an edit without document":  {`{"documentChanges":[{` + edits + `}]}`, "malformed"},
		"an edit":                   {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` + edits + `}]}`, ""},
		"a negative line":           {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` + strings.Replace(edits, `"line":0`, `"line":-1`, 1) + `}]}`, "malformed"},
		"no newText":                {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` + strings.Replace(edits, `"newText":"x"`, `"new":null`, 1) + `}]}`, "malformed"},
		"no line":                   {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` + strings.Replace(edits, `"line":0,`, ``, 1) + `}]}`, "malformed"},
		"a snippet of LSP":          {`{"changes":{"file:///a":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"snippet":{"kind":"snippet","value":"$0"}}]}}`, "snippet"},
		"a snippet of ra":           {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` + strings.Replace(edits, `"newText"`, `"insertTextFormat":2,"newText"`, 1) + `}]}`, "snippet"},
		"plain text of ra":          {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` + strings.Replace(edits, `"newText"`, `"insertTextFormat":1,"newText"`, 1) + `}]}`, ""},
		"one file twice by its key": {`{"changes":{"file:///a":[],"file:///a":[]}}`, "malformed"},
		"another scheme":            {`{"changes":{"untitled:a":[]}}`, "not_a_file"},
		"no scheme":                 {`{"changes":{"/a":[]}}`, "not_a_file"},
		"a fragment":                {`{"changes":{"file:///a#b.go":[]}}`, "not_a_file"},
		"a query":                   {`{"changes":{"file:///a?b.go":[]}}`, "not_a_file"},
		"half a character":          {`{"changes":{"file:///a":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"\ud800"}]}}`, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := edit.Decode([]byte(c.edit)); rejectedFor(err) != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestBothFormsApplyOnce(t *testing.T) {
	root := makeTree(t, files{"a": "one\n"})
	path := root + "/a"
	raw := marshal(t, j{
		"changes":         j{"file://" + path: []j{replace(0, 0, 0, "x")}},
		"documentChanges": []j{document(path, replace(0, 0, 0, "y"))},
	})
	e, err := edit.Decode(raw)
	testkit.Must(t, err)
	p, err := e.Plan(options(root))
	testkit.Must(t, err)
	testkit.Equal(t, p.Files[0].New, "yone\n")
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"documentChanges":[{"kind":"rename","oldUri":"file:///r/a","newUri":"file:///r/b"}]}`))
	f.Add([]byte(`{"changes":{"file:///r/a":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"x"}]}}`))
	root := makeTree(f, files{"a": "text"})
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := edit.Decode([]byte(strings.ReplaceAll(string(raw), "/r/", root+"/")))
		if (e == nil) == (err == nil) {
			t.Fatalf("%v and %v", e, err)
		}
		if e != nil {
			e.Plan(options(root))
		}
	})
}
