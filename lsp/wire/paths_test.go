package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/source"
)

// Paths are translated in every place where LSP has them, and text is not, whatever it says.
func TestTranslatedMessages(t *testing.T) {
	at := translator{source.NewPathPairs(map[string]string{"/home/me/my app": "/work/app", "/home/me/my app/gen": "/gen",
		"/home/me/go": "/go"})}
	for _, c := range []struct{ name, here, there string }{
		{"uri", `{"textDocument":{"uri":"file:///home/me/my%20app/a.go"},"n":1.50}`,
			`{"textDocument":{"uri":"file:///work/app/a.go"},"n":1.50}`},
		{"the longest pair", `["file:///home/me/my%20app/gen/a.go","/home/me/my app/gen"]`, `["file:///gen/a.go","/gen"]`},
		{"path", `{"rootPath":"/home/me/my app","settings":{"a":["/home/me/go/bin","b"]}}`,
			`{"rootPath":"/work/app","settings":{"a":["/go/bin","b"]}}`},
		{"keys", `{"changes":{"file:///home/me/my%20app/a.go":[{"newText":"file:///home/me/my%20app/a.go"}]}}`,
			`{"changes":{"file:///work/app/a.go":[{"newText":"file:///home/me/my%20app/a.go"}]}}`},
		{"text", `{"text":"/home/me/go","message":"file:///home/me/go/x","contents":["/home/me/go"],"value":"/home/me/go"}`,
			`{"text":"/home/me/go","message":"file:///home/me/go/x","contents":["/home/me/go"],"value":"/home/me/go"}`},
		{"text in front", `{"contents":{"value":"x"},"uri":"file:///home/me/go/x#L3"}`,
			`{"contents":{"value":"x"},"uri":"file:///go/x#L3"}`},
		{"a name that only begins so", `{"path":"/home/me/gopher/x"}`, `{"path":"/home/me/gopher/x"}`},
		{"escapes", `{"a\"b":"file:\/\/\/home\/me\/go\/x","é":"é"}`, `{"a\"b":"file:///go/x","é":"é"}`},
		{"outside here", `{"uri":"file:///etc/hosts"}`, `{"uri":"near:///etc/hosts"}`},
		{"outside there", `{"uri":"far:///usr/include/stdio.h"}`, `{"uri":"file:///usr/include/stdio.h"}`},
		{"another scheme", `{"uri":"jdt://contents/x"}`, `{"uri":"jdt://contents/x"}`},
		{"no JSON", `{"uri":"file:///home/me`, `{"uri":"file:///home/me`},
	} {
		if d := cmp.Diff(c.there, string(at.sent([]byte(c.here)))); d != "" {
			t.Errorf("%s, sent (-want +got):\n%s", c.name, d)
		}
		if c.name == "escapes" {
			continue
		}
		if d := cmp.Diff(c.here, string(at.received([]byte(c.there)))); d != "" {
			t.Errorf("%s, received (-want +got):\n%s", c.name, d)
		}
	}
}
