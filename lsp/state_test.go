package lsp

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/process"
)

func TestShortVersion(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"", ""},
		{"22.1.8", "22.1.8"},
		{"clangd version 22.1.8 (https://github.com/x)\nFeatures: linux\n", "22.1.8"},
		{"Debian clangd version 22.1.8 (1~deb13u4) linux+grpc x86_64-pc-linux-gnu", "22.1.8"},
		{"1.97.1 (8bb1a4a 2026-06-01)", "1.97.1"},
		{"golang.org/x/tools/gopls v0.23.0\n    golang.org/x/tools/gopls@v0.23.0 h1:x\n", "0.23.0"},
		{"rust-analyzer 1.96.0 (abc 2026-01-01)\n", "1.96.0"},
		{"nightly build", "nightly build"},
		{`{"GoVersion":"go1.26.0","Path":"golang.org/x/tools/gopls","Main":{"Path":"golang.org/x/tools/gopls","Version":"v0.23.0","Sum":"h1:x"}}`, "0.23.0"},
		{`{"no":"x"}`, `{"no":"x"}`},
	} {
		testkit.Equal(t, ShortVersion(c.given), c.want, c.given)
	}
}

// A server's memory is that of its whole group: the process that was started may be a launcher.
func TestGroupMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only /proc tells")
	}
	p, err := process.Spawn(mustLook(t, "sh"), []string{"-c", "sleep 60 & echo started; wait"}, t.TempDir(), nil)
	testkit.Must(t, err)
	defer p.Stop(0)
	if _, err := p.Read(make([]byte, 8)); err != nil { // the child runs
		t.Fatal(err)
	}
	// A process has no memory of its own for a moment when it starts, and the kernel counts small amounts late.
	wait(t, "the memory of the child", func() bool {
		statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.PID()))
		testkit.Must(t, err)
		var size, alone uint64
		if _, err := fmt.Sscan(string(statm), &size, &alone); err != nil {
			t.Fatal(err)
		}
		both, _ := process.UsageOf(p.PID())
		return both.Memory > alone*uint64(os.Getpagesize())
	})
	if other, ok := process.UsageOf(1 << 30); ok || other.Memory != 0 {
		t.Errorf("a group that is not there has %d bytes", other.Memory)
	}
}

func mustLook(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return path
}
