package source

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"lspi/contract"
	"lspi/internal/testkit"
)

func TestCounted(t *testing.T) {
	span := func(from, to int) protocol.Range { return protocol.Range{Start: server(0, from), End: server(0, to)} }
	for _, c := range []struct {
		name, line, asked string
		r                 protocol.Range
		want              Encoding
	}{
		{"ASCII says nothing", `f("x", Foo)`, "Foo", span(7, 10), UTF8},
		{"in its own units", `f("é", Foo)`, "Foo", span(8, 11), UTF8},
		{"in units of UTF-16", `f("é", Foo)`, "Foo", span(7, 10), UTF16},
		{"inside a rune", `"🦀🦀" Foo`, "Foo", span(7, 10), UTF16},
		{"both are words, the name decides", `"éé" x y`, "x", span(5, 6), UTF16},
		{"both are words, the name decides for its own", `"éé" x y`, "y", span(9, 10), UTF8},
		{"both are words, no name", `"éé" x y`, "", span(7, 8), UTF8},
		{"an operator is no word", `"é" + x`, "", span(4, 5), UTF8},
		{"behind the end", `"é" x`, "x", span(90, 91), UTF8},
		{"at the end of the line", `"é" x`, "x", span(4, 5), UTF16},
		{"at its beginning", `x "é"`, "x", span(0, 1), UTF8},
		{"another name than asked, as of a constructor", `"é" Foo`, "make", span(4, 7), UTF16},
	} {
		testkit.Equal(t, New("/f", c.line).CountedIn(UTF8, c.r, c.asked), c.want, c.name)
	}
	testkit.Equal(t, New("/f", `f("é", Foo)`).CountedIn(UTF16, span(8, 11), "Foo"), UTF8, "the other way round")
	testkit.Equal(t, New("/f", "é").CountedIn(UTF8, protocol.Range{Start: server(7, 0), End: server(7, 1)}, ""), UTF8,
		"a line that does not exist")
}

func TestWordAt(t *testing.T) {
	text := New("/f", "é.Größe(x)\n")
	for column, want := range map[int]string{1: "é", 2: "é", 3: "Größe", 8: "Größe", 9: "x", 11: "", 99: ""} {
		testkit.Equal(t, text.WordAt(at(1, column)), want, "at", column)
	}
}

func TestMayHoldWord(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"func Load() {}", "Load", true}, {"LoadMode Loader reLoad", "Load", false}, {"LoadLoad Load", "Load", true},
		{"$Load", "Load", true}, {"Load", "Load", true}, {"größe", "größ", false}, {"größe", "größe", true},
		{"", "Load", false},
		{"_Load", "Load", false}, {"Load2", "Load", false}, {"é.Load-é", "Load", true},
		{"\xff\xfeL\x00o\x00", "Load", true},
	} {
		testkit.Equal(t, MayHoldWord([]byte(c.text), []byte(c.word)), c.want, c.word, "in", c.text)
	}
}

func TestCutsWord(t *testing.T) {
	for text, want := range map[string]bool{ // the range is between the bars
		"a |bc| d": false, "a |bc|d": true, "a|bc| d": true, "|Encode64|X": true, "|Encode64|5": true, "|f|2": true,
		"42|_km|": false, "0|x1|": false, "$|a|": false, "|a|.b": false, "_1|b|": true, "é|b|": true,
	} {
		before, rest, _ := strings.Cut(text, "|")
		held, after, _ := strings.Cut(rest, "|")
		s := New("a.c", before+held+after)
		r := contract.Range{Start: s.PositionAt(len(before)), End: s.PositionAt(len(before + held))}
		if got := s.CutsWord(r); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
