package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
)

func TestTextLines(t *testing.T) {
	text := New("/f", "\ufeffone\r\n\ttwo\n\nfour")
	var got []string
	for n := 0; n <= text.Lines()+1; n++ {
		got = append(got, text.Line(n))
	}
	testkit.Equal(t, strings.Join(got, "|"), "|one|\ttwo||four|", "lines", got)
	for _, c := range []struct {
		first, last int
		want        string
	}{{1, 2, "one\n\ttwo"}, {0, 9, "one\n\ttwo\n\nfour"}, {3, 3, ""}, {3, 4, "\nfour"}, {2, 1, ""}, {-5, 0, ""}} {
		testkit.Equal(t, text.Slice(c.first, c.last), c.want, c.first, c.last)
	}
	testkit.Equal(t, New("/f", "").Lines(), 1, "an empty text has")
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
	testkit.Must(t, err)
	testkit.Must(t, f.Truncate(MaxBytes+1))
	f.Close()
	for path, want := range map[string]contract.Kind{
		dir:                         contract.KindNotAFile,
		filepath.Join(dir, "no"):    contract.KindFileNotFound,
		large:                       contract.KindFileTooLarge,
		filepath.Join(large, "sub"): contract.KindFileUnreadable, // not a directory
	} {
		_, err := Read(path)
		testkit.Equal(t, kindOf(err), want, path, err)
		_, err = NewCache(1).Load(path, everywhere)
		testkit.Equal(t, kindOf(err), want, path, err)
	}
}
