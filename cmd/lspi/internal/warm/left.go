package warm

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/doctor"
	"lspi/contract"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// codeFiles is how many files of code each server has, or would have if it were installed, in the whole workspace.
type codeFiles struct {
	of  map[*spec.Spec]int
	all int
}

// countCode counts the files of code, whether or not their server is started.
func countCode(walk *ask.WorkspaceWalk) codeFiles {
	c := codeFiles{of: map[*spec.Spec]int{}}
	for _, g := range walk.Roots {
		c.add(g.Route.Spec, g.Files)
	}
	for pattern, sp := range walk.Missing {
		c.add(sp, walk.Unserved[pattern])
	}
	return c
}

func (c *codeFiles) add(sp *spec.Spec, files []string) {
	n := len(codeOf(sp, files))
	c.of[sp] += n
	c.all += n
}

// codeOf are the files that are code, and not such as configuration or prose.
func codeOf(sp *spec.Spec, files []string) (out []string) {
	for _, path := range files {
		if !servers.OptionalLanguage(sp.LanguageID(filepath.Base(path))) {
			out = append(out, path)
		}
	}
	return out
}

// needs reports whether the workspace needs a server: it has more than a few files of code beside the rest, or there
// is no code.
func (c codeFiles) needs(sp *spec.Spec) bool {
	most := slices.Max(append(slices.Collect(maps.Values(c.of)), 0))
	return c.of[sp] == most || c.of[sp]*doctor.StrayShare >= c.all
}

// needsPart reports whether the workspace needs what was left out of a server that it needs: more than a few of that
// server's files. Where nothing is code, a server that is there is enough.
func (c codeFiles) needsPart(l left) bool {
	return l.code > 0 && c.needs(l.spec) && l.code*doctor.StrayShare >= c.of[l.spec]
}

// left is what is not warmed of one server, for one reason.
type left struct {
	spec  *spec.Spec
	roots []string // of projects; none of a server that is not installed
	files int
	code  int // how many of them are code
	why   string
	next  string // what to do about it
}

// leftOf is all for which walk has no route.
func leftOf(walk *ask.WorkspaceWalk) (out []left) {
	at := func(sp *spec.Spec, why, next string) *left {
		i := slices.IndexFunc(out, func(l left) bool { return l.spec == sp && l.why == why })
		if i < 0 {
			i, out = len(out), append(out, left{spec: sp, why: why, next: next})
		}
		return &out[i]
	}
	for _, g := range walk.Roots {
		if slices.ContainsFunc(walk.Routes, func(r router.Route) bool { return same(r, g.Route) }) {
			continue
		}
		sp, one := g.Route.Spec, "lspi warm "+contract.ShellWord(g.Route.Root)
		if walk.IsNested(g) { // only a question that names a file of it is about it
			at(sp, "they are of projects inside of this one", one).files += len(g.Files)
			continue
		}
		why, next := "lspi warms only so many projects of one server", one+", and likewise for each further one"
		if p := sp.Project; g.Route.Unlisted() {
			why, next = "there is no "+strings.Join(p.Files, " or ")+" for them", p.Hint
		}
		l := at(sp, why, next)
		l.roots = append(l.roots, g.Route.Root)
		l.add(g.Files)
	}
	for _, pattern := range slices.Sorted(maps.Keys(walk.Missing)) {
		sp := walk.Missing[pattern]
		at(sp, sp.ID+" is not installed", "lspi doctor says how to install it").add(walk.Unserved[pattern])
	}
	return out
}

func (l *left) add(files []string) {
	l.files, l.code = l.files+len(files), l.code+len(codeOf(l.spec, files))
}

// failed is the entry of the report for what is needed.
func (l *left) failed(workspace string) Server {
	s := Server{ID: l.spec.ID, Root: workspace, Files: l.files, Needed: true, Caches: []Cache{}, Error: l.why,
		Next: []string{l.next}}
	if len(l.roots) == 1 {
		s.Root = l.roots[0]
	} else if len(l.roots) > 1 {
		s.Error = fmt.Sprintf("%s in %s", l.why, answer.Counted(len(l.roots), "project"))
	}
	return s
}

// same reports whether two routes are of the same files: at one root some may be in a project, and others not.
func same(a, b router.Route) bool {
	return a.Spec == b.Spec && a.Root == b.Root && a.Unlisted() == b.Unlisted()
}
