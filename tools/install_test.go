package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/lsp/spec"
)

// The steps that install a server are commands of package managers that are here, or say in words where it comes from.
func TestInstallSteps(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	ways := []spec.Install{{Needs: "brew", Command: "brew install words", Package: "words"}, {Needs: "npm", Command: "npm install -g words-ls", Package: "words-ls"}}
	for _, c := range []struct{ program, kind, command string }{{"", "doc", "<nil>"}, {"npm", "command", "npm install -g words-ls"}} {
		if c.program != "" {
			testkit.Must(t, os.WriteFile(filepath.Join(bin, c.program), nil, 0o755))
		}
		env := sessions.Open(t, project(t, map[string]string{"a.w": "def X\n"}), sessions.Fake(t, "words", "{}", func(s *spec.Spec) {
			s.Title, s.Install, s.Commands = "Words", ways, []spec.Command{{Name: "no-such-program"}}
		}))
		step := firstOf(run(t, env, "hover", map[string]any{"file_path": "a.w", "symbol_name": "X"}), "next_steps")
		equal(t, "step", fmt.Sprint(step["kind"], " ", step["command"]), c.kind+" "+c.command)
		listed := firstOf(run(t, env, "list_servers", nil), "servers")
		words := fmt.Sprint(listed["install_hint"])
		if c.kind == "doc" && (words != step["message"] || !strings.Contains(words, "words (Homebrew), words-ls (npm)")) {
			t.Errorf("in words: %s; %s", step["message"], words)
		}
		if c.kind == "command" && (fmt.Sprint(listed["install"]) != "["+c.command+"]" || words != "<nil>") {
			t.Errorf("listed: %v", listed)
		}
	}
}
