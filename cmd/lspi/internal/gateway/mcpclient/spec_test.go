package mcpclient_test

import (
	"encoding/json"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/testkit"
)

func TestMask(t *testing.T) {
	s := spec{ID: "x", URL: "https://me:pass-word@h/p?key=query-key",
		Headers: map[string]string{"Authorization": "Basic head-er-secret", "X": "short"},
		Token:   "to\"ken<value>", Env: map[string]string{"N": "1", "MODE": "production", "PIN": "4711"},
		Secrets: []string{"of-arg", "1", "production"}, Args: []string{"--k=of-arg"}}
	m := mcpclient.NewMask(&s)
	for in, want := range map[string]string{
		"x of-arg y":                       "x *** y",
		"Basic head-er-secret":             "***",
		"got head-er-secretly":             "got ***ly",
		"a short one, shorter":             "a *** one, shorter",
		`{"t":"to\"ken\u003cvalue\u003e"}`: `{"t":"***"}`,
		`to"ken<value>`:                    "***",
		"to%22ken%3Cvalue%3E":              "***",
		"pin 4711, port 47110":             "pin ***, port 47110",
		"1 in production":                  "1 in production",
		"pass-word query-key":              "*** ***",
	} {
		testkit.Equal(t, m.Text(in), want, in)
	}
	masked, err := json.Marshal(s.Masked())
	testkit.Must(t, err)
	for _, hidden := range []string{"pass-word", "query-key", "head-er", "short", "ken<value", "4711", "of-arg",
		"production"} {
		if strings.Contains(string(masked), hidden) {
			t.Errorf("%s is told: %s", hidden, masked)
		}
	}
	other := s
	other.Token = "another"
	testkit.Equal(t, s.Digest(), other.Digest(), "digest without the secrets")
	testkit.Equal(t, s.Equal(&other), false, "equal")
	other.Args = []string{"-x"}
	testkit.Equal(t, s.Digest() == other.Digest(), false, "digest")
}

// A text that was cut within a secret does not tell the half of it, and no line of a secret of several is told.
func TestMaskOfParts(t *testing.T) {
	s := spec{ID: "x", Token: "abcdefghij",
		Env: map[string]string{"KEY": "-----BEGIN\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END"}}
	m := mcpclient.NewMask(&s)
	for in, want := range map[string]string{
		"token abcde…":     "token ***…",
		"ghij, said it":    "***, said it",
		"x ab":             "x ab",
		"ghij":             "***",
		"x MIIEvQIBADAN y": "x *** y",
		"no secret":        "no secret",
		"":                 "",
	} {
		testkit.Equal(t, m.Part(in), want, in)
	}
}

func TestCheck(t *testing.T) {
	for name, s := range map[string]spec{
		"id":        {ID: "a b", Command: "x"},
		"id with _": {ID: "a__b", Command: "x"},
		"long id":   {ID: strings.Repeat("a", 33), Command: "x"},
		"neither":   {ID: "a"},
		"both":      {ID: "a", Command: "x", URL: "http://h"},
		"scheme":    {ID: "a", URL: "ftp://h"},
	} {
		if _, err := mcpclient.New(s, host{}, opts{}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	_, err := mcpclient.New(spec{ID: "a-b_1", Command: "x"}, host{}, opts{})
	testkit.Must(t, err)
}
