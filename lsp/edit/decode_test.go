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
		"null":                 {`null`, ""},
		"nothing":              {`{}`, ""},
		"changes":              {`{"changes":{"file:///a":[]}}`, ""},
		"an unknown flag, off": {`{"changes":{},"vendor":null,"other":false}`, ""},
		"no object":            {`[1]`, "malformed"},
		"an unknown member":    {`{"changes":{},"moves":[1]}`, "unknown_member"},
		"an unknown operation": {`{"documentChanges":[{"kind":"copy","uri":"file:///a"}]}`, "unknown_member"},
		"a null operation":     {`{"documentChanges":[{"kind":null,"uri":"file:///a"}]}`, "unknown_member"},
		"an unknown option": {
			`{"documentChanges":[{"kind":"create","uri":"file:///a","options":{"template":"x"}}]}`, "unknown_member"},
		"a create without uri":     {`{"documentChanges":[{"kind":"create"}]}`, "malformed"},
		"a rename without target":  {`{"documentChanges":[{"kind":"rename","oldUri":"file:///a"}]}`, "malformed"},
		"an edit without document": {`{"documentChanges":[{` + edits + `}]}`, "malformed"},
		"an edit":                  {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` + edits + `}]}`, ""},
		"a negative line": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` +
			strings.Replace(edits, `"line":0`, `"line":-1`, 1) + `}]}`, "malformed"},
		"no newText": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` +
			strings.Replace(edits, `"newText":"x"`, `"new":null`, 1) + `}]}`, "malformed"},
		"no line": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` +
			strings.Replace(edits, `"line":0,`, ``, 1) + `}]}`, "malformed"},
		"a snippet of LSP": {
			`{"changes":{"file:///a":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"snippet":{"kind":"snippet","value":"$0"}}]}}`, "snippet"},
		"a snippet of ra": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` +
			strings.Replace(edits, `"newText"`, `"insertTextFormat":2,"newText"`, 1) + `}]}`, "snippet"},
		"plain text of ra": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` +
			strings.Replace(edits, `"newText"`, `"insertTextFormat":1,"newText"`, 1) + `}]}`, ""},
		"a null snippet": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` +
			strings.Replace(edits, `"newText"`, `"snippet":null,"newText"`, 1) + `}]}`, ""},
		"a change's unknown member": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},"vendor":1,` + edits +
			`}]}`, "unknown_member"},
		"an edit's unknown member": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` +
			strings.Replace(edits, `"newText"`, `"vendor":1,"newText"`, 1) + `}]}`, "unknown_member"},
		"a create's unknown member": {`{"documentChanges":[{"kind":"create","uri":"file:///a","vendor":1}]}`,
			"unknown_member"},
		"no range": {`{"changes":{"file:///a":[{"newText":"x"}]}}`, "malformed"},
		"no character": {`{"documentChanges":[{"textDocument":{"uri":"file:///a"},` +
			strings.Replace(edits, `,"character":1`, ``, 1) + `}]}`, "malformed"},
		"no end": {
			`{"changes":{"file:///a":[{"range":{"start":{"line":0,"character":0}},"newText":"x"}]}}`, "malformed"},
		"a NUL in the path":         {`{"changes":{"file:///a%00b":[]}}`, "not_a_file"},
		"one file twice by its key": {`{"changes":{"file:///a":[],"file:///a":[]}}`, "malformed"},
		"another scheme":            {`{"changes":{"untitled:a":[]}}`, "not_a_file"},
		"no scheme":                 {`{"changes":{"/a":[]}}`, "not_a_file"},
		"a fragment":                {`{"changes":{"file:///a#b.go":[]}}`, "not_a_file"},
		"a query":                   {`{"changes":{"file:///a?b.go":[]}}`, "not_a_file"},
		"half a character": {
			`{"changes":{"file:///a":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"\ud800"}]}}`, "malformed"},
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

// The older form, a map of files to edits, is applied as well; what has no edits is no operation.
func TestChangesByFile(t *testing.T) {
	root := makeTree(t, files{"a": "one\n", "b": "two\n", "c": "three\n"})
	e, err := edit.Decode(marshal(t,
		j{"changes": j{"file://" + root + "/a": []j{replace(0, 0, 3, "1")}, "file://" + root +
			"/b": []j{replace(0, 0, 3, "2")}, "file://" + root + "/c": []j{}}}))
	testkit.Must(t, err)
	p, err := e.Plan(options(root))
	testkit.Must(t, err)
	var got []string
	for _, f := range p.Files {
		got = append(got, strings.TrimPrefix(f.Path, root+"/")+": "+f.New)
	}
	testkit.Diff(t, got, []string{"a: 1\n", "b: 2\n"})
	e, err = edit.Decode([]byte(`{"changes":{"file:///a":[]}}`))
	testkit.Must(t, err)
	testkit.Equal(t, e.Empty(), true)
	e = decode(t, rename(root+"/a", root+"/d", nil), remove(root+"/b", nil))
	testkit.Equal(t, e.Empty(), false)
	testkit.Diff(t, e.Moves(), []edit.Moved{{From: root + "/a", To: root + "/d"}})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"documentChanges":[{"kind":"rename","oldUri":"file:///r/a","newUri":"file:///r/b"}]}`))
	f.Add([]byte(
		`{"changes":{"file:///r/a":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"x"}]}}`))
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
