package handover

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Offer is what a giver passes on: both ends of its host, and memory.
type Offer struct {
	Memory  *Memory
	in, out int // descriptors
}

// NewOffer prepares to pass on a host that sends through in and reads through out, from which nothing has been read. Its error says why
// these cannot be passed on.
func NewOffer(in, out *os.File) (*Offer, error) {
	o := &Offer{}
	var err error
	if o.in, err = give(in, unix.O_RDONLY); err != nil {
		return nil, err
	}
	if o.out, err = give(out, unix.O_WRONLY); err != nil {
		unix.Close(o.in)
		return nil, err
	}
	if o.Memory, err = newMemory(); err != nil {
		o.closeFiles()
		return nil, err
	}
	return o, nil
}

func (o *Offer) closeFiles() { closeAll([]int{o.in, o.out}) }

// Close ends an offer that nobody took.
func (o *Offer) Close() {
	o.closeFiles()
	o.Memory.Close()
}

// Send sends the offer before the deadline. The ends are the taker's then, the memory stays the giver's, too.
func (o *Offer) Send(c *net.UnixConn, deadline time.Time) error {
	_ = c.SetWriteDeadline(deadline)
	defer c.SetWriteDeadline(time.Time{})
	rights := unix.UnixRights(o.in, o.out, int(o.Memory.file.Fd()))
	_, _, err := c.WriteMsgUnix([]byte{message}, rights, nil)
	o.closeFiles()
	return err
}

// message is the byte that an offer comes with: the system passes descriptors along with some byte.
const message = 'h'

// Revoke takes an offer back; false when somebody has taken it.
func (o *Offer) Revoke() bool {
	return o.Memory.owner.CompareAndSwap(offered, revoked) || o.Memory.owner.Load() == revoked
}

// Host is a host that was taken over.
type Host struct {
	In, Out *End
	Memory  *Memory
}

// ErrRevoked is an offer that was taken back.
var ErrRevoked = errors.New("the host was not passed on")

// Take receives an offer before the deadline. With an error the giver still has its host.
func Take(c *net.UnixConn, deadline time.Time) (*Host, error) {
	_ = c.SetReadDeadline(deadline)
	defer c.SetReadDeadline(time.Time{})
	var text [1]byte
	space := make([]byte, unix.CmsgSpace(3*4))
	n, got, _, _, err := c.ReadMsgUnix(text[:], space)
	if err != nil {
		return nil, err
	}
	fds, err := descriptors(space[:got])
	if err == nil && (n != 1 || text[0] != message || len(fds) != 3) {
		err = fmt.Errorf("the message has %d descriptors", len(fds))
	}
	if err != nil {
		closeAll(fds)
		return nil, err
	}
	h := &Host{}
	if h.Memory, err = openMemory(os.NewFile(uintptr(fds[2]), "memory of a host")); err != nil {
		closeAll(fds[:2])
		return nil, err
	}
	if h.In, err = take(fds[0], "the host's input"); err != nil {
		closeAll(fds[:2])
		h.Memory.Close()
		return nil, err
	}
	if h.Out, err = take(fds[1], "the host's output"); err != nil {
		h.In.Close()
		closeAll(fds[1:2])
		h.Memory.Close()
		return nil, err
	}
	if !h.Memory.owner.CompareAndSwap(offered, taken) {
		h.Close()
		h.Memory.Close()
		return nil, ErrRevoked
	}
	return h, nil
}

// Close gives up the ends of a host.
func (h *Host) Close() {
	h.In.Close()
	h.Out.Close()
}

func descriptors(control []byte) (fds []int, err error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if more, err := unix.ParseUnixRights(&m); err == nil {
			fds = append(fds, more...)
		}
	}
	return fds, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// Readable reports whether a host has sent something that nobody has read, or has closed its end.
func Readable(in *os.File) bool {
	raw, err := in.SyscallConn()
	if err != nil {
		return false
	}
	var ready int
	if raw.Control(func(fd uintptr) { ready, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0) }) != nil {
		return false
	}
	return ready > 0
}
