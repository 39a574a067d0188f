//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// The shared process takes the socket that systemd passes, and hosts connect to it instead of starting another process.
func TestSocketActivation(t *testing.T) {
	lspi, home, ws := testkit.Program(t), t.TempDir(), testkit.Project(t, map[string]string{"a.txt": ""})
	testkit.Must(t, os.Chmod(home, 0o700))
	env := append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=",
		"LSPI_SHARE=auto")
	dir := filepath.Join(home, "lspi")
	testkit.Must(t, os.Mkdir(dir, 0o700))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "lspi.sock"), Net: "unix"})
	testkit.Must(t, err)
	testkit.Must(t, os.Chmod(filepath.Join(dir, "lspi.sock"), 0o600))
	file, err := l.File()
	testkit.Must(t, err)
	service := exec.Command("/bin/sh", "-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" daemon run`, lspi)
	service.Env, service.ExtraFiles, service.Stderr = env, []*os.File{file}, os.Stderr
	testkit.Must(t, service.Start())
	ended := make(chan error, 1)
	go func() { ended <- service.Wait() }()

	host := exec.Command(lspi, "mcp", "--workspace-root", ws)
	host.Env, host.Stderr = env, os.Stderr
	in, err := host.StdinPipe()
	testkit.Must(t, err)
	out, err := host.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, host.Start())
	lines := bufio.NewReader(out)
	_, err = in.Write([]byte(hello))
	testkit.Must(t, err)
	_, err = lines.ReadBytes('\n')
	testkit.Must(t, err)
	_, err = in.Write(
		[]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_server_status","arguments":{}}}` +
			"\n"))
	testkit.Must(t, err)
	line, err := lines.ReadBytes('\n')
	testkit.Must(t, err)
	var answer struct {
		Result struct {
			StructuredContent struct {
				Sharing struct{ PID int }
			}
		}
	}
	testkit.Must(t, json.Unmarshal(line, &answer))
	testkit.Equal(t, answer.Result.StructuredContent.Sharing.PID, service.Process.Pid, "process that serves")
	call := exec.Command(lspi, "call", "get_server_status", "--json", "--workspace-root", ws)
	call.Env, call.Stderr = env, os.Stderr
	told, err := call.Output()
	testkit.Must(t, err)
	var status struct{ Sharing struct{ PID int } }
	testkit.Must(t, json.Unmarshal(told, &status))
	testkit.Equal(t, status.Sharing.PID, service.Process.Pid, "process that a command asks")
	testkit.Must(t, in.Close())
	testkit.Must(t, host.Wait())
	testkit.Must(t, service.Process.Signal(syscall.SIGTERM))
	select {
	case <-ended:
		testkit.Equal(t, service.ProcessState.ExitCode(), exitSignal+int(syscall.SIGTERM), "exit code")
	case <-time.After(time.Minute):
		t.Error("it does not end by SIGTERM")
	}
	if _, err := os.Stat(filepath.Join(dir, "lspi.sock")); err != nil {
		t.Error("it took systemd's socket away")
	}
}
