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
	names, all := withOtherNames(ctx, files, c.Subject().Names)
	c.ChangeSubject(func(about *answer.Subject) {
		if !all {
			about.Any = true
			return
		}
		about.Names = names
	})
}

// withOtherNames returns names with the macros and type aliases by which a source may use what has one
// of them. all is false when the time ended before each file was looked at.
func withOtherNames(ctx context.Context, files, names []string) (with []string, all bool) {
	with = slices.Clone(names)
	ctx, cancel := context.WithTimeout(ctx, HoldersLimit)
	defer cancel()
	// A macro may stand in another macro, so each round looks for the names that the round before found, until none
	// is new.
	for found := with; len(found) > 0; {
		var next []string
		for _, path := range files {
			if ctx.Err() != nil {
				return with, false
			}
			next = append(next, lang.OtherNames(path, found)...)
		}
		found = nil
		for _, name := range next {
			if !slices.Contains(with, name) {
				with, found = append(with, name), append(found, name)
			}
		}
	}
	return with, true
}
