package tools

import (
	"fmt"
	"testing"

	"lspi/internal/testkit/sessions"
	"lspi/lsp/spec"
)

// What a build leaves in a tagged folder is not missed in a search, though no server is there for it.
func TestSearchDoesNotMissWhatIsGenerated(t *testing.T) {
	const tag = "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by cargo.\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing else", nil, "complete"},
		{"tagged", map[string]string{"target/CACHEDIR.TAG": tag, "target/debug/a.lost": "one\n"}, "complete"},
		{"not tagged", map[string]string{"target/debug/a.lost": "one\n"}, "partial server_failed"},
		{"tagged, and one beside it", map[string]string{"target/CACHEDIR.TAG": tag, "target/a.lost": "one\n", "targets/b.lost": "one\n"},
			"partial server_failed"},
		{"another signature", map[string]string{"target/CACHEDIR.TAG": "Signature: none\n", "target/a.lost": "one\n"}, "partial server_failed"},
		{"all is", map[string]string{"CACHEDIR.TAG": tag, "a.lost": "one\n"}, "partial server_failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"a.w": "def one\n"}
			for name, text := range c.files {
				files[name] = text
			}
			missing := sessions.Fake(t, "lost", `{}`, func(s *spec.Spec) {
				s.Languages = []spec.Language{{ID: "lost", Extensions: []string{"lost"}}}
				s.Commands[0].Name = "lspi-test-no-such-program"
			})
			env := sessions.Open(t, project(t, files), sessions.Fake(t, "words", `{"language":"words"}`), missing)
			a := run(t, env, "search_workspace_symbols", map[string]any{"query": "on"})
			got := fmt.Sprint(a["completeness"])
			for _, w := range a["warnings"].([]any) {
				got += fmt.Sprint(" ", w.(map[string]any)["kind"])
			}
			equal(t, "answer", got, c.want)
		})
	}
}
