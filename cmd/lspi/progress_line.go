package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"lspi/contract"
)

// progressLine is one line of a terminal that tells a person who waits what for; each text replaces the one before.
// A terminal that cannot go back gets a line for each. It may be used from several goroutines; nil shows nothing.
type progressLine struct {
	out   io.Writer
	width func() int // in columns; 0 where the terminal cannot go back

	mu    sync.Mutex
	shown string // what is there now; guarded by mu
}

// newProgressLine is nil when nobody watches.
func newProgressLine(out io.Writer) *progressLine {
	f, ok := out.(*os.File)
	if !ok || !terminal(out) {
		return nil
	}
	width := func() int { return 0 }
	if !dumb() {
		width = func() int {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil {
				return w
			}
			return 80
		}
	}
	return &progressLine{out: out, width: width}
}

// Progress shows how far a call is, as [answer.Progress] has it: percent is negative when it is not known.
func (l *progressLine) Progress(percent int, message string) {
	if percent >= 0 {
		message = fmt.Sprintf("%3d %% %s", percent, message)
	}
	l.Show(message)
}

// Show replaces the line; a text that does not fit is cut.
func (l *progressLine) Show(text string) {
	if l == nil {
		return
	}
	text = contract.OneLine(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if text == l.shown {
		return
	}
	l.shown = text
	width := l.width()
	if width == 0 {
		fmt.Fprintln(l.out, text)
		return
	}
	fmt.Fprint(l.out, "\r\033[K", cutTo(text, width-1))
}

// Clear takes the line away, before something else is written.
func (l *progressLine) Clear() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown != "" && l.width() > 0 {
		fmt.Fprint(l.out, "\r\033[K")
	}
	l.shown = ""
}

// cutTo is a text of at most so many runes, with a mark where it was cut.
func cutTo(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n || n < 1 {
		return text
	}
	return string(runes[:n-1]) + "…"
}
