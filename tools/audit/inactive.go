package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// inactiveSearchLimit bounds the search of files for a name between conditions, or in the texts of macros.
const inactiveSearchLimit = 3 * time.Second

// inactiveUses warns of code that the server does not build, because a condition of the preprocessor
// leaves it out, and that holds the name of what is at a place where the answer does not have it. Only
// files in which the name stands between conditions are candidates; which code of these is left out the
// server tells for open files alone. places is a function because the places may cost a request: it is
// called only when there are candidates. may is that of [Conditionals].
func inactiveUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, places func() []lsp.Place,
	may func(line string) bool) {
	if s.Hooks().Conditions == nil || at.Name == "" || lang.Reserved(s.Spec().LanguageID(symbol.Base(at.Path)),
		at.Name) {
		return
	}
	found, all := Conditionals(ctx, c, s, []string{at.Name}, may)
	// Each step takes candidates away, the cheap one first: what the answer has, then what the scope of the symbol
	// excludes.
	if len(found) > 0 {
		covered := symbol.CoveredBy(append(slices.Clone(places()),
			lsp.Place{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}}))
		found = keepUses(found, covered)
	}
	if len(found) > 0 {
		found = withinScope(ctx, c, s, at, found)
	}
	// Whether the server sees the asked symbol at another place; when it does not tell, the place counts as a use.
	same := func(path string, other contract.Position) bool {
		asked, err := s.CheckSymbol(ctx, at.Path, at.At)
		if err != nil {
			return true
		}
		check, err := s.CheckSymbol(ctx, path, other)
		return err != nil || asked.SameAs(check)
	}
	if s.Hooks().SymbolInfo.Method == "" {
		same = nil
	}
	WarnInactive(ctx, c, s, found, all, same, at.Name, "this answer may lack what is there")
}

// Conditionals returns the files of a server with places between conditions that hold one of names, on
// lines that may count (nil: all do), sorted. all is false when the time ended before each file was
// looked at; there are none then, so look at all first. At a server without such conditions there are
// none, and all is true.
func Conditionals(ctx context.Context, c *answer.Call, s *lsp.Snapshot, names []string,
	may func(line string) bool) (out []Conditional, all bool) {
	conditions := s.Hooks().Conditions
	if conditions == nil {
		return nil, true
	}
	return scanned(ctx, c, s, &c.Workspace.Conditional, conditions.Conditional, names, may)
}

// scanned are the files of a server with places that scan finds, as [Conditionals]; words is what is remembered of
// this scan.
func scanned(ctx context.Context, c *answer.Call, s *lsp.Snapshot, words *lang.ConditionalWords,
	scan func(string, []string) []int,
	names []string, may func(line string) bool) (out []Conditional, all bool) {
	ctx, cancel := context.WithTimeout(ctx, inactiveSearchLimit)
	defer cancel()
	folder := s.Root()
	if s.Spec().SharedFolders {
		folder = c.Workspace.Root
	}
	for _, path := range loaded.Sources(c, s, folder) {
		if ctx.Err() != nil {
			return nil, false
		}
		// What a build made, and what dependencies brought, is no source of the project.
		if s.Folders().InBuild(path) {
			continue
		}
		if !words.May(path, names, scan) {
			continue
		}
		text, err := source.Read(path)
		if err != nil {
			continue // gone, or told as unreadable
		}
		var uses []contract.Position
		for _, at := range scan(text.Content(), names) {
			uses = append(uses, text.PositionAt(at))
		}
		if may != nil {
			uses = slices.DeleteFunc(uses, func(at contract.Position) bool { return !may(text.Line(at.Line)) })
		}
		if len(uses) > 0 {
			out = append(out, Conditional{path, uses})
		}
	}
	slices.SortFunc(out, func(a, b Conditional) int { return strings.Compare(a.Path, b.Path) })
	return out, true
}

// withinScope keeps of the places those where what is at a place can be used: it may be a function's own, or a
// file's. All of them are kept where the scope is not known. Where it is, only the declaring file counts, and for a
// local variable only its function.
func withinScope(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	all []Conditional) []Conditional {
	var others []lsp.Uncovered
	for _, f := range all {
		others = append(others, lsp.Uncovered{Path: f.Path})
	}
	declared, ok := loaded.DeclarationOf(ctx, c, s, at)
	others = slices.DeleteFunc(others, func(u lsp.Uncovered) bool { return u.Path == declared.Path })
	// A server with rules for scopes has to confirm that the symbol is confined; at others only a local variable is
	// known to be.
	rules := s.Hooks().Scopes != nil
	if !ok || rules && !loaded.Confined(ctx, c, s, at, others) {
		return all
	}
	symbols, _, err := s.DocumentSymbols(ctx, declared.Path)
	around := symbol.Enclosing(symbols, declared.Range.Start)
	own := len(around) - 1
	local := err == nil && own >= 0 && symbol.IsFunction(around[own].Kind) &&
		!around[own].NameAt.Contains(declared.Range.Start)
	if !rules && !local {
		return all
	}
	return keepUses(all, func(path string, at contract.Position) bool {
		return path != declared.Path || local && !around[own].Range.Contains(at)
	})
}

