package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"lspi/source"
)

// spellingBudget is how long the workspace is read for a word before its servers are asked. Some 10,000 files in the
// page cache are read in it.
const spellingBudget = time.Second

// spelling are the grounds whose files hold a word, so that their servers may declare it, each with such a file. What
// was not read to its end within the budget counts as holding it; prose and data, which declare nothing that a symbol's
// name means, do not.
func (w *workspaceWalk) spelling(ctx context.Context, word string, budget time.Duration) map[*ground]string {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	order := slices.Clone(w.grounds) // small ones first: a huge language must not use up the time of all
	slices.SortStableFunc(order, func(a, b *ground) int { return len(a.files) - len(b.files) })
	holding := make([]string, len(order))
	together(len(order), 2, func(i int) { holding[i] = firstHolding(ctx, order[i].code(), word) })
	out := map[*ground]string{}
	for i, g := range order {
		if holding[i] != "" {
			out[g] = holding[i]
		}
	}
	return out
}

// code are the files of a ground that may declare something.
func (g *ground) code() []string {
	return slices.DeleteFunc(slices.Clone(g.files), func(path string) bool {
		return slices.Contains(noSymbols, g.route.Spec.LanguageID(base(path)))
	})
}

// firstHolding is the first file that holds a word, or cannot be known not to; "" when there is none.
func firstHolding(ctx context.Context, files []string, word string) string {
	var buf []byte
	for _, path := range files {
		if ctx.Err() != nil {
			return path
		}
		var holds bool
		if holds, buf = fileHolds(path, []byte(word), buf); holds {
			return path
		}
	}
	return ""
}

// spelled is the word that a file must hold to declare a name: the longest one in its last component ("~Widget" is
// declared with Widget, "operator<" with operator); "" when there is none.
func spelled(want []string) string {
	return longer("", strings.FieldsFunc(want[len(want)-1], func(r rune) bool { return !source.IsLetter(r) })...)
}
