package source

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"lspi/contract"
	"lspi/internal/testkit"
)

var encodings = []Encoding{UTF8, UTF16, UTF32}

func at(line, character int) contract.Position {
	return contract.Position{Line: line, Character: character}
}

func server(line, character int) protocol.Position {
	return protocol.Position{Line: uint32(line), Character: uint32(character)}
}

func TestMapper(t *testing.T) {
	for _, c := range []struct {
		name, text         string
		outside            contract.Position
		utf8, utf16, utf32 int // the character that each server counts
	}{
		{"ASCII", "func f()\n", at(1, 6), 5, 5, 5},
		{"two bytes", "é = x\n", at(1, 5), 5, 4, 4},
		{"three bytes", "日本 x\n", at(1, 4), 7, 3, 3},
		{"astral", "𝒳 x\n", at(1, 3), 5, 3, 2},
		{"behind an astral", "𝒳\n", at(1, 2), 4, 2, 1},
		{"emoji with modifier", "👩🏽 x\n", at(1, 4), 9, 5, 3},
		{"combining mark", "e\u0301x\n", at(1, 3), 3, 2, 2},
		{"a tab is one character", "\t\tx\n", at(1, 3), 2, 2, 2},
		{"CRLF, second line", "a\r\nbc\r\n", at(2, 2), 1, 1, 1},
		{"end of a CRLF line", "abc\r\n", at(1, 4), 3, 3, 3},
		{"end of the last line", "a\nbc", at(2, 3), 2, 2, 2},
		{"empty last line", "a\n", at(2, 1), 0, 0, 0},
		{"empty text", "", at(1, 1), 0, 0, 0},
		{"behind a byte order mark", "\ufeffab", at(1, 2), 4, 2, 2},
		{"a byte order mark counts on its line only", "\ufeffa\nbc", at(2, 2), 1, 1, 1},
		{"invalid bytes count one each", "\xff\xfe x", at(1, 4), 3, 3, 3},
	} {
		text := New("/f", c.text)
		for i, want := range []int{c.utf8, c.utf16, c.utf32} {
			enc := encodings[i]
			p := server(c.outside.Line-1, want)
			got, err := text.Inward(enc, c.outside)
			if err != nil || got != p {
				t.Errorf("%s: inward %v: %v %v, want %v", c.name, enc, got, err, p)
			}
			testkit.Equal(t, text.Outward(enc, p), c.outside, c.name, "outward", enc)
		}
	}
}

// LSP 3.17: a character behind the end of the line means the end of the line.
func TestMapperClamps(t *testing.T) {
	for _, c := range []struct {
		name, text string
		enc        Encoding
		from       protocol.Position
		want       contract.Position
	}{
		{"behind the line", "abc\nd\n", UTF16, server(0, 99), at(1, 4)},
		{"in the line end", "abc\r\nd\n", UTF16, server(0, 4), at(1, 4)},
		{"behind the text", "abc\nde", UTF16, server(7, 1), at(2, 3)},
		{"the largest numbers", "abc\nde", UTF8, server(1<<32-1, 1<<32-1), at(2, 3)},
		{"inside of a surrogate pair", "𝒳x", UTF16, server(0, 1), at(1, 1)},
		{"inside of a UTF-8 sequence", "日x", UTF8, server(0, 2), at(1, 1)},
		{"before a byte order mark", "\ufeffabc", UTF16, server(0, 0), at(1, 1)},
		{"inside of a byte order mark", "\ufeffabc", UTF8, server(0, 1), at(1, 1)},
		{"behind a line of nothing but a byte order mark", "\ufeff", UTF16, server(3, 0), at(1, 1)},
	} {
		testkit.Equal(t, New("/f", c.text).Outward(c.enc, c.from), c.want, c.name)
	}
}

