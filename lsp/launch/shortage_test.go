package launch

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/process"
	"lspi/lsp/spec"
)

// What a start fails for is told from the error of the system, through all layers, and is no reason to install
// anything.
func TestShortage(t *testing.T) {
	fork := func(err error) error { return &fs.PathError{Op: "fork/exec", Path: "/bin/gopls", Err: err} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{fork(syscall.EMFILE), process.ShortageOpenFiles}, {fork(syscall.ENFILE), process.ShortageSystemFiles},
		{fork(syscall.ENOMEM), process.ShortageMemory}, {fork(syscall.EAGAIN), process.ShortageProcesses},
		{fork(syscall.ENOENT), ""}, {fmt.Errorf("reading: %w", syscall.EAGAIN), ""}, {nil, ""},
	} {
		testkit.Equal(t, process.Shortage(c.err), c.want, c.err)
		if c.err == nil {
			continue
		}
		err := Failed(&spec.Spec{ID: "s", Install: []spec.Install{{Command: "get it"}}}, nil, nil,
			fmt.Errorf("it ended: %w", c.err))
		if got, _ := testkit.FactsOf(t, err)["shortage"].(string); got != c.want || process.Shortage(err) != c.want {
			t.Errorf("%v: the fact %q", err, got)
		}
		if install, _ := testkit.FactsOf(t, err)["install"].([]string); (len(install) > 0) != (c.want == "") ||
			testkit.KindOf(err) != contract.KindServerStartFailed {
			t.Errorf("%v: install %q", err, install)
		}
	}
}
