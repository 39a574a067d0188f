package share

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"lspi/internal/testkit"
)

// A process in a sandbox of its own (here only one that may gain no privileges, as every sandbox without root begins) is not served, whatever it says of itself:
// else it would have files changed outside of it.
func TestSandboxedPeer(t *testing.T) {
	if socket := os.Getenv("LSPI_TEST_PLACE"); socket != "" { // the process in the sandbox
		p := Place{socket, os.Getenv("LSPI_TEST_NAME")}
		for _, h := range []Hello{hello(p), {Kind: KindCommand, Command: CommandStop}, {Kind: KindCommand, Command: CommandPing, Place: p.Name}, {Kind: KindLog, Session: "s"}} {
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
		return
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("setpriv is not installed")
	}
	p := place(t)
	serving(t, p, ServerOptions{})
	identity, err := ThisIdentity()
	testkit.Must(t, err)
	cmd := exec.Command(setpriv, "--no-new-privs", os.Args[0], "-test.run", "^TestSandboxedPeer$")
	cmd.Env = append(os.Environ(), "LSPI_TEST_PLACE="+p.Dir, "LSPI_TEST_NAME="+p.Name, "LSPI_TEST_IDENTITY="+identity.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	c, _, err := Dial(t.Context(), p, hello(p)) // outside of it all is well
	testkit.Must(t, err)
	c.Close()
}
