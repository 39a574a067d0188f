package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/contract"
)

func TestTextLines(t *testing.T) {
	text := New("/f", "\ufeffone\r\n\ttwo\n\nfour")
	var got []string
	for n := 0; n <= text.Lines()+1; n++ {
		got = append(got, text.Line(n))
	}
	if want := "|one|\ttwo||four|"; strings.Join(got, "|") != want {
		t.Errorf("lines %q, want %q", got, want)
	}
	for _, c := range []struct {
		first, last int
		want        string
	}{{1, 2, "one\n\ttwo"}, {0, 9, "one\n\ttwo\n\nfour"}, {3, 3, ""}, {3, 4, "\nfour"}, {2, 1, ""}, {-5, 0, ""}} {
		if got := text.Slice(c.first, c.last); got != c.want {
			t.Errorf("Slice(%d, %d) = %q, want %q", c.first, c.last, got, c.want)
		}
	}
	if n := New("/f", "").Lines(); n != 1 {
		t.Errorf("an empty text has %d lines", n)
	}
}

// What a server is sent counts the same characters as what the host reads.
func TestSendable(t *testing.T) {
	valid := New("/f", "añ\n")
	if valid.Sendable() != valid {
		t.Error("a valid text is copied")
	}
	text := New("/f", "a\xff\xfeb\n\xe6\x97c\n")
	sent := text.Sendable()
	if want := "a\ufffd\ufffdb\n\ufffd\ufffdc\n"; sent.Content() != want || sent.Valid || text.Valid {
		t.Errorf("%q, want %q", sent.Content(), want)
	}
	if text.Sendable() != sent || sent.Sendable() != sent {
		t.Error("not the same object each time")
	}
	for _, p := range []contract.Position{at(1, 4), at(2, 3)} {
		a, erra := text.Inward(UTF16, p)
		b, errb := sent.Inward(UTF16, p)
		if a != b || erra != nil || errb != nil {
			t.Errorf("%v: %v in the file, %v in what is sent", p, a, b)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(MaxBytes + 1); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for path, want := range map[string]contract.Kind{
		dir:                         contract.KindNotAFile,
		filepath.Join(dir, "no"):    contract.KindFileNotFound,
		large:                       contract.KindFileTooLarge,
		filepath.Join(large, "sub"): contract.KindFileUnreadable, // not a directory
	} {
		_, err := Read(path)
		if kindOf(err) != want {
			t.Errorf("Read(%s): %v, want %s", path, err, want)
		}
		_, err = NewCache(1).Load(path, everywhere)
		if kindOf(err) != want {
			t.Errorf("Load(%s): %v, want %s", path, err, want)
		}
	}
}
