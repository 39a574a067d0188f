package launch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// programs are the executable of the server and the absolute paths among its arguments, without links: a launcher's
// last act is to become node with the path of the server's script.
func (s *Dependencies) programs() []string {
	out := source.RealFolders(s.Command)
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.PID))
	for arg := range bytes.SplitSeq(raw, []byte{0}) {
		if filepath.IsAbs(string(arg)) {
			out = append(out, source.RealFolders(string(arg))...)
		}
	}
	return slices.Compact(out)
}

// variable is a variable of the process's environment, in which a launcher may have set it.
func (s *Dependencies) variable(name string) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.PID))
	for entry := range bytes.SplitSeq(raw, []byte{0}) {
		if value, ok := strings.CutPrefix(string(entry), name+"="); ok {
			return value
		}
	}
	return s.given(name)
}
