//go:build !linux

package main

import (
	"fmt"
	"os"
)

// main says that soak reads /proc, so that a build for all packages works elsewhere, too.
func main() {
	fmt.Fprintln(os.Stderr, "soak runs on Linux only")
	os.Exit(2)
}
