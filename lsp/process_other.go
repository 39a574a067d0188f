//go:build !linux

package lsp

// awaitExit cannot wait without reaping here.
func awaitExit(int) bool { return false }
