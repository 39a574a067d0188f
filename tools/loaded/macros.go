package loaded

import (
	"context"
	"slices"

	"lspi/internal/lang"
	"lspi/tools/answer"
)

// macros adds to the names of the subject the macros and type aliases by which a source may use them,
// going by the files of a project. Such a source holds the name of the macro alone, so it would not
// count without this. When the time ends, every source counts (Any).
func macros(ctx context.Context, c *answer.Call, files []string) {
	with := slices.Clone(c.Subject().Names)
	ctx, cancel := context.WithTimeout(ctx, HoldersLimit)
	defer cancel()
	// A macro may stand in another macro, so each round looks for the names that the round before found, until none
	// is new.
	for found := with; len(found) > 0 && ctx.Err() == nil; {
		var next []string
		for _, path := range files {
			if ctx.Err() == nil {
				next = append(next, lang.OtherNames(path, found)...)
			}
		}
		next = slices.DeleteFunc(next, func(name string) bool { return slices.Contains(with, name) })
		slices.Sort(next)
		found = slices.Compact(next)
		with = append(with, found...)
	}
	c.ChangeSubject(func(about *answer.Subject) {
		about.Names, about.Any = with, about.Any || ctx.Err() != nil
	})
}
