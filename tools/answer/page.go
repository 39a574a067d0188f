package answer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lspi/contract"
	"lspi/lsp"
)

// maxReferenceCode is how much of a line a reference shows, in code points.
const maxReferenceCode = 160

// Page is a window on a sorted list of places, shared by the tools that list places as strings.
type Page struct {
	Total    int            `json:"total"`
	Returned int            `json:"returned"`
	LeftOut  map[string]int `json:"left_out,omitempty"` // places per file that are not in this page

	items   []PlaceLine // the window
	Rest    []PlaceLine // what follows it; what is before the window, by offset, is not kept
	files   int         // that the whole list has places in
	few     bool        // name few files in left_out
	offset  int
	snippet bool
}

// PageHead is what each answer with a page begins with.
type PageHead struct {
	Total    int            `json:"total"`
	Returned int            `json:"returned"`
	LeftOut  map[string]int `json:"left_out,omitempty"`
}

// PlaceLine is one place as it is shown.
type PlaceLine struct {
	File      string
	at        contract.Position
	code      string
	generated bool // the file is
}

// PageArguments are the arguments of a page: where its window begins, how many places it has at most, and whether
// with their lines.
type PageArguments struct {
	Offset, Max int
	Snippet     bool
}

// Paged sorts places, the file asked about first, drops repeated and unreadable ones, and cuts the window. An
// offset behind the end gives an empty window and no error. The order is the same for each call about the same
// places, or the pages would not fit together.
func (c *Call) Paged(places []lsp.Place, first string, a PageArguments) Page {
	places = SortPlaces(c.Stale(places), first)
	all := make([]PlaceLine, 0, len(places))
	last, shown, files := "", "", 0
	for _, p := range places { // of one file in turn
		if p.Path != last || shown == "" {
			last, shown = p.Path, c.Show(p.Path)
			files++
		}
		all = append(all, PlaceLine{shown, p.Range.Start, CutText(strings.TrimSpace(p.Line), maxReferenceCode),
			p.Generated})
	}
	p := Page{Total: len(all), files: files, offset: a.Offset, snippet: a.Snippet}
	from := min(a.Offset, len(all))
	to := min(from+a.Max, len(all))
	p.items, p.Rest = all[from:to], all[to:]
	return p
}

// SortPlaces sorts by path, then position, the file asked about first, each place once.
func SortPlaces(places []lsp.Place, first string) []lsp.Place {
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b lsp.Place) int {
		if (a.Path == first) != (b.Path == first) {
			if a.Path == first {
				return -1
			}
			return 1
		}
		if n := strings.Compare(a.Path, b.Path); n != 0 {
			return n
		}
		if a.Range.Start != b.Range.Start {
			if a.Range.Start.Before(b.Range.Start) {
				return -1
			}
			return 1
		}
		return 0
	})
	return slices.CompactFunc(places, func(a, b lsp.Place) bool { return a.Path == b.Path && a.Range == b.Range })
}

// Close says on the call what the window left out.
func (p *Page) Close(c *Call) {
	if len(p.Rest) == 0 {
		return
	}
	c.Leaves(p.Total, len(p.items), len(p.Rest), p.Next(c, len(p.items)))
}

// Next are the arguments for what follows the first n places.
func (p *Page) Next(_ *Call, n int) map[string]any { return map[string]any{"offset": p.offset + n} }

// ShedSnippets drops the lines of the places; false when there are none.
func (p *Page) ShedSnippets() bool {
	had := p.snippet
	p.snippet = false
	return had
}

// Size is the number of places in the window.
func (p *Page) Size() int { return len(p.items) }

// First is a copy of the page with its first n items; the others become part of Rest, so that left_out counts them
// and Next begins at them.
func (p Page) First(n int) Page {
	p.Rest = slices.Concat(p.items[n:], p.Rest)
	p.items = p.items[:n]
	return p
}

// Head counts the places, and names the files of those outside of the window.
func (p Page) Head() PageHead {
	h := PageHead{Total: p.Total, Returned: len(p.items)}
	if len(p.Rest) > 0 {
		most := MaxLeftOut
		if p.few {
			most = fewLeftOut
		}
		h.LeftOut = LeftOut(p.Rest, most)
	}
	return h
}

// MaxLeftOut bounds the files that are named in left_out; the rest is summed under "…".
const MaxLeftOut = 20

// fewLeftOut is that bound where more would leave no room for the items themselves.
const fewLeftOut = 2

// Terse makes the page name few files in left_out; false when it does already.
func (p *Page) Terse() bool {
	had := p.few
	p.few = true
	return !had
}

// LeftOut counts places by file, for as many files as may be named; those of the others are under "…". The files
// that are named are those of the next places.
func LeftOut(rest []PlaceLine, most int) map[string]int {
	counts := map[string]int{}
	for _, r := range rest {
		if counts[r.File] == 0 && len(counts) >= most {
			counts["…"]++
			continue
		}
		counts[r.File]++
	}
	return counts
}

// Group gives each file of the window with its places, and whether it says that a program wrote it.
func (p Page) Group(each func(file string, generated bool, lines []string)) {
	for i := 0; i < len(p.items); {
		j := i
		var lines []string
		generated := false // a place that no server gave, but that lspi found, does not tell
		for ; j < len(p.items) && p.items[j].File == p.items[i].File; j++ {
			lines = append(lines, p.items[j].text(p.snippet))
			generated = generated || p.items[j].generated
		}
		each(p.items[i].File, generated, lines)
		i = j
	}
}

// Summary counts what there is in all, and what of it this page has.
func (p Page) Summary(what string) string {
	text := Counted(p.Total, what)
	if p.Total > 0 {
		text += " in " + Counted(p.files, "file")
	}
	if len(p.items) < p.Total {
		text += fmt.Sprintf("; %d shown", len(p.items))
	}
	return text + "."
}

// Counted is a number of things in words.
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func (l PlaceLine) text(code bool) string {
	at := strconv.Itoa(l.at.Line) + ":" + strconv.Itoa(l.at.Character)
	if !code || l.code == "" {
		return at
	}
	return at + " " + l.code
}

// LimitedAt warns when an answer has the size at which the server cuts without saying so. It may then be whole all
// the same, which nobody can tell.
func (c *Call) LimitedAt(s *lsp.Snapshot, method string, n int) {
	if s.Limited(method, n) {
		c.Warn(contract.WarnServerLimit, contract.Facts{"method": method, "limit": n},
			fmt.Sprintf("%s gives at most %d results here; there may be more", s.ID(), n))
	}
}

// Tell writes the places of each file below it, as answers have them.
func (p *Page) Tell(s *Sheet) {
	p.Group(func(file string, generated bool, lines []string) {
		mark := ""
		if generated {
			mark = ", generated"
		}
		s.Line(0, "%s (%d%s)", file, len(lines), mark)
		for _, line := range lines {
			s.Line(1, "%s", line)
		}
	})
	s.Counts(p.Head().LeftOut)
}
