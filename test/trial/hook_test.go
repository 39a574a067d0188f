//go:build linux || darwin

package trial

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// trial plays edits of an agent through lspi hook and holds what the model is told against the compiler.
type trial struct {
	*Book
	t    *testing.T
	lspi string
}

var update = flag.Bool("update", false, "write the table of docs/hooks.md anew")

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// TestHookTrial is the measure of lspi hook: it tells exactly the new errors, once, and nothing of a clean edit.
// LSPI_HOOKS=all plays 200 edits in each language (make hooks); LSPI_HOOK_STEPS is another number, and
// LSPI_HOOK_LANGUAGES has some languages. -update writes the table of docs/hooks.md.
func TestHookTrial(t *testing.T) {
	languages, steps := Languages, 200
	if os.Getenv("LSPI_HOOKS") != "all" {
		testkit.OwnServer(t)
		languages, steps = Languages[:1], 10
	}
	var rows []string
	for _, lang := range languages {
		t.Run(lang.Name, func(t *testing.T) {
			if !Wanted(lang) {
				t.Skip("LSPI_HOOK_LANGUAGES has other languages")
			}
			testkit.Need(t, append(lang.Needs, "git")...)
			tr := newTrial(t, lang)
			tr.play(steps)
			rows = append(rows, tr.Row(lang.Title))
		})
	}
	if *update && len(languages) > 1 && !t.Failed() {
		WriteRows(t, "../../docs/hooks.md", Head("language, server"), rows)
	}
}

func newTrial(t *testing.T, lang Language) *trial {
	home, err := os.MkdirTemp("", "lspi") // short enough for a socket
	testkit.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	cache, err := os.UserCacheDir() // an empty one costs gopls some 8 s at its first answer
	testkit.Must(t, err)
	runtime := filepath.Join(home, "run")
	testkit.Must(t, os.Mkdir(runtime, 0o700))
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home,
		"XDG_RUNTIME_DIR="+runtime, "XDG_CACHE_HOME="+cache,
		"LSPI_SHARE=auto", "LSPI_CONFIG_PATH=", "CLAUDE_PROJECT_DIR=", "GOFLAGS=", "GIT_CONFIG_GLOBAL=/dev/null")
	settings := "trust = \"all\"\n[logging]\nlevel = \"info\"\n"
	if os.Getenv("LSPI_HOOKS") == "" { // what is right is tested beside other tests, what is in time is measured alone
		settings += "[hooks]\nbudget_ms = 9000\n"
	}
	testkit.Write(t, filepath.Join(home, "lspi", "config.toml"), settings)
	tr := &trial{NewBook(NewProject(t, lang, testkit.TempDir(t), env)), t, testkit.Program(t)}
	t.Cleanup(func() {
		tr.Run(tr.lspi, "daemon", "stop")
		if t.Failed() {
			t.Log(tr.Run(tr.lspi, "daemon", "logs"))
		}
	})
	return tr
}

// event runs the hook and returns what the model is told, and how long the host waited. files are those that the input
// of the tool names.
func (tr *trial) event(name, tool string, files ...string) (text string, took time.Duration) {
	input := map[string]any{}
	for _, file := range files {
		input["file_path"] = filepath.Join(tr.Dir, file)
	}
	in, _ := json.Marshal(map[string]any{"hook_event_name": name, "session_id": "trial", "cwd": tr.Dir, "tool_name": tool,
		"tool_input": input, "source": "startup"})
	cmd := exec.Command(tr.lspi, "hook", "claude")
	cmd.Dir, cmd.Env, cmd.Stdin = tr.Dir, tr.Env, bytes.NewReader(in)
	began := time.Now()
	out, err := cmd.Output()
	took = time.Since(began)
	testkit.Must(tr.t, err)
	if len(out) == 0 {
		return "", took
	}
	var said struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	testkit.Must(tr.t, json.Unmarshal(out, &said))
	return said.HookSpecificOutput.AdditionalContext, took
}

