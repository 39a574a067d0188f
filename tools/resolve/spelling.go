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
	"lspi/tools/audit"
	"lspi/tools/symbol"
)

// spellingBudget is how long the workspace is read for a word before its servers are asked. Some 10,000 files in the
// page cache are read in it.
const spellingBudget = time.Second

// Spelling are the grounds whose files hold a word, so that their servers may declare it, each with such a file. What
// was not read to its end within the budget counts as holding it; prose and data, which declare nothing that a symbol's
// name means, do not.
func Spelling(ctx context.Context, w *ask.WorkspaceWalk, word string, budget time.Duration) map[*ask.RootFiles]string {
	// The end of this time is no error; see FirstHolding.
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	order := slices.Clone(w.Roots) // small ones first: a huge language must not use up the time of all
	slices.SortStableFunc(order, func(a, b *ask.RootFiles) int { return len(a.Files) - len(b.Files) })
	holding := make([]string, len(order))
	answer.Parallel(len(order), 2, func(i int) { holding[i] = FirstHolding(ctx, code(order[i]), word) })
	out := map[*ask.RootFiles]string{}
	for i, g := range order {
		if holding[i] != "" {
			out[g] = holding[i]
		}
	}
	return out
}

// code are the files of a ground that may declare something.
func code(g *ask.RootFiles) []string {
	return slices.DeleteFunc(slices.Clone(g.Files), func(path string) bool {
		return lang.ByID(g.Route.Spec.LanguageID(symbol.Base(path))).NoSymbols
	})
}

// FirstHolding is the first file that holds a word, or cannot be known not to; "" when there is none. When the time
// is over it is the first file that was not read: a server that may know the name must not be left out because the
// disk was slow.
func FirstHolding(ctx context.Context, files []string, word string) string {
	var buf []byte
	for _, path := range files {
		if ctx.Err() != nil {
			return path
		}
		var holds bool
		if holds, buf = audit.FileHolds(path, []byte(word), buf); holds {
			return path
		}
	}
	return ""
}

// Spelled is the word that a file must hold to declare a name: the longest one in its last component ("~Widget" is
// declared with Widget, "operator<" with operator); "" when there is none.
func Spelled(want []string) string {
	return longer("", strings.FieldsFunc(want[len(want)-1], func(r rune) bool { return !source.IsLetter(r) })...)
}
