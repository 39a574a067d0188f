package edit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

// atoms are what random texts are made of: all widths in all encodings, and everything that anybody takes for the
// end of a line.
var atoms = []string{"a", "b", " ", "\t", "é", "ß", "€", "한", "e\u0301", "😀", "𝒳", "\U0002F800", "\U000E0001",
	"\U0010FFFF", "\uFFFD",
	"\u2028", "\u0085", "\v", "\n", "\n", "\n", "\r\n", "\r\n", "\r", "\x00"}

func randomText(r *rand.Rand, n int) string {
	end := []string{"", "\n", "\r\n"}[r.IntN(3)] // some texts have one line end only
	var b strings.Builder
	for range r.IntN(n + 1) {
		a := atoms[r.IntN(len(atoms))]
		if end != "" && strings.Trim(a, "\r\n") == "" {
			a = end
		}
		b.WriteString(a)
	}
	return b.String()
}

// span is a reference edit, in runes.
type span struct {
	from, to int
	text     string
}

// randomSpans are valid edits of a text, in the order of the text. They respect what no position can name: the
// middle of \r\n, what is before a mark, and what is behind a \r that ends the text.
func randomSpans(r *rand.Rand, runes []rune) []span {
	var places []int
	for i := 0; i <= len(runes); i++ {
		behindCR := i > 0 && runes[i-1] == '\r'
		if i < len(runes) && behindCR && runes[i] == '\n' || i == len(runes) && behindCR || i == 0 && len(runes) > 0 &&
			runes[0] == '\ufeff' {
			continue
		}
		places = append(places, i)
	}
	if len(places) == 0 {
		return nil
	}
	var cuts []int
	for range 2 * r.IntN(6) {
		cuts = append(cuts, places[r.IntN(len(places))])
	}
	slices.Sort(cuts)
	var out []span
	for i := 0; i+1 < len(cuts); i += 2 {
		out = append(out, span{cuts[i], cuts[i+1], randomText(r, 4)})
	}
	return out
}

// reference applies spans to runes, from the end, which no earlier one moves.
func reference(runes []rune, spans []span) string {
	out := string(runes)
	newline := ""
	bare := strings.ReplaceAll(out, "\r\n", "")
	switch {
	case strings.Contains(bare, "\r"):
	case strings.Contains(bare, "\n") && bare == out:
		newline = "\n"
	case !strings.Contains(bare, "\n") && bare != out:
		newline = "\r\n"
	}
	for _, s := range slices.Backward(spans) {
		if newline != "" {
			s.text = strings.Join(strings.Split(strings.ReplaceAll(s.text, "\r\n", "\n"), "\n"), newline)
		}
		head, tail := string(runes[:s.from]), out[len(string(runes[:s.to])):]
		out = head + s.text + tail
	}
	return out
}

// position is where a server that counts in enc says that a rune is.
func position(runes []rune, i int, enc source.Encoding) j {
	line, character := 0, 0
	for _, c := range runes[:i] {
		switch {
		case c == '\n':
			line, character = line+1, 0
		case enc == source.UTF8:
			character += utf8.RuneLen(c)
		case enc == source.UTF16:
			character += utf16.RuneLen(c)
		default:
			character++
		}
	}
	return at(line, character)
}

// checkRandom compares one random edit of one random text with the reference, through JSON, plan and diff.
func checkRandom(t *testing.T, path string, r *rand.Rand) {
	content := randomText(r, 40)
	if r.IntN(4) == 0 {
		content = "\ufeff" + content
	}
	testkit.Must(t, os.WriteFile(path, []byte(content), 0o666))
	runes := []rune(content)
	enc := []source.Encoding{source.UTF8, source.UTF16, source.UTF32}[r.IntN(3)]
	spans := randomSpans(r, runes)
	edits := make([]j, len(spans))
	for i, s := range spans {
		edits[i] = j{"range": j{"start": position(runes, s.from, enc), "end": position(runes, s.to, enc)},
			"newText": s.text}
	}
	shuffleKeepingTies(r, spans, edits)
	options := options(filepath.Dir(path))
	options.Encoding = enc
	p, err := decode(t, document(path, edits...)).Plan(options)
	if err != nil {
		t.Fatalf("%q, %v: %v", content, edits, err)
	}
	got, diff := content, ""
	if len(p.Files) > 0 {
		got, diff = p.Files[0].New, p.Files[0].Diff
	}
	slices.SortStableFunc(spans, func(a, b span) int { return a.from - b.from })
	if want := reference(runes, spans); got != want {
		t.Fatalf("%v: %q with %v\ngot  %q\nwant %q", enc, content, edits, got, want)
	}
	if again := patch(content, diff); again != got {
		t.Fatalf("the diff of %q to %q gives %q:\n%s", content, got, again, diff)
	}
}

// shuffleKeepingTies changes the order of edits but for those at one position.
func shuffleKeepingTies(r *rand.Rand, spans []span, edits []j) {
	for range 3 * len(spans) {
		i := r.IntN(len(spans) - 1 + 1)
		if i+1 < len(spans) && spans[i].from != spans[i+1].from {
			spans[i], spans[i+1] = spans[i+1], spans[i]
			edits[i], edits[i+1] = edits[i+1], edits[i]
		}
	}
}

func TestRandomEdits(t *testing.T) {
	path := makeTree(t, nil) + "/file"
	for seed := range testkit.Times(500, 5_000) {
		checkRandom(t, path, rand.New(rand.NewPCG(uint64(seed), 0)))
	}
}

func FuzzEdits(f *testing.F) {
	root := makeTree(f, nil)
	f.Fuzz(func(t *testing.T, a, b uint64) {
		checkRandom(t, filepath.Join(root, fmt.Sprint(os.Getpid())), rand.New(rand.NewPCG(a, b)))
	})
}

// patch applies a unified diff; the context is what it says that it is, or the result is nonsense.
func patch(content, diff string) string {
	old := strings.SplitAfter(content, "\n")
	var out strings.Builder
	at := 0
	body := strings.SplitAfter(diff, "\n")
	for i, line := range body {
		if i < 2 || line == "" || line[0] == '\\' {
			continue
		}
		text := line[1:]
		if i+1 < len(body) && strings.HasPrefix(body[i+1], "\\ No newline") {
			text = strings.TrimSuffix(text, "\n")
		}
		switch line[0] {
		case '@':
			var from int
			fmt.Sscanf(line, "@@ -%d", &from)
			for ; at < from-1; at++ {
				out.WriteString(old[at])
			}
			if strings.HasPrefix(line[strings.Index(line, " "):], fmt.Sprintf(" -%d,0 ", from)) && from > 0 {
				out.WriteString(old[at])
				at++
			}
		case '+':
			out.WriteString(text)
		case ' ', '-':
			if at >= len(old) || old[at] != text {
				return fmt.Sprintf("no %q at %d", text, at)
			}
			if line[0] == ' ' {
				out.WriteString(text)
			}
			at++
		}
	}
	return out.String() + strings.Join(old[at:], "")
}
