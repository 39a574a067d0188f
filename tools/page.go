package tools

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

// page is a window on a sorted list of places, shared by the tools that list places as strings.
type page struct {
	Total    int            `json:"total"`
	Returned int            `json:"returned"`
	LeftOut  map[string]int `json:"left_out,omitempty"` // places per file that are not in this page

	items   []placeLine
	rest    []placeLine
	files   int  // that the whole list has places in
	few     bool // name few files in left_out
	offset  int
	snippet bool
}

type pageHead struct {
	Total    int            `json:"total"`
	Returned int            `json:"returned"`
	LeftOut  map[string]int `json:"left_out,omitempty"`
}

// placeLine is one place as it is shown.
type placeLine struct {
	file string
	at   contract.Position
	code string
}

type pageArguments struct {
	offset, max int
	snippet     bool
}

// paged sorts places, the file asked about first, drops repeated and unreadable ones, and cuts the window.
func (c *Call) paged(places []lsp.Place, first string, a pageArguments) page {
	places = sortPlaces(c.stale(places), first)
	all := make([]placeLine, 0, len(places))
	last, shown, files := "", "", 0
	for _, p := range places { // of one file in turn
		if p.Path != last || shown == "" {
			last, shown = p.Path, c.show(p.Path)
			files++
		}
		all = append(all, placeLine{shown, p.Range.Start, cutText(strings.TrimSpace(p.Line), maxReferenceCode)})
	}
	p := page{Total: len(all), files: files, offset: a.offset, snippet: a.snippet}
	from := min(a.offset, len(all))
	to := min(from+a.max, len(all))
	p.items, p.rest = all[from:to], all[to:]
	return p
}

// sortPlaces sorts by path, then position, the file asked about first, each place once.
func sortPlaces(places []lsp.Place, first string) []lsp.Place {
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

// close says on the call what the window left out.
func (p *page) close(c *Call) {
	if len(p.rest) == 0 {
		return
	}
	c.leaves(p.Total, len(p.items), len(p.rest), p.next(c, len(p.items)))
}

func (p *page) next(_ *Call, n int) map[string]any { return map[string]any{"offset": p.offset + n} }

func (p *page) shedSnippets() bool {
	had := p.snippet
	p.snippet = false
	return had
}

func (p *page) size() int { return len(p.items) }

// first is the page with its first n items.
func (p page) first(n int) page {
	p.rest = slices.Concat(p.items[n:], p.rest)
	p.items = p.items[:n]
	return p
}

func (p page) head() pageHead {
	h := pageHead{Total: p.Total, Returned: len(p.items)}
	if len(p.rest) > 0 {
		most := maxLeftOut
		if p.few {
			most = fewLeftOut
		}
		h.LeftOut = leftOut(p.rest, most)
	}
	return h
}

// maxLeftOut bounds the files that are named in left_out; the rest is summed under "…".
const maxLeftOut = 20

// fewLeftOut is that bound where more would leave no room for the items themselves.
const fewLeftOut = 2

// terse makes the page name few files in left_out; false when it does already.
func (p *page) terse() bool {
	had := p.few
	p.few = true
	return !had
}

func leftOut(rest []placeLine, most int) map[string]int {
	counts := map[string]int{}
	for _, r := range rest {
		if counts[r.file] == 0 && len(counts) >= most {
			counts["…"]++
			continue
		}
		counts[r.file]++
	}
	return counts
}

func (p page) group(each func(file string, lines []string)) {
	for i := 0; i < len(p.items); {
		j := i
		var lines []string
		for ; j < len(p.items) && p.items[j].file == p.items[i].file; j++ {
			lines = append(lines, p.items[j].text(p.snippet))
		}
		each(p.items[i].file, lines)
		i = j
	}
}

// summary counts what there is in all, and what of it this page has.
func (p page) summary(what string) string {
	text := counted(p.Total, what)
	if p.Total > 0 {
		text += " in " + counted(p.files, "file")
	}
	if len(p.items) < p.Total {
		text += fmt.Sprintf("; %d shown", len(p.items))
	}
	return text + "."
}

// counted is a number of things in words.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func (l placeLine) text(code bool) string {
	at := strconv.Itoa(l.at.Line) + ":" + strconv.Itoa(l.at.Character)
	if !code || l.code == "" {
		return at
	}
	return at + " " + l.code
}

// limitedAt warns when an answer has exactly the size at which the server cuts without saying so.
func (c *Call) limitedAt(s *lsp.Server, method string, n int) {
	if s.Limited(method, n) {
		c.warn(contract.WarnServerLimit, contract.Facts{"method": method, "limit": n},
			fmt.Sprintf("%s gives at most %d results here; there may be more", s.ID(), n))
	}
}

// tell writes the places of each file below it, as answers have them.
func (p *page) tell(s *sheet) {
	p.group(func(file string, lines []string) {
		s.line(0, "%s (%d)", file, len(lines))
		for _, line := range lines {
			s.line(1, "%s", line)
		}
	})
	s.counts(p.head().LeftOut)
}
