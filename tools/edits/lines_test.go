package edits

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"lspi/internal/testkit"
)

func TestChangedLines(t *testing.T) {
	long := strings.Repeat("y", 2*maxChangedLine)
	for name, c := range map[string]struct {
		old, now string
		want     []string
	}{
		"one name":                {"a\n  x.Foo(Foo)\n", "a\n  x.Fresh(Fresh)\n", []string{"2:5 x.Fresh(Fresh)"}},
		"columns are code points": {"\t/* é𝛼 */ old\n", "\t/* é𝛼 */ new\n", []string{"1:11 /* é𝛼 */ new"}},
		"a name that got longer":  {"foo\n", "foobar\n", []string{"1:1 foobar"}},
		"two lines":               {"x 1\nx 2\n", "y 1\ny 2\n", []string{"1:1 y 1", "2:1 y 2"}},
		"another indentation":     {"a\n  b\n", "a\n    b\n", []string{"2-2     b"}},
		"more lines":              {"a\nb\nc\n", "a\n  x\n  y\nc\n", []string{"2-2   x\n  y"}},
		"inserted":                {"a\nc\n", "a\nb\n\nc\n", []string{"1+ b\n"}},
		"in front":                {"a\n", "b\na\n", []string{"0+ b"}},
		"deleted":                 {"a\nb\nc\nd\n", "a\nd\n", []string{"2-3"}},
		"emptied":                 {"a\nb\nc\n", "a\n\nc\n", []string{"2-2 "}},
		"windows":                 {"a\r\nb\r\n", "a\r\nc\r\n", []string{"2:1 c"}},
		"no end":                  {"a\nb", "a\nc", []string{"2:1 c"}},
		"a long line":             {long + " old " + long + "\n", long + " new " + long + "\n", nil},
		"another end":             {"a\nb", "a\nb\n", nil},
		"other line ends":         {"a\r\nb\n", "a\nc\n", nil},
		"one line end":            {"a\nb\n", "a\r\nb\r\n", nil},
	} {
		got, exact := changedLines(udiff.Unified("a", "b", c.old, c.now))
		if name == "a long line" {
			if !exact || len([]rune(got[0])) > maxChangedLine+12 || !strings.Contains(got[0], "y new y") ||
				!strings.HasPrefix(got[0], "1:602 …") {
				t.Errorf("%s: %v %q", name, exact, got)
			}
			continue
		}
		testkit.Equal(t, exact, c.want != nil, name)
		if exact {
			testkit.Diff(t, got, c.want, name)
		}
	}
}

// Whatever changes, the strings lead from the old text to the new one.
func TestChangedLinesAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() (lines []string) {
		for range r.IntN(12) {
			lines = append(lines, strings.Repeat(" ", r.IntN(3))+[]string{"", "a", "b", "- c", "+ d", "@@ -1 +1 @@",
				"\\ e"}[r.IntN(7)])
		}
		return lines
	}
	for range 5000 {
		old := text()
		now := text()
		if r.IntN(2) == 0 && len(old) > 0 {
			now = append([]string(nil), old...)
			now[r.IntN(len(now))] += "x"
		}
		end := []string{"\n", "\r\n"}[r.IntN(2)]
		join := func(lines []string) string {
			if len(lines) == 0 {
				return ""
			}
			return strings.Join(lines, end) + end
		}
		if join(old) == join(now) {
			continue
		}
		got, exact := changedLines(udiff.Unified("a", "b", join(old), join(now)))
		if !exact || strings.Join(replayed(old, got), "\n") != strings.Join(now, "\n") {
			t.Fatalf("%q → %q: %v %q", old, now, exact, got)
		}
	}
}

var changeForm = regexp.MustCompile(`^(\d+)(:\d+ |-\d+|\+ )`)

// replayed are lines with changes, of which those behind come last.
func replayed(lines, changes []string) []string {
	out := append([]string(nil), lines...)
	for i := len(changes) - 1; i >= 0; i-- {
		head := changeForm.FindStringSubmatch(changes[i])
		from, _ := strconv.Atoi(head[1])
		rest := changes[i][len(head[0]):]
		to := from
		in := strings.Split(strings.TrimPrefix(rest, " "), "\n")
		switch head[2][0] {
		case ':':
			from--
			in = []string{indentation(lines[from]) + rest}
		case '-':
			fmt.Sscan(head[2][1:], &to)
			from--
			if rest == "" {
				in = nil
			}
		default:
			in = strings.Split(rest, "\n")
		}
		out = append(out[:from:from], append(append([]string(nil), in...), out[to:]...)...)
	}
	return out
}
