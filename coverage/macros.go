package coverage

import (
	"context"
	"slices"

	"lspi/answer"
	"lspi/lang"
)

// macros adds to the names of the subject the macros and the aliases of types by which a source may use them, going by the
// files of a project.
func macros(ctx context.Context, c *answer.Call, files []string) {
	names := c.Subject().Names
	ctx, cancel := context.WithTimeout(ctx, HoldersLimit)
	defer cancel()
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
