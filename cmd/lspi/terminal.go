package main

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// userTerminal is the terminal of the process, whatever stdin and stdout are.
type userTerminal struct {
	in, out *os.File
}

// openTerminal opens the terminal of the process.
func openTerminal() (*userTerminal, error) {
	if runtime.GOOS == "windows" {
		in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
		if err != nil {
			_ = in.Close()
			return nil, err
		}
		return &userTerminal{in, out}, nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &userTerminal{tty, tty}, nil
}

func (t *userTerminal) Write(b []byte) (int, error) { return t.out.Write(b) }

func (t *userTerminal) Close() {
	_ = t.in.Close()
	if t.out != t.in {
		_ = t.out.Close()
	}
}

// oneKey reads one key without Enter and shows it. What was typed before the question must not answer it, so the
// terminal is put into raw mode for each key.
func oneKey(t *userTerminal) (byte, error) {
	state, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return 0, err
	}
	defer func() { _ = term.Restore(int(t.in.Fd()), state) }()
	var key [1]byte
	if _, err := io.ReadFull(t.in, key[:]); err != nil {
		return 0, err
	}
	if key[0] >= ' ' && key[0] < 0x7f {
		_, _ = t.out.Write(key[:])
	}
	return key[0], nil
}
