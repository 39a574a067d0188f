package watch

import "testing"

// What an edit puts beside the files while it is applied is no part of the tree; the files that it changes are.
func TestTempPrefixIsNotTracked(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		o.TempPrefix = ".lspi-edit-"
		o.Keep = func(string) bool { return true }
		b := newBench(t, o, "a.go", "old", "ignored/b.go", "old", ".gitignore", "ignored/\n", "gone/c.go", "c")
		b.write(".lspi-edit-1-1.tmp", "new")
		b.write("ignored/.lspi-edit-1-2.tmp", "new")
		b.want()
		b.rename(".lspi-edit-1-1.tmp", "a.go")
		b.rename("ignored/.lspi-edit-1-2.tmp", "ignored/b.go")
		b.want("changed a.go", "changed ignored/b.go")
		b.rename("gone", ".lspi-edit-1-3.tmp")
		b.want("deleted gone/c.go")
		b.remove(".lspi-edit-1-3.tmp")
		b.want()
	})
}
