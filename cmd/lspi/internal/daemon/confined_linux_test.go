package daemon

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"lspi/internal/testkit"
)

// A process in a sandbox of its own (here only one that may gain no privileges, as every sandbox without root
// begins) is not served, whatever it says of itself: else it would have files changed outside of it.
func TestSandboxedPeer(t *testing.T) {
	switch os.Getenv("LSPI_TEST_SANDBOX") {
	case "enter": // the mark is the thread's, and becomes the process's with another program
		runtime.LockOSThread()
		testkit.Must(t, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		testkit.Must(t, os.Setenv("LSPI_TEST_SANDBOX", "inside"))
		testkit.Must(t, syscall.Exec(os.Args[0], os.Args, os.Environ()))
	case "inside":
		refusedInside(t)
		return
	}
	p := place(t)
	serving(t, p, ServerOptions{})
	identity, err := ThisIdentity()
	testkit.Must(t, err)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSandboxedPeer$")
	cmd.Env = append(os.Environ(), "LSPI_TEST_SANDBOX=enter", "LSPI_TEST_PLACE="+p.Dir, "LSPI_TEST_NAME="+p.Name,
		"LSPI_TEST_IDENTITY="+identity.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	c, _, err := Dial(t.Context(), p, hello(p)) // outside of it all is well
	testkit.Must(t, err)
	c.Close()
}

// refusedInside asks from the sandbox.
func refusedInside(t *testing.T) {
	p := Place{os.Getenv("LSPI_TEST_PLACE"), os.Getenv("LSPI_TEST_NAME")}
	for _, h := range []Hello{hello(p), {Kind: KindCommand, Command: CommandStop},
		{Kind: KindCommand, Command: CommandPing, Place: p.Name}, {Kind: KindLog, Session: "s"}} {
		_, _, err := Dial(t.Context(), p, h)
		if refused := (*RefusedError)(nil); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", h, err)
		}
	}
	own, err := ThisIdentity()
	testkit.Must(t, err)
	if own.Name() == os.Getenv("LSPI_TEST_IDENTITY") {
		t.Error("its place is that of processes outside")
	}
}
