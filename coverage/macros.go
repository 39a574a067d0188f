package coverage

import (
	"context"
	"slices"

	"lspi/answer"
	"lspi/lang"
)

// macros adds to the names of the subject the macros and the aliases of types by which a source may use them, going by the files of a
// project. Such a source holds the name of the macro alone, so without this it would not count. When the time ends, every source counts
// (Any).
func macros(ctx context.Context, c *answer.Call, files []string) {
	names := c.Subject().Names
	ctx, cancel := context.WithTimeout(ctx, HoldersLimit)
	defer cancel()
	// A macro may stand in another macro, so each round looks for the names that the round before found, until none is new.
	for found := names; len(found) > 0; {
		var next []string
		for _, path := range files {
			if ctx.Err() != nil {
				c.ChangeSubject(func(about *answer.Subject) { about.Any = true })
				return
			}
			next = append(next, lang.OtherNames(path, found)...)
		}
		found = nil
		for _, name := range next {
			if !slices.Contains(names, name) {
				names, found = append(names, name), append(found, name)
			}
		}
	}
	c.ChangeSubject(func(about *answer.Subject) { about.Names = names })
}
