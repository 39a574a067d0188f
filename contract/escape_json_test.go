package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestEscapeJSON(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"plain", `{"a":["b\t\"c\"",1,null,true],"d":{}}`, ""},
		{"C0 as JSON writes it", `{"name":"\u001b[31m\b"}`, `{"name":"\\u{1B}[31m\\u{8}"}`},
		{"backslashes", `{"name":"a\\u001b \\\\u001b \\n"}`, ""},
		{"bidi", "{\"name\":\"a\u202eb\"}", `{"name":"a\\u{202E}b"}`},
		{"surrogates", `{"name":"\ud83d\ude00 \udb40\udc41"}`, `{"name":"😀 \\u{E0041}"}`},
		{"line end in one line", `{"file_path":"a\nNext steps:\n1. b"}`,
			`{"file_path":"a\\u{A}Next steps:\\u{A}1. b"}`},
		{"line end in several", `{"snippet":"a\nb\r\nc\rd"}`, `{"snippet":"a\nb\r\nc\\u{D}d"}`},
		{"list of lines", `{"message":"a\nb","stderr_tail":["a\nb"],"n":1}`,
			`{"message":"a\nb","stderr_tail":["a\\u{A}b"],"n":1}`},
		{"name of a field", "{\"left_out\":{\"a\u202e\\nb.go\":1}}", `{"left_out":{"a\\u{202E}\\u{A}b.go":1}}`},
		{"name like a field of several lines", `{"left_out":{"sni\npet":1}}`, `{"left_out":{"sni\\u{A}pet":1}}`},
		{"exact", "{\"arguments\":{\"new_text\":\"a\u202e\\n\U000e0041 ❤\ufe0f\",\"file_path\":\"\u202e\"}}",
			`{"arguments":{"new_text":"a\u202e\n\udb40\udc41 ❤` + "\ufe0f" + `","file_path":"\\u{202E}"}}`},
		{"other scripts", `{"name":"中文 é 👩‍💻"}`, ""},
		{"white space", "{\"message\" : \"a\\nb\" , \"name\" : \"a\\nb\"}",
			"{\"message\" : \"a\\nb\" , \"name\" : \"a\\\\u{A}b\"}"},
		{"HTML", "{\"name\":\"<a&b>\u200b\"}", `{"name":"<a&b>\\u{200B}"}`},
	} {
		if c.want == "" {
			c.want = c.raw
		}
		got, n := EscapeJSON([]byte(c.raw))
		if string(got) != c.want || (n > 0) != strings.Contains(c.want, `\\u{`) {
			t.Errorf("%s: %s, %d, want %s", c.name, got, n, c.want)
		}
		if !json.Valid(got) {
			t.Errorf("%s: no JSON: %s", c.name, got)
		}
	}
}

// What is exact decodes to what it was.
func TestEscapeJSONExact(t *testing.T) {
	text := "a\u202eb\u200b\U000e0041\u2028\x1b\u009b\n" + `\u{202E}`
	raw, err := Marshal(map[string]string{"new_text": text})
	if err != nil {
		t.Fatal(err)
	}
	out, n := EscapeJSON(raw)
	var back map[string]string
	if err := json.Unmarshal(out, &back); err != nil || n != 0 || back["new_text"] != text {
		t.Errorf("%s: %q, %v", out, back, err)
	}
	if strings.ContainsAny(string(out), "\u202e\u200b\U000e0041\u2028\x1b\u009b") {
		t.Errorf("raw characters in %s", out)
	}
}

// Whatever is in a value, the result is JSON of the same shape without anything hidden.
func FuzzEscapeJSON(f *testing.F) {
	f.Add("a\u202e", "b\\\n\"", "message")
	f.Fuzz(func(t *testing.T, a, b, field string) {
		raw, err := Marshal(map[string]any{"name": a, field: []any{b, 1}, b: map[string]string{"snippet": a}})
		if err != nil {
			t.Skip()
		}
		out, n := EscapeJSON(raw)
		if !json.Valid(out) {
			t.Fatalf("%s became %s", raw, out)
		}
		again, m := EscapeJSON(out)
		if string(again) != string(out) || m != 0 {
			t.Errorf("%s, then %s", out, again)
		}
		if n == 0 {
			var before, after any
			if json.Unmarshal(raw, &before) != nil || json.Unmarshal(out, &after) != nil ||
				!reflect.DeepEqual(before, after) {
				t.Errorf("%s became %s", raw, out)
			}
		}
	})
}

// The price of an answer of 147 references is to be a small part of what it costs to write its JSON.
func BenchmarkEscapeJSON(b *testing.B) {
	var references []string
	for i := range 147 {
		references = append(references,
			fmt.Sprintf("%d:24 pkgs, err := packages.Load(&packages.Config{Mode: mode}, \"./...\") // %d", i, i))
	}
	for _, c := range []struct{ name, last string }{{"ASCII", "1:1 x"}, {"one accent", "1:1 é"},
		{"one control", "1:1 \u202e"}} {
		raw, _ := Marshal(map[string]any{"files": map[string]any{"references": append(references, c.last)}})
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				EscapeJSON(raw)
			}
		})
	}
	b.Run("to write it", func(b *testing.B) {
		for b.Loop() {
			_, _ = Marshal(map[string]any{"files": map[string]any{"references": references}})
		}
	})
}
