//go:build !linux && !darwin

package watch

import "io/fs"

// complement adds what this system knows beyond the portable: nothing. On Windows the file index would need every file
// to be opened; its mtime counts in 100 ns.
func complement(*node, fs.FileInfo) {}
