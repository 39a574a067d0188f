package trust

import "os"

// SameFile reports whether two paths lead to the same existing file, through links or not.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
