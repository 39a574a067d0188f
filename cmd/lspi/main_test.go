package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

// TestMain lets the test binary act as lspi, as fakels (a language server that plays a script), as fakemcp (an MCP
// server), as mcp (a host that plays calls), and as a process with stray prints.
func TestMain(m *testing.M) {
	if _, given := os.LookupEnv("LSPI_SHARE"); !given {
		_ = os.Setenv("LSPI_SHARE", "off") // a test that is about sharing says so
	}
	testscript.Main(tests{m}, map[string]func(){
		"lspi":   main,
		"fakels": func() { os.Exit(lsptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"fakemcp": func() {
			playMCPServer(os.Args[1:])
			endFakeMCP(0)
		},
		"mcp":   func() { os.Exit(playHost(os.Args[1:])) },
		"stray": stray,
	})
}

// endFakeMCP ends the process of a scripted MCP server. os.Exit would wait a second for the race detector, as lspi does
// not pass on GORACE.
func endFakeMCP(status int) { syscall.Exit(status) }

// tests runs the tests as [testkit.Run] does.
type tests struct{ m *testing.M }

func (t tests) Run() int { return testkit.Run(t.m) }

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           testkit.Condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"heard": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(new(host).heard(ts.MkAbs(args[0]) + " " + args[1]))
			},
			"gone": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(new(host).gone(ts.MkAbs(args[0])))
			},
		},
		Setup: func(env *testscript.Env) error {
			// Nothing of the machine's own configuration counts, and no repository around the work folder.
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/.config")
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/.state")
			runtime := env.WorkDir + "/run" // else the user's own shared process is stopped
			if err := os.Mkdir(runtime, 0o700); err != nil {
				return err
			}
			env.Setenv("XDG_RUNTIME_DIR", runtime)
			env.Setenv("LSPI_SHARE", "off")           // a script that is about sharing says so
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else every process takes a second longer to end
			env.Setenv("GOCOVERDIR", os.Getenv("GOCOVERDIR"))
			return nil
		},
	})
}

// stray prints to stdout in every possible way, and writes one line to the file that takeStdout returned.
func stray() {
	stdout, err := takeStdout()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("stray print")
	child := exec.Command("echo", "stray child")
	child.Stdout = os.Stdout
	_ = child.Run()
	fmt.Fprintln(stdout, "protocol")
}
