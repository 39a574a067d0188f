package audit

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// maxDerived is how many names of derived classes are looked at for one parameter.
const maxDerived = 20

// judgeKeyword judges the name of an argument, whose parameter the server does not find: the callee takes any names
// (**options of Python), or is not known. It may give them on to the function of the parameter only where that is
// called through something else.
func (v *verdict) judgeKeyword(ctx context.Context, o *occurrence, content string, offset int) judgement {
	callee, begin, end, ok := lang.PythonCallee(content, offset)
	if v.language.ID != "python" || !ok || !v.calledIndirectly(ctx) {
		return elsewhere
	}
	from, _, _ := source.WordAround(content, callee)
	text := source.New(o.path, content)
	called := occurrence{path: o.path, at: text.PositionAt(from), name: content[from:callee], use: lang.CodeUse}
	if v.foreign(ctx, &called) && !slices.ContainsFunc(v.callable(ctx), func(name string) bool {
		return source.HasWord(content[begin:end], name)
	}) {
		return elsewhere
	}
	o.reason = reasonByName
	return doubtful
}

// callable are the names by which the function around a parameter is called: its own, or those of its class and of
// the classes that derive from that.
func (v *verdict) callable(ctx context.Context) []string {
	if v.class == "" || v.function != "__init__" && v.function != "__new__" {
		return []string{v.function}
	}
	names := []string{v.class}
	for i := 0; i < len(names) && i < maxDerived; i++ { // it grows
		derived := regexp.MustCompile(`(?s)\bclass\s+(\w+)\s*(?:\[[^\]]*\])?\([^()]*\b` + regexp.QuoteMeta(names[i]) + `\b`)
		v.eachServed(ctx, names[i:i+1], func(_, content string) bool {
			for _, m := range derived.FindAllStringSubmatch(content, -1) {
				if !slices.Contains(names, m[1]) {
					names = append(names, m[1])
				}
			}
			return false
		})
	}
	return names
}

// eachServed visits the files of the server that hold one of some names, until visit returns true. It returns whether
// that was so, or not all files could be read.
func (v *verdict) eachServed(ctx context.Context, names []string, visit func(path, content string) bool) bool {
	held, all, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, names...)
	for _, h := range held {
		if !v.serves(h.Path) {
			continue
		}
		if text, readErr := v.c.Workspace.Text(h.Path); readErr == nil && visit(h.Path, text.Content()) {
			return true
		}
	}
	return err != nil || !all
}

// calledIndirectly reports whether the function around a parameter is not only called by its name with arguments that
// a reader sees: a call takes them from a value, f(**options), whose keys are then names of parameters; or the function
// is given away as a value, so that others call it.
func (v *verdict) calledIndirectly(ctx context.Context) bool {
	v.mu.Lock()
	if v.indirect == nil {
		v.indirect = sync.OnceValue(func() bool { return v.findIndirect(ctx) })
	}
	indirect := v.indirect
	v.mu.Unlock()
	return indirect()
}

func (v *verdict) findIndirect(ctx context.Context) bool {
	names := v.callable(ctx)
	quoted := []string{regexp.QuoteMeta(v.function)} // super().__init__(**options), too
	for _, name := range names {
		quoted = append(quoted, regexp.QuoteMeta(name))
	}
	spread := regexp.MustCompile(`\b(?:` + strings.Join(quoted, "|") + `)\s*\([^()]*\*\*`)
	return v.eachServed(ctx, names, func(path, content string) (found bool) {
		for _, at := range spread.FindAllStringIndex(content, -1) {
			if !strings.HasSuffix(strings.TrimRight(content[:at[0]], " \t"), "def") {
				return true
			}
		}
		lang.EachOf(path, content, names, func(from, to int, use lang.Use) {
			switch {
			case use == lang.CodeUse && v.language.ID == "python":
				found = found || lang.PythonValue(content, from, to)
			case use == lang.AloneUse && v.class != "" && names[0] == v.function: // methodcaller("draw", depth=2)
				found = true
			}
		})
		return found
	})
}
