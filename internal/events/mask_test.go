package events

import (
	"encoding/json"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestMaskJSON(t *testing.T) {
	m := mask{known: func(s string) string {
		return strings.ReplaceAll(s, "env-value", "<env>")
	}, secrets: []string{"s3cr3t"}}
	for _, c := range []struct{ raw, want string }{
		{`{"file_path": "a.go", "line": 3}`, `{"file_path":"a.go","line":3}`},
		{`{"b": 1, "a": 2, "b": 3}`, `{"b":1,"a":2,"b":3}`}, // as it came
		{`{"api_key": "abc", "API-Token": 12, "Password": true, "x": null}`,
			`{"api_key":"***","API-Token":"***","Password":true,"x":null}`},
		{`{"credentials": {"user": "u", "list": ["p", 1]}, "next": "n"}`,
			`{"credentials":{"user":"***","list":["***","***"]},"next":"n"}`},
		{`[{"name": "Authorization", "value": "x"}, {"name": "Accept", "value": "y"}]`,
			`[{"name":"Authorization","value":"***"},{"name":"Accept","value":"y"}]`},
		{`{"text": "the env-value and s3cr3t"}`, `{"text":"the <env> and ***"}`},
		{`{"env-value": 1}`, `{"<env>":1}`},
		{`"Authorization: Bearer abcdefgh"`, `"Authorization: *** ***"`},
		{`"curl -H 'authorization: Basic dXNlcjpw' https://u:p@host/x?token=abcdef&a=1"`,
			`"curl -H 'authorization: *** ***' https://***@host/x?token=***&a=1"`},
		{`"{\"client_secret\": \"abcdef\"}"`, `"{\"client_secret\": \"***\"}"`},
		{`"key := m[name]"`, `"key := m[name]"`},
		{"\"\xff\"", `"` + "\ufffd" + `"`},
		{`7`, `7`},
	} {
		got, err := m.json([]byte(c.raw))
		testkit.Must(t, err)
		testkit.Equal(t, string(got), c.want, c.raw)
	}
	for _, raw := range []string{`{`, `{"a" 1}`, `1 2`, `x`} {
		if out, err := m.json([]byte(raw)); err == nil {
			t.Errorf("%s is JSON: %s", raw, out)
		}
	}
}

// A value that is no JSON, or too long, is a string, in which no secret is either.
func TestMaskValue(t *testing.T) {
	got, shortened := mask{}.value([]byte(`{"token": "abcdefgh", "cut`), 100)
	testkit.Equal(t, string(got), `"{\"token\": \"***\", \"cut"`)
	testkit.Equal(t, shortened, false)
	long := `{"token":"abcdefgh","text":"` + strings.Repeat("é", 100) + `"}`
	got, shortened = mask{}.value([]byte(long), 50)
	testkit.Equal(t, shortened, true)
	var text string
	testkit.Must(t, json.Unmarshal(got, &text))
	testkit.Equal(t, text, `{"token":"***","text":"`+strings.Repeat("é", 13)+"…")
	got, shortened = mask{}.value(nil, 50)
	testkit.Equal(t, string(got), "")
	testkit.Equal(t, shortened, false)
}

func TestSecretsIn(t *testing.T) {
	got := secretsIn(
		[]byte(`{"a": "plain", "password": "swordfish", "deep": {"x_key": ["k-1-2", 12345, "abc"]}, "token": true}`))
	testkit.Diff(t, got, []string{"swordfish", "k-1-2", "12345"})
	testkit.Diff(t, secretsIn([]byte(`{"token": "abcd", `)), []string{"abcd"})
}

// Of a long text a part is looked at, which may end within a secret.
func TestMaskShort(t *testing.T) {
	secret := strings.Repeat("s3cr3t", 200)
	m := mask{known: func(s string) string { return strings.ReplaceAll(s, secret, hidden) }}
	for _, text := range []string{secret, "bad " + secret, secret + " " + secret, secret + " and " + secret + " and " +
		secret} {
		for most := 50; most < 1_000; most += 10 {
			if got := m.short(text, most); strings.Contains(got, "s3c") || len(got) > most+len("…") {
				t.Fatalf("%d: %s", most, got)
			}
		}
	}
	testkit.Equal(t, m.short(strings.Repeat("word ", 100), 11), "word word w…")
}

// A secret that is a part of another one does not leave the rest of that.
func TestMaskLongestFirst(t *testing.T) {
	m := mask{secrets: secretsIn([]byte(`{"token": "abcd", "password": "abcdefgh"}`))}
	testkit.Equal(t, m.text("abcdefgh abcd"), "*** ***")
}

// Nothing that stands below the name of a secret is in what is written, whatever the JSON.
func FuzzMask(f *testing.F) {
	f.Add(`{"token":"abcdefghi"}`)
	f.Add(`{"a":[{"name":"api_key","value":"abcdefghi"}], "b": "abcdefghi"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		m := mask{secrets: secretsIn([]byte(raw))}
		out, _ := m.value([]byte(raw), maxValue)
		if len(out) > 0 && !json.Valid(out) {
			t.Fatalf("%q became %q", raw, out)
		}
		for _, secret := range secretsIn([]byte(raw)) {
			quoted, _ := json.Marshal(secret)
			if len(secret) > 8 && strings.Contains(string(out), strings.Trim(string(quoted), `"`)) &&
				!strings.Contains(hidden+"…", secret) {
				t.Fatalf("%q is in %s", secret, out)
			}
		}
	})
}

func TestArguments(t *testing.T) {
	testkit.Diff(t, Arguments([]string{"serve", "--token=verysecret", "--api-key", "verysecret", "-v", "--stdio"}),
		[]string{"serve", "--token=***", "--api-key", "***", "-v", "--stdio"})
}