// play starts a session and plays steps: an edit that breaks or not, then one that mends.
func (tr *trial) play(steps int) {
	tr.event("SessionStart", "")
	testkit.Wait(tr.t, "the server", func() bool {
		return strings.Contains(tr.Run(tr.lspi, "status", "--json"), `"ready": true`)
	})
	r := rand.New(rand.NewPCG(1, 31))
	if n, err := strconv.Atoi(os.Getenv("LSPI_HOOK_STEPS")); err == nil {
		steps = n
	}
	for step := 0; step < steps; step += 2 {
		tr.pair(r, step)
	}
	tr.event("PostToolUse", "Bash")
	tr.report()
}

// pair plays an edit and what takes it back, or two clean edits.
func (tr *trial) pair(r *rand.Rand, step int) {
	if step%4 == 2 {
		tr.step("clean edit", func() { tr.insert(fmt.Sprintf("%s note %d\n", tr.Comment, step)) })
		if tr.Format != nil {
			tr.step("formatter", func() { tr.Run(tr.Format[0], tr.Format[1:]...) })
		}
		return
	}
	b := tr.Breaks[(step/4+r.IntN(2)*3)%len(tr.Breaks)]
	path := filepath.Join(tr.Dir, b.File)
	was, err := os.ReadFile(path)
	testkit.Must(tr.t, err)
	broken := strings.Replace(string(was), b.Old, b.New, 1)
	if broken == string(was) {
		tr.t.Fatalf("%s has no %q", b.File, b.Old)
	}
	tr.step(fmt.Sprintf("break %s: %q to %q", b.File, b.Old, b.New), func() { testkit.Write(tr.t, path, broken) })
	switch r.IntN(3) {
	case 0:
		tr.step("mend "+b.File, func() { testkit.Write(tr.t, path, string(was)) })
	case 1:
		testkit.Write(tr.t, path+".orig", string(was))
		tr.step("mv over "+b.File, func() { tr.Run("mv", path+".orig", path) })
	default:
		tr.Run("git", "stash", "-q")
		tr.step("git stash", func() {})
		tr.Run("git", "stash", "drop", "-q")
	}
}

// insert puts a line at the end of the source of clean edits.
func (tr *trial) insert(line string) {
	f, err := os.OpenFile(filepath.Join(tr.Dir, tr.InSource), os.O_APPEND|os.O_WRONLY, 0)
	testkit.Must(tr.t, err)
	defer f.Close()
	_, err = f.WriteString(line)
	testkit.Must(tr.t, err)
}

// maxWaits is how often the hook is asked, behind an edit whose errors are late, what comes next.
const maxWaits = 3

// step makes a change, runs the hook, and judges what it tells.
func (tr *trial) step(what string, change func()) {
	change()
	text, took := tr.event("PostToolUse", "Edit")
	tr.Times = append(tr.Times, took)
	if wrong := tr.Step(text); wrong != "" {
		tr.t.Logf("step %d, %s:%s\nit said: %s", tr.Steps, what, wrong, text)
	}
	for range maxWaits {
		if tr.Due() {
			text, _ := tr.event("PostToolUse", "Bash")
			if wrong := tr.Wait(text); wrong != "" {
				tr.t.Logf("behind step %d, %s:%s\nit said: %s", tr.Steps, what, wrong, text)
			}
		}
	}
	if tr.Due() {
		tr.t.Logf("behind step %d, %s: not told by %d further events", tr.Steps, what, maxWaits)
		tr.Miss()
	}
}

// report fails unless everything was told as it should be. What comes in time is a figure of the measure, which depends
// on the machine; with the long budget of the test beside others all has to come.
func (tr *trial) report() {
	tr.t.Logf("%s: %v", tr.Name, tr.Book)
	if tr.Wrong() > 0 || os.Getenv("LSPI_HOOKS") == "" && tr.Right < tr.Steps {
		tr.t.Error("the model was told something else than what the compiler says")
	}
}
