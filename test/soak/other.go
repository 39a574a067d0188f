//go:build !linux

package main

import (
	"fmt"
	"os"
)

// main exists so that go build ./... works on every system; soak reads /proc.
func main() {
	fmt.Fprintln(os.Stderr, "soak runs on Linux only")
	os.Exit(2)
}
