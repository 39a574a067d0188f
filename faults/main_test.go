//go:build linux

package faults

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

// playVariable makes the test binary a scripted server.
const playVariable = "LSPI_FAULTS_PLAY"

var update = flag.Bool("update", false, "write docs/faults.md anew; cells that do not run stay as they are there")

// all runs the heavy cells too.
var all = os.Getenv("LSPI_FAULTS") == "all"

func TestMain(m *testing.M) {
	if os.Getenv(playVariable) != "" {
		os.Exit(lsptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if err := likeAUser(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	flag.Parse()
	testkit.Path()
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // else every scripted server takes a second longer to end
	// Cells that wait for limits do nothing meanwhile.
	if flag.Lookup("test.parallel").Value.String() == fmt.Sprint(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "8")
	}
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
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

// likeAUser starts this program anew without root's right to read what nobody may read: for a user of a machine a mode
// counts, and so it has to in these tests. It returns where there is nothing to give up, or no program to do it with.
func likeAUser() error {
	setpriv, err := exec.LookPath("setpriv")
	if os.Getuid() != 0 || os.Getenv(userVariable) != "" || err != nil {
		return nil
	}
	const rights = "-dac_override,-dac_read_search"
	args := append([]string{"setpriv", "--bounding-set=" + rights, "--inh-caps=" + rights}, os.Args...)
	return syscall.Exec(setpriv, args, append(os.Environ(), userVariable+"=1"))
}

// built is the binary, made once.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// lspi is the program, with the race detector where this test has it.
func lspi(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "lspi-faults"); built.err != nil {
			return
		}
		args := []string{"build", "-o", filepath.Join(built.dir, "lspi")}
		if raced {
			args = append(args, "-race")
		}
		if out, err := exec.Command("go", append(args, "lspi/cmd/lspi")...).CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "lspi")
}

// patience bounds every wait for something that has to come: far longer than anything takes on a busy machine.
const patience = 2 * time.Minute

var errImpatient = errors.New("it did not come")

// eventually polls for what another process does; no signal crosses that border.
func eventually(within time.Duration, f func() bool) error {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-tick.C:
		case <-deadline.C:
			return fmt.Errorf("%w within %v", errImpatient, within)
		}
	}
	return nil
}

// tempDir is a folder without symbolic links in its path, as lspi names it.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// shell makes a path one word of a shell command.
func shell(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
