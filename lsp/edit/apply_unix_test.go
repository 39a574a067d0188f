//go:build unix

package edit_test

import (
	"os"
	"syscall"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

func TestModeStays(t *testing.T) {
	root := makeTree(t, files{"run.sh": "one\n"})
	testkit.Must(t, os.Chmod(root+"/run.sh", 0o751))
	own := os.Getuid() == 0
	if own {
		testkit.Must(t, os.Chown(root+"/run.sh", 1234, 4321))
	}
	if _, err := apply(t, edit.NewWriter(testkit.MemoryDir(t)),
		planOf(t, root, document(root+"/run.sh", replace(0, 0, 3, "two")))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(root + "/run.sh")
	testkit.Must(t, err)
	testkit.Equal(t, info.Mode().Perm(), 0o751, "mode", info.Mode())
	if st := info.Sys().(*syscall.Stat_t); own && (st.Uid != 1234 || st.Gid != 4321) {
		t.Errorf("owner %d:%d", st.Uid, st.Gid)
	}
}
