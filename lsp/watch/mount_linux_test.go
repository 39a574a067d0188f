package watch

import (
	"syscall"
	"testing"

	"lspi/internal/testkit"
)

// mount mounts for the length of the test, where that is allowed.
func (b *bench) mount(source, target, kind string, flags uintptr) {
	b.Helper()
	if err := syscall.Mount(source, target, kind, flags, ""); err != nil {
		b.Skipf("mounting is not possible here: %v", err)
	}
	b.Cleanup(func() { syscall.Unmount(target, syscall.MNT_DETACH) })
}

func TestMountInside(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, "m/below", "1")
		b.mount("none", b.path("m"), "tmpfs", 0)
		b.write("m/x", "1")
		b.j.Close()
		b.open(o)
		b.write("m/x", "2")
		b.want("changed m/x")
		b.must(syscall.Unmount(b.path("m"), syscall.MNT_DETACH))
		b.want("created m/below", "deleted m/x")
		b.write("m/below", "2")
		b.want("changed m/below")
	})
}

func TestSameFolderTwice(t *testing.T) {
	b := newBench(t, Options{}, "one/x", "1", "two/y", "1")
	b.mount(b.path("one"), b.path("two"), "", syscall.MS_BIND)
	b.j.Close()
	b.open(Options{})
	b.mode(Compare, "are the same folder")
	b.write("one/x", "2")
	b.want("changed one/x", "changed two/x")
}

func TestUnreliableFileSystem(t *testing.T) {
	var st syscall.Statfs_t
	testkit.Must(t, syscall.Statfs(t.TempDir(), &st))
	remote[uint32(st.Type)] = "made up"
	defer delete(remote, uint32(st.Type))
	b := newBench(t, Options{}, "a", "1")
	b.mode(Compare, "made up")
	b.write("a", "2")
	b.want("changed a")
}