// WarnInactive asks which of the places lie in code that the server does not build, and warns of these and of those
// about which it did not tell. same reports whether a place is a use that the answer lacks though the server builds
// it; nil means none is. searched is false when the candidates were not found out in time; missing are the words
// for what the answer lacks.
func WarnInactive(ctx context.Context, c *answer.Call, s *lsp.Snapshot, all []Conditional, searched bool,
	same func(string, contract.Position) bool, name, missing string) {
	conditions := s.Hooks().Conditions
	if conditions == nil {
		return
	}
	sign := conditions.ConditionSign
	if !searched {
		c.Warn(contract.WarnNotBuilt, contract.Facts{"server_id": s.ID()},
			"lspi could not find out in time which files contain "+name+" in code that "+sign+
				" leaves out of the build")
		return
	}
	left, unknown := notBuilt(ctx, conditions, all, same)
	if len(left)+len(unknown) == 0 {
		return
	}
	var holders []lsp.Uncovered
	counts := map[string]int{}
	for _, f := range slices.Concat(left, unknown) {
		holders = append(holders, lsp.Uncovered{Path: f.Path, Line: f.uses[0].Line, Reason: lsp.ConditionFalse})
		if len(counts) < answer.MaxShown {
			counts[c.Show(f.Path)] = len(f.uses)
		}
	}
	var said []string
	if n := len(left); n > 0 {
		said = append(said, fmt.Sprintf("%s %s %s in code that %s leaves out of the build, the first at %s; %s",
			answer.Counted(n, "file"), InNumber(n, "contains", "contain"), name, sign, loaded.Show(c, holders[0]), missing))
	}
	if n := len(unknown); n > 0 {
		said = append(said,
			fmt.Sprintf("%s %s %s under %s, the first at %s; lspi could not find out whether %s builds that code",
				answer.Counted(n, "file"), InNumber(n, "contains", "contain"), name, sign, loaded.Show(c, holders[len(left)]),
				s.ID()))
		c.Step(c.Repeat("Repeat the call; the files opened for this one stay open, and the next call opens more.", nil))
	}
	loaded.Warn(c, contract.Facts{"server_id": s.ID(), "counts": counts}, holders, strings.Join(said, "; "))
}

// inactiveCalls is inactiveUses for the items whose callers were asked for: what the server has seen of
// each are its references; where these have the code that is left out, it is what the answer has: callers are the
// functions in it.
func inactiveCalls(ctx context.Context, c *answer.Call, s *lsp.Snapshot, asked []lsp.HierarchyItem,
	callers []lsp.Place) {
	var names []string
	for _, item := range asked {
		names = append(names, symbol.LastComponent(item.Name))
	}
	if s.Hooks().Conditions == nil {
		return
	}
	// One search for all names together: mostly nothing is found, and no item has to be looked at.
	if found, all := Conditionals(ctx, c, s, names, nil); all && len(found) == 0 {
		return
	}
	if s.Hooks().Conditions.RefersToInactive && len(asked) == 1 {
		at := symbol.Located{Path: asked[0].Place.Path, At: asked[0].Place.Range.Start, Name: names[0]}
		inactiveUses(ctx, c, s, at, func() (within []lsp.Place) {
			for _, p := range callers {
				within = append(within, lsp.Place{Path: p.Path, Range: p.Full})
			}
			return within
		}, nil)
		return
	}
	for i, item := range asked {
		inactiveUsesOf(ctx, c, s, symbol.Located{Path: item.Place.Path, At: item.Place.Range.Start, Name: names[i]},
			nil)
	}
}

// inactiveUsesOf is inactiveUses for an answer that does not have all uses of what is at a place. Where
// references include code that is left out, the answer lacks that code all the same.
func inactiveUsesOf(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	may func(line string) bool) {
	inactiveUses(ctx, c, s, at, func() []lsp.Place {
		if s.Hooks().Conditions.RefersToInactive {
			return nil
		}
		known, _ := s.References(ctx, at.Path, at.At, true)
		return known
	}, may)
}

// InNumber returns the form for one thing or for many.
func InNumber(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// AboutCalled says that the answer is about the items whose callers were asked for. Where references have the uses in
// code that is left out, [UsesOfCalled] takes them for known, and callers have none; it warns of these.
func AboutCalled(ctx context.Context, c *answer.Call, s *lsp.Snapshot, asked []lsp.HierarchyItem,
	places []lsp.Place) {
	if conditions := s.Hooks().Conditions; conditions != nil && conditions.RefersToInactive {
		inactiveCalls(ctx, c, s, asked, places)
	}
	for _, item := range asked {
		loaded.About(c, s.Spec().LanguageID(symbol.Base(item.Place.Path)), []lsp.Place{item.Place},
			symbol.LastComponent(item.Name))
		loaded.AlsoAbout(c, item)
	}
}
