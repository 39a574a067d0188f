package main

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"lspi/contract"
)

// maxProgressLines bounds the lines shown at the same time: the cursor cannot move above the first line of a terminal.
const maxProgressLines = 12

// progressLines are lines on the terminal, one for each subject, which are overwritten in place. A terminal that cannot
// move its cursor gets a new line for each text. It may be used concurrently; nil shows nothing.
type progressLines struct {
	out   io.Writer
	width func() int // in columns; 0 where the terminal cannot move its cursor

	mu       sync.Mutex
	subjects []string          // in the order in which they began; guarded by mu
	doing    map[string]string // what is being done, by subject; guarded by mu
	drawn    int               // lines on the terminal; guarded by mu
}

// newProgressLines returns nil when out is not a terminal.
func newProgressLines(out io.Writer) *progressLines {
	one := newProgressLine(out)
	if one == nil {
		return nil
	}
	return &progressLines{out: out, width: one.width, doing: map[string]string{}}
}

// Say shows what is being done about a subject; an empty text removes its line.
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

// draw writes all lines over the present ones. The caller holds mu.
func (l *progressLines) draw(width int) {
	l.wipe()
	for _, subject := range l.subjects[:min(len(l.subjects), maxProgressLines)] {
		fmt.Fprintf(l.out, "%s\n", cutTo(fmt.Sprintf("%-16s %s", subject, l.doing[subject]), width-1))
		l.drawn++
	}
}

// wipe moves the cursor to the first line and clears from there. The caller holds mu.
func (l *progressLines) wipe() {
	if l.drawn > 0 {
		fmt.Fprintf(l.out, "\033[%dA\r\033[J", l.drawn)
	}
	l.drawn = 0
}

// Clear removes the lines. Call it before writing anything else.
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
