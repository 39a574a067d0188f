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

// programs returns the executable of the server and the absolute paths among the arguments of the process, links
// resolved. A launcher ends by becoming node with the path of the server's script, so the arguments are those of the
// process as it runs now.
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

// variable returns a variable of the environment of the process, where a launcher may have set it.
func (s *Dependencies) variable(name string) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.PID))
	for entry := range bytes.SplitSeq(raw, []byte{0}) {
		if value, ok := strings.CutPrefix(string(entry), name+"="); ok {
			return value
		}
	}
	return s.given(name)
}
