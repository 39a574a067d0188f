package handover

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lspi/internal/testkit"
)

// sockets are the two sides of a socket, as files.
func sockets(t *testing.T) (one, two *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	testkit.Must(t, err)
	return os.NewFile(uintptr(fds[0]), "one"), os.NewFile(uintptr(fds[1]), "two")
}

// line is the connection between giver and taker.
func line(t *testing.T) (giver, taker *net.UnixConn) {
	t.Helper()
	var conns []*net.UnixConn
	one, two := sockets(t)
	for _, f := range []*os.File{one, two} {
		c, err := net.FileConn(f)
		testkit.Must(t, err)
		f.Close()
		t.Cleanup(func() { c.Close() })
		conns = append(conns, c.(*net.UnixConn))
	}
	return conns[0], conns[1]
}

// hosted is a host in the hands of a test, with the ends that its process was started with.
type hosted struct{ sends, reads, in, out *os.File }

// hosts are those of the two kinds that there are: with pipes, and with sockets, as Node makes them.
func hosts(t *testing.T) map[string]hosted {
	t.Helper()
	in, sends, err := os.Pipe()
	testkit.Must(t, err)
	reads, out, err := os.Pipe()
	testkit.Must(t, err)
	h := map[string]hosted{"pipes": {sends, reads, in, out}}
	socketIn, socketSends := sockets(t)
	socketOut, socketReads := sockets(t)
	h["sockets"] = hosted{socketSends, socketReads, socketIn, socketOut}
	for _, one := range h {
		t.Cleanup(func() { closeFiles(one.sends, one.reads, one.in, one.out) })
	}
	return h
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func handOver(t *testing.T, h hosted) (*Host, *Offer) {
	t.Helper()
	giver, taker := line(t)
	o, err := NewOffer(h.in, h.out)
	testkit.Must(t, err)
	testkit.Must(t, o.Send(giver, time.Now().Add(time.Minute)))
	got, err := Take(taker, time.Now().Add(time.Minute))
	testkit.Must(t, err)
	return got, o
}

// flags are those of the file that a descriptor stands for, as the host's process sees them.
func flags(t *testing.T, f *os.File) int {
	t.Helper()
	raw, err := f.SyscallConn()
	testkit.Must(t, err)
	flags := -1
	testkit.Must(t, raw.Control(func(fd uintptr) { flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0) }))
	testkit.Must(t, err)
	return flags
}

// A host is read from and written to, waiting ends by a deadline and by Close, and its own process sees no change of its ends.
func TestEnds(t *testing.T) {
	for kind, h := range hosts(t) {
		t.Run(kind, func(t *testing.T) {
			before := [2]int{flags(t, h.in), flags(t, h.out)}
			host, _ := handOver(t, h)
			if after := [2]int{flags(t, h.in), flags(t, h.out)}; after != before {
				t.Errorf("flags were %o and are %o", before, after)
			}
			testkit.Must(t, host.In.SetDeadline(time.Now().Add(20*time.Millisecond)))
			if _, err := host.In.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("reading what does not come: %v", err)
			}
			testkit.Must(t, host.In.SetDeadline(time.Time{}))
			_, err := h.sends.WriteString("question\n")
			testkit.Must(t, err)
			text := make([]byte, 100)
			n, err := host.In.Read(text)
			testkit.Must(t, err)
			testkit.Equal(t, string(text[:n]), "question\n", "what the host sends")

			long := strings.Repeat("answer ", 1<<18) // more than the pipe holds
			got := make(chan string, 1)
			go func() {
				text, _ := io.ReadAll(io.LimitReader(h.reads, int64(len(long))))
				got <- string(text)
			}()
			n, err = host.Out.Write([]byte(long))
			testkit.Must(t, err)
			if n != len(long) || <-got != long {
				t.Error("a long answer does not come as it is")
			}
			testkit.Must(t, host.Out.SetDeadline(time.Now().Add(20*time.Millisecond)))
			if n, err := host.Out.Write([]byte(long)); !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n == len(long) {
				t.Errorf("writing to who does not read: %d, %v", n, err)
			}

			waiting := make(chan error, 1)
			go func() {
				_, err := host.In.Read(make([]byte, 1))
				waiting <- err
			}()
			time.Sleep(10 * time.Millisecond)
			host.Close()
			if err := <-waiting; !errors.Is(err, os.ErrClosed) {
				t.Errorf("reading beside Close: %v", err)
			}
		})
	}
}

