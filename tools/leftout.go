package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/adapter"
	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// The bounds of the look at the sources that a build leaves out, the second where the call has time for it. Reading all of x/tools takes
// 60 ms, once; one source of 6 MB can take more than 3 s beside other work.
const (
	leftOutLimit     = 3 * time.Second
	leftOutLongLimit = 10 * time.Second
)

// leftOutTime is the bound for a call that ends with ctx.
func leftOutTime(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return leftOutLongLimit
	}
	return min(leftOutLongLimit, max(leftOutLimit, time.Until(deadline)/2))
}

// maxLeftOutShown bounds the files that a warning names.
const maxLeftOutShown = 5

// leftOut warns of sources that the server does not read, though an answer about the whole project of a file ("" for the
// workspace) would show what they hold, and returns them. seen tells the files in the answer, which it has read for
// certain.
func (c *Call) leftOut(ctx context.Context, s *lsp.Server, asked string, seen func(path string) bool,
	may func(path string, m *lang.Mentions) bool) []string {
	ctx, cancel := context.WithTimeout(ctx, leftOutTime(ctx))
	defer cancel()
	files, all := adapter.LeftOut(ctx, s, asked, may)
	return c.leaveOut(s, slices.DeleteFunc(files, seen), all, asked)
}

// leftOutUses is leftOut for the uses of what is at a place: sources that hold its name, and import what they need to use
// it.
func (c *Call) leftOutUses(ctx context.Context, s *lsp.Server, at spot, places []lsp.Place) {
	c.uncompiledUses(ctx, s, at.name, places)
	unbuiltUses(ctx, c, s, at, func() []lsp.Place { return places }, nil)
	ctx, cancel := context.WithTimeout(ctx, leftOutTime(ctx))
	defer cancel()
	unparsedUses(ctx, c, s, at, places)
	unclosedUses(ctx, c, s, at, places)
	may := mentioning(at.name)
	if givenAway(s, places, []string{at.name}) {
		may = func(string, *lang.Mentions) bool { return true }
	}
	files, all := adapter.LeftOut(ctx, s, at.path, may)
	files = slices.DeleteFunc(files, inPlaces(places))
	if len(files) > 0 {
		if declared, ok := c.declaration(ctx, s, at); ok {
			files = adapter.MayUse(ctx, s, files, at.name, declared)
		}
	}
	c.leaveOut(s, files, all, at.path)
}

// leftOutCallers is leftOutUses for each of the items whose callers were asked for.
func (c *Call) leftOutCallers(ctx context.Context, s *lsp.Server, at spot, places []lsp.Place, asked []lsp.HierarchyItem) {
	if len(adapter.Uncompiled(ctx, s, s.Root()))+len(adapter.Untold(ctx, s, s.Root())) > 0 { // a declaration in a header is a place that holds the name, and no call
		if known, err := s.References(ctx, at.path, at.at, true); err == nil {
			c.uncompiledUses(ctx, s, at.name, known)
		}
	}
	unbuiltCalls(ctx, c, s, asked)
	ctx, cancel := context.WithTimeout(ctx, leftOutTime(ctx))
	defer cancel()
	var out []string
	for _, item := range asked {
		unparsedCalls(ctx, c, s, item)
		name := lastComponent(item.Name)
		c.about(s.Spec().LanguageID(base(item.Place.Path)), []lsp.Place{item.Place}, at.name, name)
		c.alsoAbout(item)
		files, all := adapter.LeftOut(ctx, s, at.path, mentioning(name))
		if !all {
			c.leaveOut(s, nil, false, at.path)
			return
		}
		out = append(out, adapter.MayUse(ctx, s, slices.DeleteFunc(files, inPlaces(places)), name, item.Place)...)
	}
	slices.Sort(out)
	c.leaveOut(s, slices.Compact(out), true, at.path)
}

// linkerUses warns of places in assembly and in go:linkname directives that name what is at a place, where the answer does not have
// them: the server does not look there. For callers the beginning of a function's code does not count.
func linkerUses(ctx context.Context, c *Call, s *lsp.Server, at spot, found []lsp.Place, callers bool) {
	ctx, cancel := context.WithTimeout(ctx, leftOutTime(ctx))
	defer cancel()
	files, all := adapter.HoldLinkerName(ctx, s, at.name)
	if !all {
		c.warn(contract.WarnPartFailed, contract.Facts{"part": "assembly", "server_id": s.ID()},
			"whether assembly or a go:linkname directive names "+at.name+" could not be found out in time")
	}
	if len(files) == 0 {
		return
	}
	declared, ok := c.declaration(ctx, s, at)
	if ok && declared.Range.Start.Line == 0 { // the place itself
		declared.Range.Start = at.at
	}
	uses := slices.DeleteFunc(adapter.LinkerUses(ctx, s, files, at.name, declared), func(u adapter.LinkerUse) bool {
		return u.Defines && callers || slices.ContainsFunc(found, func(p lsp.Place) bool { return p.Path == u.Path && p.Range.Start.Line == u.Line })
	})
	if len(uses) == 0 {
		return
	}
	var paths []string
	for _, u := range uses {
		paths = append(paths, u.Path)
	}
	message := fmt.Sprintf("the name %s at %s:%d is not in this answer: %s does not look into assembly and go:linkname directives",
		at.name, c.show(uses[0].Path), uses[0].Line, s.ID())
	if len(uses) > 1 {
		message = fmt.Sprintf("%d places with the name %s are not in this answer, the first at %s:%d: %s does not look into assembly and go:linkname directives",
			len(uses), at.name, c.show(uses[0].Path), uses[0].Line, s.ID())
	}
	c.warn(contract.WarnDynamicUses, dynamicFacts(c, at.name, paths), message)
}

