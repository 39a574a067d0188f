package main

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestProgressLine(t *testing.T) {
	for name, c := range map[string]struct {
		width int
		want  string
	}{
		"a terminal":             {20, "\r\033[K 10 % loading\r\033[Kanswering a questi…\r\033[Kx\r\033[K"},
		"a terminal without end": {0, " 10 % loading\nanswering a question of yours\nx\n"},
	} {
		var out strings.Builder
		l := &progressLine{out: &out, width: func() int { return c.width }}
		l.Clear() // nothing is there
		l.Progress(10, "loading")
		l.Progress(10, "loading")
		l.Progress(-1, "answering a question\nof yours")
		l.Show("x")
		l.Clear()
		l.Clear()
		testkit.Equal(t, out.String(), c.want, name)
	}
	var nobody *progressLine
	nobody.Show("x")
	nobody.Clear()
}
