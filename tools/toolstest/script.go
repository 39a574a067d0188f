//go:build unix

package toolstest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"lspi/internal/testkit"
	"lspi/tools/session"
)

// A Script is a txtar file: a project, and the questions that are asked about it with what their answers say. Its
// commands besides those of testscript:
//
//	ask TOOL JSON          calls a tool; its answer is stdout, as text and with a line for the facts of each warning.
//	                       ! ask wants an error. Besides, an answer has to be complete, unless
//	ask -unknown TOOL JSON says that the server cannot show it, or
//	ask -partial TOOL JSON that lspi shows that it is not.
//	follow N               is ask with the call that step N of the answer to the last ask names, from 1
//	edit FILE OLD NEW      replaces the one place that has the text OLD in a file, as an editor outside of lspi would
//	crash                  ends the processes of the server, as a crash does
//
// Texts of a file at a later time are files below later/, which is no folder of the project: cp $WORK/later/a.go a.go.
type Script struct {
	File string
	// Folder is the folder of the project in a workspace of several; "" when the project is the workspace.
	Folder string
	// Open opens the workspace at the first question: what stands before it in the script is there when lspi starts.
	Open func(folder string) *session.Session
	Ask  func(s *session.Session, tool string, arguments json.RawMessage) Answer
	GoOn bool // behind a mistake
}

// The values of a testscript.Env.
type (
	sessionKey struct{} // func() *session.Session
	stepsKey   struct{} // *[]step, of the answer to the last ask
)

type step struct {
	Tool      string
	Arguments json.RawMessage
}

// Answer is what a tool answered.
type Answer struct {
	Text       string
	Structured json.RawMessage
}

// Warm runs scripts with one session: each has its project in a folder of the workspace, which has the name of the
// script. All projects are there before the first script runs. The files of the archive top are at the top of the
// workspace, such as a project file for all of them, with which a server loads once.
func Warm(t *testing.T, top string, scripts []Script) {
	workspace := testkit.TempDir(t)
	unpack(t, top, workspace)
	testkit.Must(t, os.Mkdir(filepath.Join(workspace, ".git"), 0o755)) // the root of a repository
	for i, s := range scripts {
		scripts[i].Folder = filepath.Join(workspace, strings.TrimSuffix(filepath.Base(s.File), ".txtar"))
		unpack(t, s.File, scripts[i].Folder)
	}
	open := sync.OnceValue(func() *session.Session { return scripts[0].Open(workspace) })
	for _, s := range scripts {
		s.Open = func(string) *session.Session { return open() }
		// one after the other: a project that changes has the server work, and answers of the others wait for it
		t.Run(filepath.Base(s.Folder), s.Run)
	}
}

// unpack writes the files of an archive into a folder, but for those of a later time. $DIR in them is the folder.
func unpack(t *testing.T, file, folder string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	testkit.Must(t, err)
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "later/") {
			testkit.Write(t, filepath.Join(folder, filepath.FromSlash(f.Name)),
				strings.ReplaceAll(string(f.Data), "$DIR", folder))
		}
	}
}

// Run runs the script.
func (s Script) Run(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:           []string{s.File},
		ContinueOnError: s.GoOn,
		Condition:       testkit.Condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SERVERS", testkit.Dir()) // where scripts find packages that a project has of its own
			folder := env.WorkDir
			if s.Folder != "" {
				env.Cd, folder = s.Folder, filepath.Dir(s.Folder)
			}
			env.Values[stepsKey{}] = new([]step)
			env.Values[sessionKey{}] = sync.OnceValue(func() *session.Session { return s.Open(folder) })
			if s.Folder != "" {
				return nil
			}
			return os.Mkdir(filepath.Join(env.WorkDir, ".git"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ask": s.ask, "follow": s.follow, "edit": edit,
			"crash": crash},
	})
}

func sessionOf(ts *testscript.TestScript) *session.Session {
	return ts.Value(sessionKey{}).(func() *session.Session)()
}

