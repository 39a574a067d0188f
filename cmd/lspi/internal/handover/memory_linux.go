package handover

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory is memory of two processes: what the taker has read from the host, and how far it is with that. It is a file without a name, which
// stays as it is when the taker is killed in any instant.
//
// The file has a head, [state], and a place of bytes as the host has sent them. The bytes move to a new place when the taker throws away
// what is not needed any more.
type Memory struct {
	file  *os.File
	head  []byte
	bytes []byte // the place in use, as the taker has it in its memory; nil for the giver
	*state
}

// state is the head of the file. All is written by the taker but owner, which both write.
type state struct {
	owner  atomic.Uint32 // offered, taken or revoked
	inUse  atomic.Uint32 // which of places
	places [2]place

	// Left: the host has closed its end. Gone: it reads no more. Skipping: what comes up to the end of the line is thrown away. Stopped: the taker
	// was told to end.
	Left, Gone, Skipping, Stopped atomic.Bool
	// Open is how many requests have no answer.
	Open atomic.Int64
	// Said counts the lines that the taker has written to the host.
	Said atomic.Int64
	// Writing is the length of the line that is being written to the host, in bytes; 0 for none. It may be there already, since nobody but the
	// taker knows when it is, and in parts when it is longer than [Whole].
	Writing atomic.Int64
}

// place is where bytes of the host are in the file.
type place struct {
	offset, size int64
	used         atomic.Int64 // bytes from the host
	noted        atomic.Int64 // of them those in lines that the taker has dealt with
}

const (
	offered = iota
	taken
	revoked
)

// Whole is the length, in bytes, up to which a line is written to a host at once or not at all (POSIX: PIPE_BUF; Linux does so with Unix sockets, too).
const Whole = 4096

const (
	headSize  = 4096     // a page
	firstSize = 64 << 10 // of a place; sizes are multiples of it
)

// newMemory makes memory for a host from whom nothing has been read.
func newMemory() (*Memory, error) {
	fd, err := unix.MemfdCreate("lspi host", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "memory of a host")
	if err := unix.Fallocate(fd, 0, 0, headSize+firstSize); err != nil {
		f.Close()
		return nil, os.NewSyscallError("fallocate", err)
	}
	m, err := mapHead(f)
	if err != nil {
		return nil, err
	}
	m.places[0].offset, m.places[0].size = headSize, firstSize
	return m, nil
}

// mapHead gets at the head of memory; the file is closed with the memory, or when there is an error.
func mapHead(f *os.File) (*Memory, error) {
	head, err := unix.Mmap(int(f.Fd()), 0, headSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		f.Close()
		return nil, os.NewSyscallError("mmap", err)
	}
	return &Memory{file: f, head: head, state: (*state)(unsafe.Pointer(&head[0]))}, nil
}

// mapped are the bytes of a place in the memory of this process.
func (m *Memory) mapped(offset, size int64) ([]byte, error) {
	b, err := unix.Mmap(int(m.file.Fd()), offset, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return b, os.NewSyscallError("mmap", err)
}

// openMemory is the taker's view of memory. The file is closed with the memory, or when there is an error.
func openMemory(f *os.File) (*Memory, error) {
	info, err := f.Stat()
	if err == nil && info.Size() < headSize+firstSize {
		err = errors.New("the memory of a host is too small")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	m, err := mapHead(f)
	if err != nil {
		return nil, err
	}
	p := m.place()
	if m.bytes, err = m.mapped(p.offset, p.size); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Memory) place() *place { return &m.places[m.inUse.Load()%2] }

// Close gives the memory up for this process. It must not be in use.
func (m *Memory) Close() error {
	if m.bytes != nil {
		_ = unix.Munmap(m.bytes)
	}
	_ = unix.Munmap(m.head)
	return m.file.Close()
}

// Bytes are those from the host that are kept, for the taker; valid up to the next Move.
func (m *Memory) Bytes() []byte { return m.bytes[:m.place().used.Load()] }

// Room is how many bytes Fill can take.
func (m *Memory) Room() int { return len(m.bytes) - int(m.place().used.Load()) }

// Fill reads once from the host behind Bytes. Not a byte is lost when the process is killed meanwhile: the system writes them into the memory itself.
func (m *Memory) Fill(host io.Reader) (n int, err error) {
	p := m.place()
	n, err = host.Read(m.bytes[p.used.Load():])
	p.used.Add(int64(n))
	return n, err
}

// Mark replaces a byte of Bytes.
func (m *Memory) Mark(at int, b byte) { m.bytes[at] = b }

// Noted says that the lines in the first n bytes of Bytes have been dealt with.
func (m *Memory) Noted(n int) { m.place().noted.Store(int64(n)) }

// Span is a part of Bytes, from From up to To.
type Span struct{ From, To int }

// Move keeps these spans of Bytes only, one behind the other, and makes room for as many bytes more as free at least. The lines in the first
// noted bytes have been dealt with. With an error all is as before.
func (m *Memory) Move(keep []Span, noted, free int) error {
	used := int64(0)
	for _, s := range keep {
		used += int64(s.To - s.From)
	}
	size := (used + int64(free) + firstSize - 1) / firstSize * firstSize
	was := m.place()
	next := &m.places[1-m.inUse.Load()%2]
	offset := int64(headSize)
	if was.offset < headSize+size {
		offset = was.offset + was.size
	}
	if err := unix.Fallocate(int(m.file.Fd()), 0, offset, size); err != nil {
		return os.NewSyscallError("fallocate", err)
	}
	to, err := m.mapped(offset, size)
	if err != nil {
		return err
	}
	at := 0
	for _, s := range keep {
		at += copy(to[at:], m.bytes[s.From:s.To])
	}
	next.offset, next.size = offset, size
	next.used.Store(used)
	next.noted.Store(int64(noted))
	m.inUse.Store(1 - m.inUse.Load()%2)
	_ = unix.Munmap(m.bytes)
	m.bytes = to
	// The memory goes back to the system, and is zero where it is used again, by which Rest tells what was not counted any more.
	if err := unix.Fallocate(int(m.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, was.offset, was.size); err != nil {
		clearBytes(m.file, was.offset, was.size)
	}
	return nil
}

func clearBytes(f *os.File, offset, size int64) {
	zero := make([]byte, firstSize)
	for at := int64(0); at < size; at += firstSize {
		_, _ = f.WriteAt(zero, offset+at)
	}
}

// Rest is what a taker that has ended leaves: the lines that it has dealt with, and what comes behind them.
func (m *Memory) Rest() (noted, behind []byte, err error) {
	p := m.place()
	all := make([]byte, p.size)
	if _, err := m.file.ReadAt(all, p.offset); err != nil {
		return nil, nil, fmt.Errorf("reading the memory of a host: %w", err)
	}
	used, n := p.used.Load(), p.noted.Load()
	if n > used || used > p.size {
		return nil, nil, errors.New("the memory of a host is not as lspi leaves it")
	}
	// A taker that is killed behind its read has not counted the bytes; JSON has none that are zero.
	if end := bytes.IndexByte(all[used:], 0); end >= 0 {
		used += int64(end)
	} else {
		used = p.size
	}
	return all[:n], all[n:used], nil
}