// The end of a host is seen in both directions.
func TestEndOfHost(t *testing.T) {
	for kind, h := range hosts(t) {
		t.Run(kind, func(t *testing.T) {
			host, _ := handOver(t, h)
			closeFiles(h.in, h.out)
			h.sends.Close()
			if _, err := host.In.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("reading from a host that has left: %v", err)
			}
			h.reads.Close()
			if _, err := host.Out.Write([]byte("answer\n")); !errors.Is(err, unix.EPIPE) {
				t.Errorf("writing to a host that has left: %v", err)
			}
			host.Close()
		})
	}
}

// What is neither a pipe nor a socket cannot be waited for, and is not offered.
func TestNoOffer(t *testing.T) {
	f, err := os.Create(filepath.Join(testkit.TempDir(t), "file"))
	testkit.Must(t, err)
	defer f.Close()
	for _, h := range hosts(t) {
		for _, ends := range [][2]*os.File{{f, h.out}, {h.in, f}} {
			if _, err := NewOffer(ends[0], ends[1]); err == nil {
				t.Error("a file was offered")
			}
		}
	}
}

// Either the taker has a host or the giver has it back.
func TestRevoke(t *testing.T) {
	h := hosts(t)["pipes"]
	giver, taker := line(t)
	o, err := NewOffer(h.in, h.out)
	testkit.Must(t, err)
	testkit.Must(t, o.Send(giver, time.Now().Add(time.Minute)))
	for range 2 {
		if !o.Revoke() {
			t.Error("what nobody has taken cannot be taken back")
		}
	}
	if _, err := Take(taker, time.Now().Add(time.Minute)); !errors.Is(err, ErrRevoked) {
		t.Errorf("taking what was taken back: %v", err)
	}
	if _, o := handOver(t, h); o.Revoke() {
		t.Error("what was taken was taken back")
	}
	// A message without descriptors gives nothing.
	_, err = giver.Write([]byte{message})
	testkit.Must(t, err)
	if _, err := Take(taker, time.Now().Add(time.Minute)); err == nil {
		t.Error("nothing was taken for a host")
	}
}

// What a taker leaves is what it read and kept, however often it moved that, also when it is killed right behind a read.
func TestMemory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		given, err := newMemory()
		testkit.Must(t, err)
		fd, err := unix.Dup(int(given.file.Fd()))
		testkit.Must(t, err)
		taker, err := openMemory(os.NewFile(uintptr(fd), "taken"))
		testkit.Must(t, err)
		var want []byte
		noted := 0
		for range 100 {
			switch random.IntN(3) {
			case 0:
				free := 1 + random.IntN(3*firstSize)
				var keep []Span
				var next []byte
				for at := 0; at < len(want); {
					to := min(len(want), at+1+random.IntN(firstSize))
					if random.IntN(2) == 0 {
						keep, next = append(keep, Span{at, to}), append(next, want[at:to]...)
					}
					at = to
				}
				want, noted = next, random.IntN(len(next)+1)
				testkit.Must(t, taker.Move(keep, noted, free))
				if taker.Room() < free {
					t.Fatalf("there is room for %d bytes, not for %d", taker.Room(), free)
				}
			case 1:
				text := make([]byte, min(taker.Room(), random.IntN(firstSize)))
				for i := range text {
					text[i] = byte(1 + random.IntN(255))
				}
				n, err := taker.Fill(bytes.NewReader(text))
				if n != len(text) || err != nil && len(text) > 0 {
					t.Fatal(n, err)
				}
				want = append(want, text...)
			case 2:
				if len(want) > 0 {
					at := random.IntN(len(want))
					want[at] = byte(1 + random.IntN(255))
					taker.Mark(at, want[at])
				}
			}
			if !bytes.Equal(taker.Bytes(), want) {
				t.Fatal("the bytes are others")
			}
		}
		taker.Noted(noted)
		want = append(want, taker.bytes[len(want):][:copy(taker.bytes[len(want):], "not counted")]...)
		taker.Close()
		before, behind, err := given.Rest()
		testkit.Must(t, err)
		if !bytes.Equal(before, want[:noted]) || !bytes.Equal(behind, want[noted:]) {
			t.Errorf("%d and %d bytes are left, not %d and %d", len(before), len(behind), noted, len(want)-noted)
		}
		given.Close()
	}
}
