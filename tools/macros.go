package tools

import (
	"context"
	"slices"

	"lspi/lang"
)

// macros adds to the names of the subject the macros and the aliases of types by which a source may use them, going by the
// files of a project.
func (c *Call) macros(ctx context.Context, files []string) {
	c.mu.Lock()
	names := slices.Clone(c.subject.names)
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, holdersLimit)
	defer cancel()
	for found := names; len(found) > 0; {
		var next []string
		for _, path := range files {
			if ctx.Err() != nil {
				c.mu.Lock()
				c.subject.any = true
				c.mu.Unlock()
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
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subject.names = names
}
