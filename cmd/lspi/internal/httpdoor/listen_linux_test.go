package httpdoor

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"lspi/internal/testkit"
)

// The folder of a socket decides whether its group may connect.
func TestUnixSocketOfAGroup(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "lspi") // the path of a socket has to be short
	testkit.Must(t, err)
	defer os.RemoveAll(dir)
	group := os.Getegid()
	if os.Geteuid() == 0 {
		group = 12345
		testkit.Must(t, os.Chown(dir, 0, group))
	}
	a, err := ParseAddress("unix:"+filepath.Join(dir, "s"), false)
	testkit.Must(t, err)
	for folder, want := range map[os.FileMode]os.FileMode{0o750: 0o600, 0o750 | os.ModeSetgid: 0o660} {
		testkit.Must(t, os.Chmod(dir, folder))
		l, err := Listen(t.Context(), a, 0)
		testkit.Must(t, err)
		info, err := os.Stat(filepath.Join(dir, "s"))
		testkit.Must(t, err)
		testkit.Equal(t, info.Mode().Perm(), want, folder)
		told := ""
		if folder&os.ModeSetgid != 0 {
			told = dir
		}
		testkit.Equal(t, GroupFolder(l), told, "the folder whose group may connect")
		if of := int(info.Sys().(*syscall.Stat_t).Gid); folder&os.ModeSetgid != 0 && of != group {
			t.Errorf("the socket belongs to the group %d, its folder to %d", of, group)
		}
		l.Close()
	}
	// Nobody but the user may replace the socket, in such a folder too.
	testkit.Must(t, os.Chmod(dir, 0o777|os.ModeSetgid))
	if _, err := Listen(t.Context(), a, 0); err == nil {
		t.Error("listens where anybody may replace the socket")
	}
}
