package jsonline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"lspi/internal/testkit"
)

// read reads all lines; those beyond the limit are put together from their parts.
func read(t *testing.T, r *Reader) (lines []string, whole []bool, ended error) {
	t.Helper()
	continued := false
	for {
		line, ok, err := r.Next()
		switch {
		case continued:
			lines[len(lines)-1] += string(line)
			testkit.Equal(t, ok, false, "a later part of a long line is a whole one")
		case len(line) > 0:
			lines, whole = append(lines, string(line)), append(whole, ok)
			testkit.Equal(t, ok, len(line) <= r.limit, "a whole line is as long as the limit, at most")
		}
		if err != nil {
			line, ok, again := r.Next()
			testkit.Equal(t, len(line) == 0 && ok && errors.Is(again, err), true, "the end is found again")
			return lines, whole, err
		}
		testkit.Equal(t, len(line) > 0, true, "nothing is returned without an error")
		continued = !ok && !Ends(line)
	}
}

func TestNext(t *testing.T) {
	long, longer := strings.Repeat("b", 100_000), strings.Repeat("x", 400_000)
	for _, text := range []string{"", "\n", "a\n", "a\r\n\nb\n", "a\nend", long + "\n" + long + "\n", longer + "\na\n",
		"a\n" + longer, longer + "\n" + longer + "\nend", strings.Repeat("x", bufferSize) + "\nend",
		strings.Repeat("x", bufferSize-1) + "\n"} {
		for _, limit := range []int{1, 2, 50, bufferSize - 1, bufferSize, bufferSize + 1, len(long) + 1, 300_000} {
			lines, _, err := read(t, NewReader(strings.NewReader(text), limit))
			testkit.Equal(t, err, io.EOF, "the end")
			testkit.Equal(t, strings.Join(lines, "|") == strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\n|"), "|"),
				true, "the lines are those of the text")
		}
	}
}

// An error of reading comes with what stands before it.
func TestNextError(t *testing.T) {
	broken := errors.New("broken")
	for _, limit := range []int{100, 2} {
		r := NewReader(io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(broken)), limit)
		lines, whole, err := read(t, r)
		testkit.Diff(t, lines, []string{"a\n", "half"})
		testkit.Diff(t, whole, []bool{true, limit == 100})
		testkit.Equal(t, err, broken, "the error")
	}
}

// What stands behind a line in a bufio.Reader is left to its owner.
func TestNextLeavesTheRest(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("first\nrest"), bufferSize)
	line, _, err := NewReader(in, 100).Next()
	testkit.Must(t, err)
	testkit.Equal(t, string(line), "first\n")
	rest, err := io.ReadAll(in)
	testkit.Must(t, err)
	testkit.Equal(t, string(rest), "rest")
}

// The memory of a line is used again, but not that of a very long one.
func TestNextReusesMemory(t *testing.T) {
	line := append(bytes.Repeat([]byte("x"), bufferSize+100), '\n')
	r := NewReader(bytes.NewReader(bytes.Repeat(line, 1000)), MaxLine)
	next := func() {
		_, _, err := r.Next()
		testkit.Must(t, err)
	}
	next()
	testkit.Equal(t, testing.AllocsPerRun(500, next), 0.0, "allocations for a line")
	r = NewReader(strings.NewReader(strings.Repeat("x", 2*maxReused)+"\na\n"), MaxLine)
	next()
	next()
	testkit.Equal(t, cap(r.line), 0, "memory behind a very long line")
}

// FuzzNext holds that the lines are those of the text, however it arrives and whatever the limit.
func FuzzNext(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), uint(2))
	f.Add(bytes.Repeat([]byte("x"), bufferSize+1), uint(bufferSize))
	f.Fuzz(func(t *testing.T, text []byte, limit uint) {
		for _, in := range []io.Reader{bytes.NewReader(text), iotest.HalfReader(bytes.NewReader(text)),
			iotest.DataErrReader(bytes.NewReader(text))} {
			lines, _, err := read(t, NewReader(in, int(limit%(4*bufferSize))))
			testkit.Equal(t, err, io.EOF, "the end")
			testkit.Equal(t, strings.Join(lines, ""), string(text), "the text")
			for i, line := range lines {
				if at := strings.IndexByte(line, '\n'); at >= 0 && at < len(line)-1 || at < 0 && i < len(lines)-1 {
					t.Errorf("%q is no line", line)
				}
			}
		}
	})
}
