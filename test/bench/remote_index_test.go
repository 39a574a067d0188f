//go:build linux

package bench

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// remoteSources are the sources of the project of BenchmarkRemoteIndex.
const remoteSources = 120

// BenchmarkRemoteIndex compares the first complete answer about uses, from the start of lspi, and the memory of clangd:
// with the index that clangd makes itself, and with that of a clangd-index-server (scripts/clangd_index.sh), which
// another machine would have made. Without those programs there is nothing to compare, and make clangd-index fails.
func BenchmarkRemoteIndex(b *testing.B) {
	testkit.Need(b, "clangd")
	needRemoteIndex(b)
	p := newRemoteProject(b)
	own, ownMemory := p.ask(b, "")
	p.makeIndex(b)
	remote, remoteMemory := p.ask(b, p.serve(b))
	for b.Loop() { // one sample
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(own.Seconds(), "own-s")
	b.ReportMetric(remote.Seconds(), "remote-s")
	b.ReportMetric(own.Seconds()/remote.Seconds(), "times-faster")
	b.ReportMetric(ownMemory, "own-MB")
	b.ReportMetric(remoteMemory, "remote-MB")
}

func needRemoteIndex(b *testing.B) {
	b.Helper()
	for _, program := range []string{"clangd-indexer", "clangd-index-server"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("LSPI_TESTS") == "own" {
				b.Fatal(program + " is not there: run scripts/clangd_index.sh")
			}
			b.Skip(program + " is not there: run scripts/clangd_index.sh")
		}
	}
}

// clangdConfig is the user's configuration of clangd that names a server of indexes.
func clangdConfig(address, mount string) string {
	return "Index:\n  External:\n    Server: " + address + "\n    MountPoint: " + mount + "\n"
}

// remoteProject is a repository of C++ whose sources include much of the standard library.
type remoteProject struct {
	dir, index string
}

func newRemoteProject(b *testing.B) remoteProject {
	top := testkit.TempDir(b)
	p := remoteProject{filepath.Join(top, "project"), filepath.Join(top, "project.idx")}
	header, list := "#pragma once\n", []string{}
	for i := range remoteSources {
		file := fmt.Sprintf("f%d.cc", i)
		header += fmt.Sprintf("int f%d();\n", i)
		list = append(list, fmt.Sprintf(`{"directory": %q, "file": %q, "command": "c++ -std=c++17 -c %s"}`, p.dir, file, file))
		testkit.Write(b, filepath.Join(p.dir, file), fmt.Sprintf("#include \"all.h\"\n#include <iostream>\n#include <map>\n"+
			"#include <regex>\n\nint f%d() {\n  std::map<int, std::regex> all;\n  return f%d() + int(all.size());\n}\n",
			i, (i+1)%remoteSources))
	}
	testkit.Write(b, filepath.Join(p.dir, "all.h"), header)
	testkit.Write(b, filepath.Join(p.dir, "compile_commands.json"), "["+strings.Join(list, ",\n")+"]\n")
	testkit.Write(b, filepath.Join(p.dir, ".gitignore"), "compile_commands.json\n.cache/\n*.commit\n")
	for _, words := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=b", "-c", "user.email=b@example.com",
		"commit", "-q", "-m", "one"}} {
		output(b, exec.Command("git", append([]string{"-C", p.dir}, words...)...))
	}
	return p
}

func output(b *testing.B, cmd *exec.Cmd) string {
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%v: %v", cmd.Args, err)
	}
	return strings.TrimSpace(string(out))
}

// makeIndex makes the index, and says of which commit it is.
func (p remoteProject) makeIndex(b *testing.B) {
	began := time.Now()
	raw, err := exec.Command("clangd-indexer", "--executor=all-TUs", filepath.Join(p.dir, "compile_commands.json")).Output()
	testkit.Must(b, err)
	b.Logf("the index of %d bytes was made in %.1f s", len(raw), time.Since(began).Seconds())
	testkit.Must(b, os.WriteFile(p.index, raw, 0o600))
	testkit.Write(b, filepath.Join(p.dir, "clangd-index.commit"), output(b, exec.Command("git", "-C", p.dir, "rev-parse",
		"HEAD")))
}

// serve starts the server of the index and returns its address.
func (p remoteProject) serve(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(b, err)
	address := l.Addr().String()
	testkit.Must(b, l.Close())
	server := exec.Command("clangd-index-server", p.index, p.dir, "--server-address="+address, "--log=error")
	testkit.Must(b, server.Start())
	b.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	testkit.Wait(b, "the index server listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return address
}

// ask returns the time from the start of lspi to the first complete answer, and the memory of its clangd, in MB.
func (p remoteProject) ask(b *testing.B, address string) (took time.Duration, memory float64) {
	b.Helper()
	home := testkit.TempDir(b)
	if address != "" {
		testkit.Write(b, filepath.Join(home, ".config", "clangd", "config.yaml"), clangdConfig(address, p.dir))
	}
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" + home,
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"), "LSPI_SHARE=off"}
	began := time.Now()
	h, _ := startHost(b, testkit.Program(b), p.dir, env...)
	defer stop(b, h)
	answer := ""
	testkit.Wait(b, "a complete answer", func() bool {
		answer = string(h.Start("find_references", map[string]any{"file_path": "f7.cc", "symbol_name": "f7"}).Wait(b))
		return strings.Contains(answer, `"completeness":"complete"`)
	})
	took = time.Since(began)
	if !strings.Contains(answer, "f6.cc") {
		b.Errorf("%.2000s", answer)
	}
	for _, pid := range processesOf(home) {
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.HasPrefix(string(name), "clangd") {
			memory += resident(b, pid, "VmHWM:")
		}
	}
	return took, memory
}
