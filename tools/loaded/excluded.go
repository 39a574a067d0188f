package loaded

import (
	"context"
	"slices"
	"strings"
	"time"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// A build (tags, the system, a configuration) leaves sources out, and a server that loads the build reads none of them.
// Uses of a name there are what [audit.Uses] does not find explained. Implementations and searches are about what such
// a source declares, which need not hold a name that is known: they look by declared names and embedded types.

// The bounds of the look at the sources that a build leaves out, the second where the call has time for it. Reading
// all of x/tools takes 60 ms, once; one source of 6 MB can take more than 3 s beside other work.
const (
	exclusionLimit     = 3 * time.Second
	exclusionLongLimit = 10 * time.Second
)

// Excluded warns of sources that the server does not read, though an answer about the whole project of a file (""
// for the workspace) would show what they hold, and returns them; none when the time ended before they were known.
// seen tells the files in the answer, which the server has read for certain: a file outside of the build is in an
// answer after it was opened. may chooses among the sources by the words in them; it is asked for each source that
// is left out.
func Excluded(ctx context.Context, c *answer.Call, s *lsp.Snapshot, asked string, seen func(path string) bool,
	may func(path string, m *lang.Mentions) bool) []lsp.Uncovered {
	ctx, cancel := context.WithTimeout(ctx, ExclusionTime(ctx))
	defer cancel()
	return WarnExcluded(c, s, without(lsp.Excluded(ctx, s.Server, asked, may), seen))
}

// UsesRenamed warns of sources that the server does not read and that may use what is at a place under another name,
// which an export gave it: no word of theirs need be a name of the symbol, so that [audit.Uses] finds nothing there.
func UsesRenamed(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, places []lsp.Place) {
	if givenAway(s, places, []string{at.Name}) {
		Excluded(ctx, c, s, at.Path, InPlaces(places), func(string, *lang.Mentions) bool { return true })
	}
}

// WarnExcluded warns of sources that the server does not read, and returns them where they are known. names are what
// they may hold besides the subject of the call. A single
// element without a path stands for sources that were not found out in time; the warning says that, and nothing is
// returned.
func WarnExcluded(c *answer.Call, s *lsp.Snapshot, found []lsp.Uncovered, names ...string) []lsp.Uncovered {
	if len(found) == 0 {
		return nil
	}
	if !allNamed(found) {
		tell(c, s.ID(), found, "")
		return nil
	}
	// The warning shows the first source, so only its line is looked for.
	found[0].Line = whereHeld(c, found[0].Path, names)
	tell(c, s.ID(), found, whyOutside(s))
	return found
}

// whyOutside says why the build, or the configuration, leaves sources out, in the words of the server's
// row; "" for a row that says nothing of builds.
func whyOutside(s *lsp.Snapshot) string {
	if b := s.Spec().Build; b != nil {
		return b.Why
	}
	return ""
}

// whereHeld returns the first line of a file because of which the file can change the answer: one that holds a name of
// the answer, or one of names. It is 1 where none of these stands in the file, which then matters only by way of other
// files.
func whereHeld(c *answer.Call, path string, names []string) int {
	about := c.Subject()
	// The file was chosen already; whether the question was about it does not matter for the line.
	about.Path, about.Names = nil, slices.Concat(names, about.Names)
	line, _ := in(about, path)
	return max(line, 1)
}

// Declaring returns a filter for the sources that declare a name for which found is true, as a search
// would list it.
func Declaring(found func(name string) bool) func(string, *lang.Mentions) bool {
	return func(_ string, m *lang.Mentions) bool {
		for name := range m.Declared {
			if found(name) {
				return true
			}
		}
		return false
	}
}

// UncoveredTypes is [Excluded] for implementations of what is at a place, or of which it is one. A
// source can hold one without the name of the interface, so it counts when it declares something with
// the name of the symbol or of one of its methods, or embeds it or a type in the answer. The methods
// come from the hover of the symbol, which is asked for only where a source is left out at all.
// It is for Go alone: elsewhere what implements a type names it, so that [audit.Implementers] finds it.
func UncoveredTypes(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, places []lsp.Place) {
	AboutAt(c, s, at, places)
	if lang.Of(at.Path).ID != "go" {
		return
	}
	names := append(namesAt(places), at.Name)
	embeds := func(_ string, m *lang.Mentions) bool {
		return slices.ContainsFunc(names, func(name string) bool { return m.Embedded[name] })
	}
	limit, cancel := context.WithTimeout(ctx, ExclusionTime(ctx))
	defer cancel()
	members := []string{at.Name}
	declares := func(_ string, m *lang.Mentions) bool { return len(m.Declared) > 0 }
	// A source that declares nothing implements nothing. Only where one that does is left out, the methods are
	// worth a request.
	if len(lsp.Excluded(limit, s.Server, at.Path, declares)) > 0 {
		members = append(members, MethodsAt(limit, s, at)...)
	}
	found := lsp.Excluded(limit, s.Server, at.Path, func(path string, m *lang.Mentions) bool {
		return embeds(path, m) || slices.ContainsFunc(members, func(name string) bool { return m.Declared[name] })
	})
	WarnExcluded(c, s, without(found, InPlaces(places)), members...)
}

// MethodsAt returns the names of the methods of a type, as the hover has them; nil for anything else.
func MethodsAt(ctx context.Context, s *lsp.Snapshot, at symbol.Located) []string {
	h, err := s.Hover(ctx, at.Path, at.At)
	if err != nil || h == nil {
		return nil
	}
	return functionsIn(h.Text)
}

// withParameters matches a name with parameters behind it.
var withParameters = source.LazyRegexp(`([\pL_][\pL\d_]*)(?:\[[^\]]*\])?\(`)

// functionsIn returns the names of functions and methods in the fenced parts of a Markdown text: what
// parameters follow there. Names may come twice.
func functionsIn(text string) (out []string) {
	for i, part := range strings.Split(text, "```") {
		// Between the fences, the odd parts are code.
		if i%2 == 0 {
			continue
		}
		for _, m := range withParameters.FindAllStringSubmatch(part, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// namesAt returns the words at which places begin. A place that begins with none (a whole file) adds
// nothing.
func namesAt(places []lsp.Place) []string {
	var out []string
	for _, p := range places {
		if word := symbol.WordAt(p); word != "" {
			out = append(out, word)
		}
	}
	return out
}
