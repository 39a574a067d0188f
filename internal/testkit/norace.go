//go:build !race

package testkit

// Raced reports whether this program has the race detector.
const Raced = false
