package answer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lspi/contract"
	"lspi/lsp"
)

// maxReferenceCode is how much of its line a reference shows, in code points. Minified files have lines
// of megabytes.
const maxReferenceCode = 160

// Page is a window on a sorted list of places, shared by the tools that list places as strings. It
// implements shrinker, snippeted, terser and continued.
type Page struct {
	Total    int            `json:"total"`
	Returned int            `json:"returned"`
	LeftOut  map[string]int `json:"left_out,omitempty"` // places per file that are not in this page

	items   []PlaceLine // in the window
	Rest    []PlaceLine // behind the window; what lies before it, by offset, is not kept
	files   int         // in which the whole list has places
	few     bool        // left_out names few files ([Page.Terse])
	offset  int
	snippet bool
}

// PageHead has the counts with which each answer with a page begins.
type PageHead struct {
	Total    int            `json:"total"`
	Returned int            `json:"returned"`
	LeftOut  map[string]int `json:"left_out,omitempty"`
}

// PlaceLine is one place as it is shown: "12:5 code of the line".
type PlaceLine struct {
	File      string
	at        contract.Position
	code      string
	generated bool // the file is
}

// PageArguments are the arguments of a page: the number of places before the window, how many it has at
// most, whether they come with their lines, and whether those in generated files come without.
type PageArguments struct {
	Offset, Max int
	Snippet     bool
	NoGenerated bool
}

// Paged sorts places (those in the file first come first), drops repeated and unreadable ones, and cuts
// the window. An offset behind the end gives an empty window and no error, so that a loop over pages
// ends by itself. The order depends on the places alone: pages of several calls have to fit together.
func (c *Call) Paged(places []lsp.Place, first string, a PageArguments) Page {
	places = SortPlaces(c.DropStale(places), first)
	all := make([]PlaceLine, 0, len(places))
	last, shown, files, named := "", "", 0, false
	for _, p := range places { // of one file in turn
		if p.Path != last || shown == "" {
			last, shown, named = p.Path, c.Show(p.Path), IsGenerated(c, p.Path, false)
			files++
		}
		line := PlaceLine{shown, p.Range.Start, CutText(strings.TrimSpace(p.Line), maxReferenceCode),
			p.Generated || named}
		if line.generated && a.NoGenerated {
			line.code = ""
		}
		all = append(all, line)
	}
	p := Page{Total: len(all), files: files, offset: a.Offset, snippet: a.Snippet}
	from := min(a.Offset, len(all))
	to := min(from+a.Max, len(all))
	p.items, p.Rest = all[from:to], all[to:]
	return p
}

// SortPlaces returns places sorted by path, then position, each once; those in the file first come
// first. places itself is not changed.
func SortPlaces(places []lsp.Place, first string) []lsp.Place {
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b lsp.Place) int { return ComparePlaces(a, b, first) })
	return slices.CompactFunc(places, func(a, b lsp.Place) bool { return a.Path == b.Path && a.Range == b.Range })
}

// Close tells the call what the window left out; nothing when it has all.
func (p *Page) Close(c *Call) {
	if len(p.Rest) == 0 {
		return
	}
	c.Leaves(p.Total, len(p.items), len(p.Rest), p.Next(c, len(p.items)))
}

// Next returns the arguments for what follows the first n places of the window.
func (p *Page) Next(_ *Call, n int) map[string]any { return map[string]any{"offset": p.offset + n} }

// ShedSnippets drops the lines of the places; false when there are none.
func (p *Page) ShedSnippets() bool {
	had := p.snippet
	p.snippet = false
	return had
}

// Size is the number of places in the window.
func (p *Page) Size() int { return len(p.items) }

// Places returns the places from the window on, as "path:line:column".
func (p *Page) Places() (out []string) {
	for _, l := range slices.Concat(p.items, p.Rest) {
		out = append(out, fmt.Sprintf("%s:%d:%d", l.File, l.at.Line, l.at.Character))
	}
	return out
}

// First returns a copy of the page with its first n places. The others become part of Rest, so that
// left_out counts them and [Page.Next] begins at them.
func (p Page) First(n int) Page {
	p.Rest = slices.Concat(p.items[n:], p.Rest)
	p.items = p.items[:n]
	return p
}

// Head returns the counts, with the files of the places behind the window in left_out.
func (p Page) Head() PageHead {
	h := PageHead{Total: p.Total, Returned: len(p.items)}
	// Only what follows: what is before the window the host has seen.
	if len(p.Rest) > 0 {
		most := MaxLeftOut
		if p.few {
			most = fewLeftOut
		}
		h.LeftOut = LeftOut(p.Rest, most)
	}
	return h
}

// MaxLeftOut bounds the files that left_out names; the places of further files are counted together
// under "…".
const MaxLeftOut = 20

// fewLeftOut is that bound of a terse page, where more names would leave no room for the places
// themselves.
const fewLeftOut = 2

// Terse makes the page name few files in left_out; false when it does already.
func (p *Page) Terse() bool {
	had := p.few
	p.few = true
	return !had
}

// LeftOut counts places by file for at most most files; the places of further ones are counted under
// "…". The files that are named are those of the next places, where the next page begins.
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

// Group calls each with every file of the window in turn: its name, whether it is generated, and its places as lines.
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

// Summary returns the sentence that counts the whole list and what this page shows of it. what is
// singular.
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

// Counted returns a number with its noun: "1 file", "3 files". what is a regular singular.
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

// WarnServerLimit warns when an answer has exactly the size at which the server is known to cut without
// saying so ([spec.Spec] has the limits). Such an answer may be whole all the same; nobody can tell.
func (c *Call) WarnServerLimit(s *lsp.Snapshot, method string, n int) {
	if s.Limited(method, n) {
		c.Warn(contract.WarnServerLimit, contract.Facts{"method": method, "limit": n},
			fmt.Sprintf("%s gives at most %d results here; there may be more", s.ID(), n))
	}
}

// Tell writes each file with its places below it.
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
