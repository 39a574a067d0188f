//go:build linux || darwin

package edit

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// copyExtended copies extended attributes (access lists are among them) as far as the system allows.
func copyExtended(f *os.File, like string) {
	names := make([]byte, 64<<10)
	n, err := unix.Listxattr(like, names)
	if err != nil || n <= 0 {
		return
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names[:n]), "\x00"), "\x00") {
		value := make([]byte, 64<<10)
		if n, err := unix.Getxattr(like, name, value); err == nil {
			unix.Fsetxattr(int(f.Fd()), name, value[:n], 0)
		}
	}
}
