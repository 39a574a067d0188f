//go:build !linux

package edit

// pin is the path itself: the look at the links on the way, right before an edit is applied, is all that there is.
func pin(path string) (name string, release func(), err error) { return path, func() {}, nil }
