//go:build !linux

package process

// awaitExit cannot wait without reaping here.
func awaitExit(int) bool { return false }
