package gopls

import (
	"context"
	"slices"
	"strings"
	"time"

	"lspi/internal/source"
	"lspi/lsp"
)

// Sources with a syntax error: a server knows only what it makes out in front of it, and its answers do not say so.

// parseAhead bounds what is parsed besides the files that hold the name in question, for one answer. A Go source
// takes 75 ms per MB.
const parseAhead = 200 * time.Millisecond

// syntax follows which sources of the build can be parsed.
// It belongs to the sourceTree, and whoever holds the turn of that uses it.
type syntax struct {
	unknown map[string]string      // files that nobody has parsed → the folders of their projects
	broken  map[string]*leftSource // those that have errors
}

// begin enters a file whose text is new.
func (x *syntax) begin(path, project string) {
	x.forget(path)
	if x.unknown == nil {
		x.unknown = map[string]string{}
	}
	x.unknown[path] = project
}

func (x *syntax) forget(path string) {
	delete(x.unknown, path)
	delete(x.broken, path)
}

// parse looks at the files that hold a name, and at others as long as there is time for these; false when ctx ends
// first.
func (x *syntax) parse(ctx context.Context, rules *goBuild, name string) bool {
	ahead := time.Now().Add(parseAhead)
	for path, project := range x.unknown {
		if ctx.Err() != nil {
			return false
		}
		text, err := source.Read(path)
		if err != nil {
			delete(x.unknown, path) // gone, or told as unreadable
			continue
		}
		// A file that holds the name is parsed whatever the time; another one waits for a later question when
		// parseAhead is over. It cannot make this answer incomplete, because nothing in it has the name.
		if !strings.Contains(text.Content(), name) && time.Now().After(ahead) {
			continue
		}
		// From here on it is known: either broken, or sound until its text changes (begin).
		delete(x.unknown, path)
		if rules.parses(path, text.Content()) {
			continue
		}
		if x.broken == nil {
			x.broken = map[string]*leftSource{}
		}
		x.broken[path] = &leftSource{project: project, mentions: rules.mentions(path, text.Content())}
	}
	return true
}

// unparsed is [lsp.CoverageHooks].Unparsed.
func (a *Process) unparsed(ctx context.Context, asked, name string) []lsp.Uncovered {
	late := lsp.Because(lsp.SyntaxError, nil, false)
	var files []string
	l := a.tree
	if name == "" {
		return nil
	}
	release := l.lock(ctx)
	if release == nil {
		return late
	}
	defer release()
	if !l.refresh(ctx) || !l.syntax.parse(ctx, l.rules, name) {
		return late
	}
	// Only those with the name can hold a use of it.
	for path, src := range l.syntax.broken {
		if src.mentions.Words[name] {
			files = append(files, path)
		}
	}
	if len(files) > 0 {
		covered := covers(a.Server, asked)
		files = slices.DeleteFunc(files, func(path string) bool {
			return !covered(path, l.syntax.broken[path].project)
		})
		slices.Sort(files)
	}
	return lsp.Because(lsp.SyntaxError, files, true)
}