// declaration is where what is at a place is declared; ok is false where that is not one place.
func (c *Call) declaration(ctx context.Context, s *lsp.Server, at spot) (lsp.Place, bool) {
	if declared, ok := adapter.Declared(s, at.path, at.at); ok {
		return declared, true
	}
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.path, at.at)
	if err != nil || len(places) != 1 || places[0].Err != nil {
		return lsp.Place{}, false
	}
	return places[0], true
}

// leaveOut adds the warning. asked is the file of the question, "" without one.
func (c *Call) leaveOut(s *lsp.Server, files []string, all bool, asked string, names ...string) []string {
	if !all {
		c.warn(contract.WarnUnlistedSources, contract.Facts{"server_id": s.ID()},
			s.ID()+" does not read every source file, and whether others matter here could not be found out in time")
		return nil
	}
	if len(files) == 0 {
		return nil
	}
	found := make([]holder, len(files))
	for i, path := range files {
		found[i].path = path
	}
	found[0].line = whereHeld(c, files[0], asked, names)
	which := fmt.Sprintf("%d source files that hold such a name, the first at %s", len(files), found[0].show(c))
	if len(files) == 1 {
		which = found[0].show(c) + ", which holds such a name"
	}
	c.warnHolders(contract.WarnUnlistedSources, contract.Facts{}, found, fmt.Sprintf(
		"%s does not read %s, because %s; what that holds is missing here", s.ID(), which, s.Spec().Build.Why))
	return files
}

// whereHeld is the first line of a file because of which it can change the answer: one that holds a name that the answer is
// about, or one of names, else one that names the file of the question, as an import does.
func whereHeld(c *Call, path, asked string, names []string) int {
	c.mu.Lock()
	about := c.subject
	names = append(slices.Clone(names), about.names...)
	c.mu.Unlock()
	about.path = nil
	if line, ok := about.in(path); ok && line > 0 {
		return line
	}
	if line, ok := (subject{names: names}).in(path); ok && line > 0 && len(names) > 0 {
		return line
	}
	stem, _, _ := strings.Cut(base(asked), ".")
	text, err := source.Read(path)
	for n := 1; err == nil && stem != "" && n <= text.Lines(); n++ {
		if source.MayHoldWord([]byte(text.Line(n)), []byte(stem)) {
			return n
		}
	}
	return 1 // by way of other files
}

// mentioning are the sources that hold one of the names.
func mentioning(names ...string) func(string, *lang.Mentions) bool {
	return func(_ string, m *lang.Mentions) bool {
		return slices.ContainsFunc(names, func(name string) bool { return m.Words[name] })
	}
}

// inPlaces reports whether a file is among those of places.
func inPlaces(places []lsp.Place) func(string) bool {
	return func(path string) bool {
		return slices.ContainsFunc(places, func(p lsp.Place) bool { return p.Path == path })
	}
}

// declaring are the sources that declare what a search would find.
func declaring(found func(name string) bool) func(string, *lang.Mentions) bool {
	return func(_ string, m *lang.Mentions) bool {
		for name := range m.Declared {
			if found(name) {
				return true
			}
		}
		return false
	}
}

// leftOutTypes is leftOut for implementations of what is at a place, or of which it is one: sources that declare a method
// of the same name as it or one of its members (of interfaces only, where nothing else is related to it), or that embed it or a type in the answer. Its hover tells its members.
func (c *Call) leftOutTypes(ctx context.Context, s *lsp.Server, at spot, places []lsp.Place) {
	names := append(namesAt(places), at.name)
	c.aboutAt(s, at, places)
	unbuiltTypes(ctx, c, s, at)
	embeds := func(_ string, m *lang.Mentions) bool {
		return slices.ContainsFunc(names, func(name string) bool { return m.Embedded[name] })
	}
	limit, cancel := context.WithTimeout(ctx, leftOutTime(ctx))
	defer cancel()
	members, concrete := []string{at.name}, false
	methods := func(_ string, m *lang.Mentions) bool { return len(m.Methods) > 0 }
	if files, all := adapter.LeftOut(limit, s, at.path, methods); len(files) > 0 || !all {
		if h, err := s.Hover(limit, at.path, at.at); err == nil && h != nil {
			members, concrete = append(members, wordsOfCode(h.Text)...), adapter.Concrete(s, withoutFence(h.Text))
		}
	}
	files, all := adapter.LeftOut(limit, s, at.path, func(path string, m *lang.Mentions) bool {
		return embeds(path, m) || slices.ContainsFunc(members, func(name string) bool {
			return m.Abstract[name] || m.Methods[name] && !concrete
		})
	})
	c.leaveOut(s, slices.DeleteFunc(files, inPlaces(places)), all, at.path, members...)
}

// withoutFence is the text of a hover from the line behind its first fence on.
func withoutFence(text string) string {
	_, code, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return code
}

// wordsOfCode are the words in the fenced parts of Markdown.
func wordsOfCode(text string) []string {
	var out []string
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			out = append(out, strings.FieldsFunc(part, func(r rune) bool { return !source.IsWord(r) })...)
		}
	}
	return out
}

// namesAt are the words that places begin with.
func namesAt(places []lsp.Place) []string {
	var out []string
	for _, p := range places {
		i := byteOffset(p.Line, p.Range.Start.Character)
		if from, to, ok := source.WordAround(p.Line, i); ok {
			out = append(out, p.Line[from:to])
		}
	}
	return out
}
