package main

import (
	"bufio"
	"lspi/internal/testkit"
	"os/exec"
	"testing"
	"time"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// BenchmarkStart is the time from the start of the process to its answer to initialize. The goal is 20 ms.
func BenchmarkStart(b *testing.B) {
	lspi, dir := built(b), b.TempDir()
	for b.Loop() {
		began := time.Now()
		cmd := exec.Command(lspi, "mcp", "--workspace-root", dir)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		testkit.Must(b, cmd.Start())
		if _, err := in.Write([]byte(hello)); err != nil {
			b.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadBytes('\n'); err != nil {
			b.Fatal(err)
		}
		answered := time.Since(began)
		_ = in.Close()
		testkit.Must(b, cmd.Wait())
		b.ReportMetric(float64(answered.Microseconds())/1000, "ms-to-answer")
	}
}