func (s Script) ask(ts *testscript.TestScript, fails bool, args []string) {
	want := "complete"
	if len(args) > 0 && (args[0] == "-unknown" || args[0] == "-partial") {
		want, args = args[0][1:], args[1:]
	}
	if len(args) != 2 {
		ts.Fatalf("usage: ask [-unknown|-partial] TOOL JSON")
	}
	var envelope struct {
		NextSteps []step `json:"next_steps"`
	}
	answer := s.call(ts, fails, want, args[0], s.inFolder(ts, args[1]))
	ts.Check(json.Unmarshal(answer.Structured, &envelope))
	*ts.Value(stepsKey{}).(*[]step) = envelope.NextSteps
}

// follow calls what a step says. The paths in it are those of the workspace.
func (s Script) follow(ts *testscript.TestScript, fails bool, args []string) {
	steps := *ts.Value(stepsKey{}).(*[]step)
	if len(args) != 1 {
		ts.Fatalf("usage: follow N")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 || n > len(steps) || steps[n-1].Tool == "" {
		ts.Fatalf("step %s of %d calls no tool", args[0], len(steps))
	}
	s.call(ts, fails, "complete", steps[n-1].Tool, steps[n-1].Arguments)
}

// call calls a tool, and writes its answer to stdout.
func (s Script) call(ts *testscript.TestScript, fails bool, want, tool string, arguments json.RawMessage) Answer {
	answer := s.Ask(sessionOf(ts), tool, arguments)
	text := answer.Text
	var envelope struct {
		testkit.Envelope
		Warnings []map[string]any
	}
	ts.Check(json.Unmarshal(answer.Structured, &envelope))
	for _, w := range envelope.Warnings { // the facts, of which the message may tell the first alone
		kind := w["kind"]
		delete(w, "kind")
		delete(w, "message")
		facts, err := json.Marshal(w)
		ts.Check(err)
		text += fmt.Sprintf("\n%s %s", kind, facts)
	}
	if s.Folder != "" { // as the script has its paths
		text = strings.ReplaceAll(text, filepath.Base(s.Folder)+"/", "")
	}
	_, err := fmt.Fprintln(ts.Stdout(), text)
	ts.Check(err)
	switch {
	case fails && envelope.OK:
		ts.Fatalf("%s is no error", tool)
	case !fails && !envelope.OK:
		ts.Fatalf("%s is an error", tool)
	case !fails && envelope.Completeness != want:
		ts.Fatalf("%s is %s, not %s", tool, envelope.Completeness, want)
	}
	return answer
}

// places are the arguments of tools that name files.
var places = []string{"file_path", "file_paths", "new_path", "path"}

// inFolder leads the paths among arguments into the folder of the project.
func (s Script) inFolder(ts *testscript.TestScript, arguments string) json.RawMessage {
	if s.Folder == "" {
		return json.RawMessage(arguments)
	}
	var all map[string]any
	ts.Check(json.Unmarshal([]byte(arguments), &all))
	var lead func(name string, value any) any
	lead = func(name string, value any) any {
		switch v := value.(type) {
		case string:
			if slices.Contains(places, name) {
				return filepath.Base(s.Folder) + "/" + v
			}
		case []any:
			for i := range v {
				v[i] = lead(name, v[i])
			}
		case map[string]any:
			for name := range v {
				v[name] = lead(name, v[name])
			}
		}
		return value
	}
	raw, err := json.Marshal(lead("", all))
	ts.Check(err)
	return raw
}

// edit is an edit from outside.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	raw, err := os.ReadFile(path)
	ts.Check(err)
	if n := strings.Count(string(raw), args[1]); n != 1 {
		ts.Fatalf("%s has %q %d times", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(raw), args[1], args[2], 1)), 0o644))
}

// crash ends the server as a crash does.
func crash(ts *testscript.TestScript, _ bool, _ []string) {
	killed := 0
	for _, st := range sessionOf(ts).Workspace.Pool.Status() {
		if st.Server != nil {
			// its group: of some the launcher is a process of its own
			ts.Check(syscall.Kill(-st.Server.PID(), syscall.SIGKILL))
			killed++
		}
	}
	if killed == 0 {
		ts.Fatalf("no server runs")
	}
}
