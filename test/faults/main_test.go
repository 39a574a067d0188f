//go:build linux

package faults

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

var (
	update = flag.Bool("update", false, "write docs/faults.md anew; cells that do not run stay as they are there")
	report = flag.Bool("report", false,
		"print cells that keep the promise in another way than docs/faults.md says, without failing for them")
)

// all says that all cells run, those of real servers too.
var all = os.Getenv("LSPI_FAULTS") == "all"

func TestMain(m *testing.M) {
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	if mcptest.Play(mcpScripts) {
		os.Exit(0)
	}
	if err := likeAUser(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testkit.Path()
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // else every scripted server takes a second longer to end
	code := testkit.Run(m)
	if code == 0 {
		if err := settle(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// userVariable marks the process that runs without the rights of root.
const userVariable = "LSPI_FAULTS_USER"

// likeAUser replaces this process by one without root's right to ignore the modes of files, because these tests are
// about files that a user cannot read. It returns if the process has no such right, or setpriv is not there.
func likeAUser() error {
	setpriv, err := exec.LookPath("setpriv")
	if os.Getuid() != 0 || os.Getenv(userVariable) != "" || err != nil {
		return nil
	}
	const rights = "-dac_override,-dac_read_search"
	args := append([]string{"setpriv", "--bounding-set=" + rights, "--inh-caps=" + rights}, os.Args...)
	return syscall.Exec(setpriv, args, append(os.Environ(), userVariable+"=1"))
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	testkit.Write(t, path, text)
	testkit.Must(t, os.Chmod(path, mode))
}

// shell makes a path one word of a shell command.
func shell(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
