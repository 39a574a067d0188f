package session

import (
	"path"
	"slices"
	"strings"
)

// Verdict is what a filter says about an entry: [Allowed], or the first reason against it.
type Verdict string

// The verdicts, in the order in which they are looked for.
const (
	Allowed    Verdict = ""
	ByClass    Verdict = "internal" // hosts have no such tools
	ByPreset   Verdict = "preset"
	ByReadOnly Verdict = "read_only"
	BySwitch   Verdict = "off"      // the feature that it needs is not on
	ByExclude  Verdict = "excluded" // it is excluded, which wins over being included
	ByInclude  Verdict = "not_included"
	ByNotNamed Verdict = "read_only_not_named" // read-only mode has it only when it is included by name
)

// Filter is what a session allows. The zero value allows all tools that need no feature and are not
// internal.
type Filter struct {
	// Include are the only tools that there are; nil includes all, and an empty list none. Names are listed ones,
	// and may have * and ? in them.
	Include []string
	// Exclude are tools that are not there, whatever is included.
	Exclude []string
	// Within narrows Include: tools that it does not have are not there. It names none, as a preset does not either
	// ([Entry].Named). nil narrows nothing.
	Within []string
	// Internal: tools of class [Internal] are there, too.
	Internal bool
	// ReadOnly: only tools of class [Read] are there.
	ReadOnly bool
	// Features are those that are on ([Entry].Feature).
	Features []string
	// Preset narrows all of that; nil narrows nothing.
	Preset *Preset
}

// Judge says whether a session has the tool. It looks at nothing but the filter and the entry, so the
// list of tools and a call of one cannot disagree.  The first reason that holds is the one that the host is told.
func (f *Filter) Judge(e *Entry) Verdict {
	readOnly := f.ReadOnly || f.Preset != nil && f.Preset.ReadOnly
	switch {
	case e.Class == Internal && !f.Internal:
		return ByClass
	case f.Preset != nil && !e.Needed && !f.Preset.leavesIn(e):
		return ByPreset
	case readOnly && e.Class != Read:
		return ByReadOnly
	case e.Feature != "" && !slices.Contains(f.Features, e.Feature):
		return BySwitch
	case e.Kept || e.Needed:
		return Allowed
	case matches(f.Exclude, e.Name):
		return ByExclude
	case f.Include != nil && !matches(f.Include, e.Name), f.Within != nil && !matches(f.Within, e.Name):
		return ByInclude
	case readOnly && e.Named && !f.names(e.Name):
		return ByNotNamed
	}
	return Allowed
}

// names reports whether a list names the tool itself; a pattern that matches it is not enough to say
// that somebody wanted this one.
func (f *Filter) names(tool string) bool {
	return slices.Contains(f.Include, tool) || f.Preset != nil && slices.Contains(f.Preset.Tools, tool)
}

// matches reports whether a list has a name, or a pattern (* and ?) that matches it; * stands for any text, that of a
// URI with slashes, too. A broken pattern matches nothing.
func matches(list []string, name string) bool {
	return slices.ContainsFunc(list, func(item string) bool {
		if item == name {
			return true
		}
		ok, err := path.Match(strings.ReplaceAll(item, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
		return err == nil && ok && strings.ContainsAny(item, "*?[")
	})
}
