package main

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"lspi/contract"
)

// maxProgressLines bounds the lines that are shown at the same time, because a terminal cannot go back above its
// first line.
const maxProgressLines = 12

// progressLines are lines of a terminal, one for each subject that something is being done about; they are written
// over again. A terminal that cannot go back gets a line for each text. It may be used from several goroutines; nil
// shows nothing.
type progressLines struct {
	out   io.Writer
	width func() int // in columns; 0 where the terminal cannot go back

	mu       sync.Mutex
	subjects []string          // in the order in which they began; guarded by mu
	doing    map[string]string // guarded by mu
	drawn    int               // lines on the terminal; guarded by mu
}

// newProgressLines is nil when nobody watches.
func newProgressLines(out io.Writer) *progressLines {
	one := newProgressLine(out)
	if one == nil {
		return nil
	}
	return &progressLines{out: out, width: one.width, doing: map[string]string{}}
}

// Say shows what is being done about a subject; an empty text takes its line away.
func (l *progressLines) Say(subject, doing string) {
	if l == nil {
		return
	}
	doing = contract.OneLine(doing)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doing[subject] == doing {
		return
	}
	switch {
	case doing == "":
		delete(l.doing, subject)
		l.subjects = slices.DeleteFunc(l.subjects, func(s string) bool { return s == subject })
	case !slices.Contains(l.subjects, subject):
		l.subjects = append(l.subjects, subject)
		fallthrough
	default:
		l.doing[subject] = doing
	}
	width := l.width()
	if width == 0 {
		if doing != "" {
			fmt.Fprintf(l.out, "%s: %s\n", subject, doing)
		}
		return
	}
	l.draw(width)
}

// draw writes all lines anew, over those that are there.
func (l *progressLines) draw(width int) {
	l.wipe()
	for _, subject := range l.subjects[:min(len(l.subjects), maxProgressLines)] {
		fmt.Fprintf(l.out, "%s\n", cutTo(fmt.Sprintf("%-16s %s", subject, l.doing[subject]), width-1))
		l.drawn++
	}
}

// wipe goes back to the first line and clears from there on.
func (l *progressLines) wipe() {
	if l.drawn > 0 {
		fmt.Fprintf(l.out, "\033[%dA\r\033[J", l.drawn)
	}
	l.drawn = 0
}

// Clear takes the lines away, before something else is written.
func (l *progressLines) Clear() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.width() > 0 {
		l.wipe()
	}
	l.subjects, l.doing = nil, map[string]string{}
}
