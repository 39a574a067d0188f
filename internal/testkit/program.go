package testkit

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// waiting is how many parallel tests share a processor. More than one, because tests mostly wait: for servers to start,
// for deadlines and for each other.
const waiting = 2

// built is the program lspi, built at most once by a process.
var built struct {
	once sync.Once
	dir  string // removed by Run; "" while nothing was built
	path string
	err  error
}

// Program returns the path of lspi, built with the race detector if this test was. LSPI_TEST_PROGRAM names one that was
// built before, as make test does for all packages. A package that calls Program has a TestMain that calls [Run].
func Program(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.path = os.Getenv("LSPI_TEST_PROGRAM"); built.path != "" {
			return
		}
		if built.dir, built.err = os.MkdirTemp("", "lspi-program"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "lspi")
		// Without what git says: whether the tree is clean decides nothing in a test.
		args := []string{"build", "-buildvcs=false", "-o", built.path}
		if Raced {
			args = append(args, "-race")
		}
		if out, err := exec.Command("go", append(args, "lspi/cmd/lspi")...).CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// Run runs the tests of a package, more at a time than there are processors, because they mostly wait. Then it ends
// what [Lasting] owns and removes the program that [Program] has built.
func Run(m *testing.M) int {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		_ = flag.Set("test.parallel", strconv.Itoa(waiting*runtime.GOMAXPROCS(0)))
	}
	_ = os.Setenv("LSPI_SHARE", "off") // for programs that tests start; tests about sharing set it themselves
	code := m.Run()
	Lasting.(*packageTest).end()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	return code
}
