package daemon

import (
	"bufio"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Shrink gives back the memory that the start of this process took and that passing messages on does not need: free
// memory of Go, and the pages of the program itself that were read once, in which every package is set up. Pages
// that are needed again come from the system's cache of the file.
func Shrink() {
	debug.FreeOSMemory()
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer f.Close()
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// 00400000-00a00000 r-xp 00000000 08:01 1234 /path
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || strings.Join(fields[5:], " ") != exe || strings.Contains(fields[1], "w") {
			continue // what was written to is nowhere else
		}
		begin, end, _ := strings.Cut(fields[0], "-")
		from, err1 := strconv.ParseUint(begin, 16, 64)
		to, err2 := strconv.ParseUint(end, 16, 64)
		if err1 == nil && err2 == nil && to > from {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED)
		}
	}
}
