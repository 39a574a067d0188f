package resolve

import (
	"context"
	"slices"
	"strings"
	"time"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// spellingBudget is how long files are read for a word before their servers are asked. It is enough for
// some 10,000 files in the page cache.
const spellingBudget = time.Second

// RootsHolding returns the roots whose files hold a word, each with such a file: only their servers can
// declare a symbol of that name. What was not read to its end within the budget counts as holding it;
// prose and data, which declare no symbols, do not.
func RootsHolding(ctx context.Context, w *ask.WorkspaceWalk, word string,
	budget time.Duration) map[*ask.RootFiles]string {
	// The end of this time is no error; see FirstHolding.
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	order := slices.Clone(w.Roots) // small ones first: a huge language must not use up the time of all
	slices.SortStableFunc(order, func(a, b *ask.RootFiles) int { return len(a.Files) - len(b.Files) })
	holding := make([]string, len(order))
	answer.Parallel(len(order), 2, func(i int) { holding[i] = FirstHolding(ctx, codeFiles(order[i]), word) })
	out := map[*ask.RootFiles]string{}
	for i, g := range order {
		if holding[i] != "" {
			out[g] = holding[i]
		}
	}
	return out
}

// codeFiles returns the files of a root that may declare something.
func codeFiles(g *ask.RootFiles) []string {
	return slices.DeleteFunc(slices.Clone(g.Files), func(path string) bool {
		return lang.ByID(g.Route.Spec.LanguageID(symbol.Base(path))).NoSymbols
	})
}

// FirstHolding returns the first file that holds a word, or cannot be known not to; "" when there is
// none. When the time is over it is the first file that was not read: a server that may know the name
// must not be left out because the disk was slow.
func FirstHolding(ctx context.Context, files []string, word string) string {
	var buf []byte
	for _, path := range files {
		if ctx.Err() != nil {
			return path
		}
		var holds bool
		if holds, buf = source.FileHolds(path, []byte(word), buf); holds {
			return path
		}
	}
	return ""
}

// FileWord returns the word that a file has to hold to declare a name: the longest one in its last
// component ("~Widget" is declared with Widget, "operator<" with operator); "" when there is none.
func FileWord(want []string) string {
	return longer("", strings.FieldsFunc(want[len(want)-1], func(r rune) bool { return !source.IsLetter(r) })...)
}
