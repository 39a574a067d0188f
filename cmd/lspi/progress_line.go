package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"lspi/contract"
)

// progressLine is a line on the terminal that says what a command is waiting for; each text replaces the one before. A
// terminal that cannot move its cursor gets a new line for each text. It may be used concurrently; nil shows nothing.
type progressLine struct {
	out   io.Writer
	width func() int // in columns; 0 where the terminal cannot move its cursor

	mu    sync.Mutex
	shown string // the present text; guarded by mu
}

// newProgressLine returns nil when out is not a terminal.
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

// Progress shows how far a call is; it is an [answer.Progress], with a negative percent when that is not known.
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

// Clear removes the line. Call it before writing anything else.
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

// cutTo returns at most n runes of a text, with … at the end where it was cut.
func cutTo(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n || n < 1 {
		return text
	}
	return string(runes[:n-1]) + "…"
}
