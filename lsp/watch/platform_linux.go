package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// noEvents is why events are not used on this system; "" when they are.
const noEvents = ""

// tick is how close two changes on a local file system may be and still get the same time: the kernel takes the time
// of its last timer tick, every 1 to 10 ms (before 6.13, and after it for files that nobody looked at in between).
const tick = 20 * time.Millisecond

// coarseTick is the tick of other file systems, of which nothing is known.
const coarseTick = 2 * time.Second

// remote are file systems that other machines, or other kernels, change too, which makes no events here. The numbers
// are those of statfs(2) and the kernel's magic.h.
var remote = map[uint32]string{
	0x6969:     "NFS",
	0x517b:     "SMB",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB2",
	0x01021997: "9P (as of WSL and virtual machines)",
	0x65735546: "FUSE",
	0x00c36400: "Ceph",
	0x5346414f: "AFS",
	0x0bd00bd0: "Lustre",
	0x47504653: "GPFS",
	0x786f4256: "VirtualBox shared folder",
	0xbacbacbc: "VMware shared folder",
}

// unreliable returns why events of the file system at path do not tell all changes; "" when they do.
func unreliable(path string) string {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return ""
	}
	if name, ok := remote[uint32(st.Type)]; ok {
		return fmt.Sprintf("%s is on %s, which changes without events", path, name)
	}
	return ""
}

// mountedBelow reports whether something is mounted below root, by the fifth field of proc(5) mountinfo, where
// special characters are escaped as \ooo. It returns true when that cannot be read.
func mountedBelow(root string) bool {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(unescapeMount(fields[4]),
			join(root, "")) {
			return true
		}
	}
	return false
}

func unescapeMount(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}

// advice names the setting behind the error of a watch, as the end of a message; "" for other errors.
func advice(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return " (the limit fs.inotify.max_user_watches is reached)"
	// inotify_init(2) has this error for both limits
	case errors.Is(err, syscall.EMFILE) && !errors.As(err, &path) && moreFiles():
		return " (the limit fs.inotify.max_user_instances is reached)"
	case errors.Is(err, syscall.EMFILE):
		return " (the limit of open files of this process, ulimit -n, is reached)"
	}
	return ""
}

// moreFiles reports whether this process may open one more file.
func moreFiles() bool {
	f, err := os.Open("/")
	if err == nil {
		f.Close()
	}
	return err == nil
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
