package handover

import (
	"bytes"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// A line up to Whole is written at once or not at all, also to a host that does not read; what does not keep to that is not offered.
func TestWhole(t *testing.T) {
	all := hosts(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	defer l.Close()
	one, err := net.Dial("tcp", l.Addr().String())
	testkit.Must(t, err)
	two, err := l.Accept()
	testkit.Must(t, err)
	defer one.Close()
	defer two.Close()
	f, err := two.(*net.TCPConn).File()
	testkit.Must(t, err)
	defer f.Close()
	all["tcp"] = hosted{in: f, out: f}
	for kind, h := range all {
		o, err := NewOffer(h.in, h.out)
		if err != nil {
			testkit.Equal(t, kind, "tcp", "what is not offered")
			continue
		}
		o.Close()
		host, _ := handOver(t, h)
		for _, size := range []int{Whole, Whole - 1, 1000, 10} {
			for {
				_ = host.Out.SetDeadline(time.Now().Add(20 * time.Millisecond))
				n, err := host.Out.Write(bytes.Repeat([]byte{'x'}, size))
				if n != 0 && n != size {
					t.Errorf("%s: of %d bytes %d were written: %v", kind, size, n, err)
				}
				if errors.Is(err, os.ErrDeadlineExceeded) {
					break
				}
				testkit.Must(t, err)
			}
		}
		host.Close()
	}
}
