package edit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

func TestWholeWords(t *testing.T) {
	at := func(start int, old, now string) Replacement {
		return Replacement{Start: start, Line: 1, Old: old, New: now}
	}
	for name, c := range map[string]struct {
		content string
		edits   []Replacement
		want    []Replacement
	}{
		"single characters": {"x total y", []Replacement{at(3, "ot", "it"), at(6, "l", "le")},
			[]Replacement{at(2, "total", "titale")}},
		"letters at the end": {"total()", []Replacement{at(5, "", "s")},
			[]Replacement{at(0, "total", "totals")}},
		"letters at the beginning": {"(total", []Replacement{at(1, "", "_")}, []Replacement{at(1, "total", "_total")}},
		"a whole word stays": {"a total", []Replacement{at(2, "total", "sum")},
			[]Replacement{at(2, "total", "sum")}},
		"two words": {"abc abc", []Replacement{at(1, "b", ""), at(5, "b", "")},
			[]Replacement{at(0, "abc", "ac"), at(4, "abc", "ac")}},
		"a shorthand's key": {"{ a }", []Replacement{at(2, "", "b: ")}, []Replacement{at(2, "", "b: ")}},
		"more than a word":  {"a.total", []Replacement{at(0, "a.to", "b")}, []Replacement{at(0, "a.to", "b")}},
		"between words":     {"a  b", []Replacement{at(2, "", "c")}, []Replacement{at(2, "", "c")}},
		"a letter of several bytes": {"größe", []Replacement{at(2, "ö", "oe")},
			[]Replacement{at(0, "größe", "groeße")}},
		"a sigil does not belong": {"$total", []Replacement{at(1, "total", "sum")},
			[]Replacement{at(1, "total", "sum")}},
		"other annotations, as it is": {"abcd",
			[]Replacement{{Start: 0, Line: 1, Old: "ab", New: "x", Annotation: "1"},
				{Start: 2, Line: 1, Old: "cd", New: "y", Annotation: "2"}},
			[]Replacement{{Start: 0, Line: 1, Old: "ab", New: "x", Annotation: "1"},
				{Start: 2, Line: 1, Old: "cd", New: "y", Annotation: "2"}}},
	} {
		if got := wholeWords(c.content, c.edits); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Whatever the edits are, the text that comes of them stays, and they stay in their order without overlapping.
func TestWholeWordsKeepTheText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "b", "ö", " ", ".", "_", "1"}
	text := func(n int) (s string) {
		for range r.IntN(n + 1) {
			s += letters[r.IntN(len(letters))]
		}
		return s
	}
	merged := 0
	for range 20000 {
		var content string
		var edits []Replacement
		for range 1 + r.IntN(4) {
			content += text(4)
			old := text(3)
			annotation := []string{"", "", "x"}[r.IntN(3)]
			edits = append(edits, Replacement{Start: len(content), Line: 1, Old: old, New: text(3),
				Annotation: annotation})
			content += old
		}
		content += text(4)
		got := wholeWords(content, slices.Clone(edits))
		for i := 1; i < len(got); i++ {
			if got[i].Start < got[i-1].end() {
				t.Fatalf("%q %+v: %+v overlap", content, edits, got)
			}
		}
		for _, e := range got {
			testkit.Equal(t, content[e.Start:e.end()], e.Old, content)
		}
		if a, b := applyReplacements(content, edits), applyReplacements(content, got); a != b {
			t.Fatalf("%q %+v: %q, not %q", content, edits, b, a)
		}
		if len(got) < len(edits) {
			merged++
		}
	}
	if merged < 1000 {
		t.Errorf("only %d of 20000 were merged at all", merged)
	}
}
