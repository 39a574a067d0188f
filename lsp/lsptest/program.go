package lsptest

import (
	"os"
	"path/filepath"
	"testing"
)

// programVariable makes a test binary act as the executable of a scripted server.
const programVariable = "LSPI_TEST_SCRIPTED_SERVER"

// builtVariable names a program built from cmd/lspi/internal/fakels, which the tests of all packages start under
// "make test". There the binary of a test has the race detector, and is several times slower to start and to answer.
// The tests of lsptest run the server with the detector.
const builtVariable = "LSPI_TEST_FAKELS"

// Program is a scripted server as an executable: the one that [builtVariable] names, or the binary of the running
// test, whose TestMain calls [Play].
type Program struct {
	Path   string
	Script string            // the file with the script, which is the program's first argument
	Events string            // the file in which all runs of the program record what they receive
	Env    map[string]string // what the program needs in its environment
}

// Play plays a scripted server and returns played true when this process was started as a [Program]. The caller then
// ends the process with code.
func Play() (code int, played bool) {
	if os.Getenv(programVariable) == "" {
		return 0, false
	}
	return Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr), true
}

// NewProgram writes a script to a folder that is removed after the test, with an events file there unless the script
// names one. A nil script is a server of the words language.
func NewProgram(t testing.TB, script *Script) Program {
	t.Helper()
	if script == nil {
		script = &Script{Language: "words"}
	}
	dir := t.TempDir()
	if script.EventsFile == "" {
		script.EventsFile = filepath.Join(dir, "events")
	}
	// Without GORACE a binary with the race detector takes a second longer to end.
	p := Program{Script: filepath.Join(dir, "script.json"), Events: script.EventsFile,
		Env: map[string]string{programVariable: "1", "GORACE": "atexit_sleep_ms=0"}}
	if p.Path = os.Getenv(builtVariable); p.Path == "" {
		var err error
		if p.Path, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	p.Replace(t, script)
	return p
}

// Replace makes the next runs of the program play another script.
func (p Program) Replace(t testing.TB, script *Script) {
	t.Helper()
	script.EventsFile = p.Events
	if err := os.WriteFile(p.Script, Raw(script), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Seen returns what all runs of the program have recorded.
func (p Program) Seen(t testing.TB) []Event {
	t.Helper()
	all, err := ReadEvents(p.Events)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
