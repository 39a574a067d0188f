//go:build !linux

package process

// awaitExit cannot wait without reaping here.
func awaitExit(int) bool { return false }

// Works is not known here.
func Works(int) bool { return false }

// UsageOf is not known here.
func UsageOf(int) (Usage, bool) { return Usage{}, false }
