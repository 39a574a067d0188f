package lsp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/source"
)

// programs are the executable of the server and the absolute paths among its arguments, without links: a launcher's last act is to
// become node with the path of the server's script.
func (s *dependencySearch) programs() []string {
	out := source.RealFolders(s.command)
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.pid))
	for arg := range bytes.SplitSeq(raw, []byte{0}) {
		if filepath.IsAbs(string(arg)) {
			out = append(out, source.RealFolders(string(arg))...)
		}
	}
	return slices.Compact(out)
}

// variable is a variable of the process's environment, in which a launcher may have set it.
func (s *dependencySearch) variable(name string) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.pid))
	for entry := range bytes.SplitSeq(raw, []byte{0}) {
		if value, ok := strings.CutPrefix(string(entry), name+"="); ok {
			return value
		}
	}
	return s.given(name)
}
