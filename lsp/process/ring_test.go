package process

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestRingKeepsTheEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		r := newRing(16)
		var all strings.Builder
		for range random.IntN(8) {
			part := strings.Repeat(string(rune('a'+random.IntN(26))), random.IntN(24))
			all.WriteString(part)
			if n, err := r.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		want := all.String()[max(0, all.Len()-16):]
		if got := strings.Join(r.Tail(1), ""); got != want {
			t.Fatalf("%q, want %q of %q", got, want, all.String())
		}
	}
}

func TestRingTail(t *testing.T) {
	for _, c := range []struct{ written, want string }{
		{"", "[]"},
		{"\n \n", "[]"},
		{"one", `["one"]`},
		{"one\r\ntwo\n\n", `["one" "two"]`},
		{"one\ntwo\nthree\nfour", `["two" "three" "four"]`},
		{"a\xff\n", `["a�"]`},
		{strings.Repeat("é", 200), `["` + strings.Repeat("é", 150) + `…"]`},
		{strings.Repeat("x", 299) + "é", `["` + strings.Repeat("x", 299) + `…"]`},
	} {
		r := newRing(4096)
		fmt.Fprint(r, c.written)
		testkit.Equal(t, fmt.Sprintf("%q", r.Tail(3)), c.want, c.written)
	}
}

// A filter sees each line once, however it is written and cut at the size of the ring, and decides which are kept.
func TestRingFilter(t *testing.T) {
	for _, pieces := range [][]string{
		{"one\nV two\n", "V " + strings.Repeat("x", 100) + "\nthree\nrest"},
		strings.Split("one\nV two\nV "+strings.Repeat("x", 100)+"\nthree\nrest", ""),
	} {
		r := newRing(20)
		var seen []string
		r.Filter(func(line string) bool {
			seen = append(seen, line)
			return !strings.HasPrefix(line, "V")
		})
		for _, p := range pieces {
			if n, err := r.Write([]byte(p)); n != len(p) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
		testkit.Equal(t, strings.Join(seen, "|"), "one|V two|V "+strings.Repeat("x", 18)+"|three")
		testkit.Equal(t, r.Text(), "one\nthree")
	}
}