func TestMapperRefusesWhatIsNotThere(t *testing.T) {
	for _, p := range []contract.Position{at(0, 1), at(1, 0), at(1, -3), at(1, 5), at(3, 1), at(-1, 1), at(2, 2),
		at(1<<40, 1)} {
		for _, content := range []string{"abc\n", "\ufeffabc\n"} {
			_, err := New("/f", content).Inward(UTF16, p)
			testkit.Equal(t, kindOf(err), contract.KindPositionOutOfRange, p, "in", content, err)
		}
	}
	err := func() error { _, err := New("/f", "\ufeffabc\n").Inward(UTF16, at(1, 9)); return err }()
	if f := facts(t, err); f["characters"] != 3 || f["file_path"] != "/f" {
		t.Errorf("facts %v", f)
	}
	err = func() error { _, err := New("/f", "abc\n").Inward(UTF16, at(9, 1)); return err }()
	if f := facts(t, err); f["lines"] != 2 {
		t.Errorf("facts %v", f)
	}
}

// simple converts by taking the text apart into runes, and is too slow for anything else.
func simple(content string, enc Encoding, p contract.Position) (protocol.Position, bool) {
	lines := strings.Split(content, "\n")
	if p.Line < 1 || p.Line > len(lines) || p.Character < 1 {
		return protocol.Position{}, false
	}
	line := strings.TrimSuffix(lines[p.Line-1], "\r")
	n := p.Character - 1
	if p.Line == 1 && strings.HasPrefix(line, "\ufeff") {
		n++
	}
	units, seen := 0, 0
	for i := 0; i < len(line) && seen < n; seen++ {
		r, size := utf8.DecodeRuneInString(line[i:])
		switch enc {
		case UTF8:
			units += size
		case UTF16:
			units += len(utf16.Encode([]rune{r}))
		default:
			units++
		}
		i += size
	}
	return server(p.Line-1, units), seen == n
}

func agrees(t *testing.T, content string, p contract.Position) {
	t.Helper()
	text := New("/f", content)
	for _, enc := range encodings {
		want, ok := simple(content, enc, p)
		got, err := text.Inward(enc, p)
		if ok != (err == nil) || ok && got != want {
			t.Fatalf("%q at %v in %v: %v %v, want %v %v", content, p, enc, got, err, want, ok)
		}
		if !ok {
			continue
		}
		if back := text.Outward(enc, got); back != p {
			t.Fatalf("%q at %v in %v: back %v", content, p, enc, back)
		}
		offset, err := text.Offset(p)
		if err != nil || text.Encode(enc, offset) != got || text.Decode(enc, got) != offset ||
			text.PositionAt(offset) != p {
			t.Fatalf("%q at %v in %v: offset %d (%v), encoded %v, decoded %d, position %v", content, p, enc, offset,
				err,
				text.Encode(enc, offset), text.Decode(enc, got), text.PositionAt(offset))
		}
	}
}

func TestMapperAgainstASimpleOne(t *testing.T) {
	alphabet := []string{"a", "\t", "é", "日", "𝒳", "\u0301", "\r", "\r\n", "\n", "\xff", "\xe6\x97", "\ufeff", " "}
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		var b strings.Builder
		for range random.IntN(20) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		for range 6 {
			agrees(t, b.String(), at(random.IntN(6), random.IntN(12)))
		}
	}
}

func FuzzMapper(f *testing.F) {
	f.Add("\ufeffa\r\n日𝒳\xff\n", uint16(2), uint16(3), uint32(1))
	f.Fuzz(func(t *testing.T, content string, line, character uint16, units uint32) {
		agrees(t, content, at(int(line), int(character)))
		text := New("/f", content)
		for _, enc := range encodings { // whatever a server says is a place of the text
			p := text.Outward(enc, protocol.Position{Line: uint32(line), Character: units})
			if _, err := text.Offset(p); err != nil {
				t.Fatalf("%q: %v is %v: %v", content, server(int(line), int(units)), p, err)
			}
		}
	})
}
