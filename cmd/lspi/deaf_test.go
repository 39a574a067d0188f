//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lspi/internal/testkit"
)

// A host that no longer reads does not keep the shared process and its servers from ending by SIGTERM.
func TestEndBesideADeafHost(t *testing.T) {
	lspi, home, ws := testkit.Program(t), t.TempDir(), testkit.Project(t, map[string]string{"a.txt": ""})
	testkit.Must(t, os.Chmod(home, 0o700))
	env := append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=",
		"LSPI_SHARE=auto")
	process := exec.Command(lspi, "daemon", "run")
	process.Env, process.Stderr = env, os.Stderr
	testkit.Must(t, process.Start())
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	testkit.Must(t, testkit.Eventually(10*time.Second, func() bool {
		sockets, _ := filepath.Glob(filepath.Join(home, "lspi", "*.sock"))
		return len(sockets) == 1
	}))

	host := exec.Command(lspi, "mcp", "--workspace-root", ws)
	host.Env, host.Stderr = env, os.Stderr
	in, err := host.StdinPipe()
	testkit.Must(t, err)
	out, err := host.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, host.Start())
	defer func() { _ = host.Process.Kill(); _ = host.Wait() }()
	_, err = io.WriteString(in, hello)
	testkit.Must(t, err)
	_, err = bufio.NewReaderSize(out, 16).ReadBytes('\n')
	testkit.Must(t, err)
	// Answers of 10 MB, more than all buffers on the way hold.
	for i := range 300 {
		_, err = io.WriteString(in, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", i+2))
		testkit.Must(t, err)
	}
	const pipe = 60 << 10 // of the 64 KiB that a pipe holds
	testkit.Must(t, testkit.Eventually(10*time.Second, func() bool {
		n, err := unix.IoctlGetInt(int(out.(*os.File).Fd()), unix.TIOCINQ)
		return err == nil && n >= pipe
	}))
	status := exec.Command(lspi, "status") // long enough for the buffers of the socket
	status.Env = env
	testkit.Must(t, status.Run())
	testkit.Must(t, process.Process.Signal(syscall.SIGTERM))
	select {
	case <-ended:
		testkit.Equal(t, process.ProcessState.ExitCode(), exitSignal+int(syscall.SIGTERM), "exit code")
	case <-time.After(20 * time.Second):
		_ = process.Process.Kill()
		t.Error("it does not end")
	}
}
