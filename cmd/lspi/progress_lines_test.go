package main

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// screen is what a terminal shows after what was written to it, as far as progressLines use it (ECMA-48: CUU, CR, ED).
func screen(t *testing.T, written string) string {
	t.Helper()
	var lines []string
	row := 0
	for written != "" {
		switch {
		case strings.HasPrefix(written, "\033["):
			n := 0
			rest := written[2:]
			for rest[0] >= '0' && rest[0] <= '9' {
				n, rest = n*10+int(rest[0]-'0'), rest[1:]
			}
			switch rest[0] {
			case 'A':
				if row -= n; row < 0 {
					t.Fatalf("the terminal goes above its first line: %q", written)
				}
			case 'J':
				lines = lines[:row]
			default:
				t.Fatalf("%q", written)
			}
			written = rest[1:]
		case written[0] == '\r':
			written = written[1:]
		default:
			line, rest, ok := strings.Cut(written, "\n")
			if !ok {
				t.Fatalf("%q", written)
			}
			lines, row, written = append(lines[:row], line), row+1, rest
		}
	}
	return strings.Join(lines, "\n")
}

func TestProgressLines(t *testing.T) {
	var out strings.Builder
	width := 40
	l := &progressLines{out: &out, width: func() int { return width }, doing: map[string]string{}}
	l.Say("gopls", "starting")
	l.Say("clangd", "starting")
	l.Say("gopls", "loading the project, 40 %: of which there is a lot\nto tell")
	testkit.Equal(t, screen(t, out.String()), "gopls            loading the project, …\nclangd           starting")
	written := out.Len()
	l.Say("clangd", "starting")
	testkit.Equal(t, out.Len(), written, "what is shown is written again")
	l.Say("gopls", "")
	testkit.Equal(t, screen(t, out.String()), "clangd           starting")
	for i := range 20 {
		l.Say(strings.Repeat("x", i+1), "busy")
	}
	testkit.Equal(t, strings.Count(screen(t, out.String()), "\n"), maxProgressLines-1, "lines")
	l.Clear()
	testkit.Equal(t, screen(t, out.String()), "", "what is left")
	out.Reset()
	width = 0
	l.Say("gopls", "starting")
	l.Say("gopls", "")
	l.Clear()
	testkit.Equal(t, out.String(), "gopls: starting\n", "where the terminal cannot go back")
	(*progressLines)(nil).Say("nobody", "watches")
}
