package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/fixes"
)

// offeredAction is an action with the id by which a later call chooses it.
type offeredAction struct {
	lsp.Action
	id string
}

// actionSet collects the actions of several questions, each once.
type actionSet struct {
	all  []lsp.Action
	keys map[string]bool
}

// add takes an action. A fix that was asked for about one diagnostic (fixed) is about that one, whether
// or not the server says so; diagnostics at one place have one fix of a title.
func (a *actionSet) add(action lsp.Action, fixed *lsp.Finding) {
	fix := fixes.Below(action.Kind, "quickfix")
	// Servers need not say what a fix is about; it was asked for at this diagnostic alone.
	if fixed != nil && fix && len(action.Fixes) == 0 {
		action.Fixes = []lsp.Finding{*fixed}
		if slices.ContainsFunc(a.all, func(b lsp.Action) bool {
			return b.Title == action.Title && b.Kind == action.Kind && len(b.Fixes) == 1 &&
				b.Fixes[0].Range.Contains(fixed.Range.Start)
		}) {
			return
		}
	}
	if a.keys == nil {
		a.keys = map[string]bool{}
	}
	// The fixes at the diagnostics themselves came before.
	if a.keys[action.Key()] || fixed == nil && fix && a.keys[action.Title] {
		return
	}
	a.keys[action.Key()], a.keys[action.Title] = true, true
	a.all = append(a.all, action)
}

// named gives each action an id that is the same in the next answer about the same text: a digest of
// its kind, its title, what it fixes, and its number among those that are alike.
func (a *actionSet) named(server string) []offeredAction {
	out := make([]offeredAction, 0, len(a.all))
	seen := map[string]int{}
	for _, action := range a.all {
		about := []string{action.Kind, action.Title}
		for _, f := range action.Fixes {
			about = append(about, f.Code, f.Message)
		}
		// Positions are left out: they move with every edit above, and the id of the list has to hold for the preview.
		key := strings.Join(about, "\x00")
		// Four bytes are enough to tell the actions of one place apart, and short to repeat.
		digest := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, seen[key]))
		seen[key]++
		out = append(out, offeredAction{action, server + ":" + hex.EncodeToString(digest[:4])})
	}
	return out
}

// actionItem is an action as answers have it.
type actionItem struct {
	ID        string `json:"id,omitempty"`
	Title     string `json:"title"`
	Kind      string `json:"kind,omitempty"`
	Preferred bool   `json:"preferred,omitempty"`
	Fixes     string `json:"fixes,omitempty"`
}

// maxActionText bounds a title, and a server's reason for a disabled action, in code points.
const maxActionText = 200

// shown returns an action as answers have it.
func (a *offeredAction) shown() *actionItem {
	item := &actionItem{ID: a.id, Title: answer.CutText(a.Title, maxActionText), Kind: a.Kind, Preferred: a.Preferred}
	if len(a.Fixes) > 0 {
		f := a.Fixes[0]
		item.Fixes = fmt.Sprintf("%d:%d %s", f.Range.Start.Line, f.Range.Start.Character, answer.Quoted(f))
		if more := len(a.Fixes) - 1; more > 0 {
			item.Fixes += fmt.Sprintf(" (and %d more)", more)
		}
	}
	return item
}

// codeActionsOut is a list of actions, or the change that one of them makes.
type codeActionsOut struct {
	FilePath   string       `json:"file_path"`
	Total      int          `json:"total,omitempty"`
	Returned   int          `json:"returned,omitempty"`
	Actions    []actionItem `json:"actions,omitempty"`
	Disabled   []string     `json:"disabled,omitempty"`    // what cannot be done here, and why
	EditorOnly []string     `json:"editor_only,omitempty"` // titles of what only an editor can do
	Action     *actionItem  `json:"action,omitempty"`
	edits.ChangeOut

	many     *fixes.Out // of many files; then nothing else
	list     bool
	all      []actionItem
	from, to int // the window
}

// take sorts what is offered: fixes, then refactorings, then source actions, then the rest.
func (o *codeActionsOut) take(found []offeredAction, in codeActionsIn) {
	order := []string{"quickfix", "refactor", "source", ""}
	// The order in which they are of use: mending comes before improving.
	rank := func(a offeredAction) int {
		return slices.IndexFunc(order, func(kind string) bool { return fixes.Below(a.Kind, kind) })
	}
	slices.SortStableFunc(found, func(a, b offeredAction) int { return rank(a) - rank(b) })
	for i := range found {
		switch a := &found[i]; {
		// Kept out of the list, because its id could only be refused.
		case a.Disabled != "":
			o.Disabled = append(o.Disabled, answer.CutText(a.Title, maxActionText)+": "+
				answer.CutText(a.Disabled, maxActionText))
		case a.Editor != "":
			o.EditorOnly = append(o.EditorOnly, answer.CutText(a.Title, maxActionText))
		default:
			o.all = append(o.all, *a.shown())
		}
	}
	o.Total = len(o.all)
	o.from = min(in.Offset, o.Total)
	o.to = min(o.from+in.MaxResults, o.Total)
}

// close tells the call what the window left out, and offers to preview the first action.
func (o *codeActionsOut) close(c *answer.Call) {
	if o.from < o.Total {
		c.Step(c.Repeat("Preview an action, here the first.", map[string]any{"action": o.all[o.from].ID,
			"offset": nil}))
	}
	if o.to < o.Total {
		c.Leaves(o.Total, o.to-o.from, o.Total-o.to, o.nextArguments(o.to-o.from))
	}
}

// MarshalJSON writes the list, or the change that one action makes.
func (o codeActionsOut) MarshalJSON() ([]byte, error) {
	if o.many != nil {
		return contract.Marshal(o.many)
	}
	if !o.list && o.Short() {
		return contract.Marshal(o.ChangeOut.Shown())
	}
	if !o.list {
		return contract.Marshal(struct {
			FilePath string      `json:"file_path"`
			Action   *actionItem `json:"action"`
			edits.ChangeFields
		}{o.FilePath, o.Action, o.ChangeOut.Shown()})
	}
	return contract.Marshal(struct {
		FilePath   string       `json:"file_path"`
		Total      int          `json:"total"`
		Returned   int          `json:"returned"`
		Actions    []actionItem `json:"actions"`
		Disabled   []string     `json:"disabled,omitempty"`
		EditorOnly []string     `json:"editor_only,omitempty"`
	}{o.FilePath, o.Total, o.to - o.from, append([]actionItem{}, o.all[o.from:o.to]...), o.Disabled, o.EditorOnly})
}

// Size counts actions in a list, and what [edits.ChangeOut.Size] counts in a change.
func (o *codeActionsOut) Size() int {
	if o.many != nil {
		return o.many.Size()
	}
	if o.list {
		return o.to - o.from
	}
	return o.ChangeOut.Size()
}

// Cut keeps the first n actions, or the changes of the first files.
func (o *codeActionsOut) Cut(n int) any {
	less := *o
	switch {
	case o.many != nil:
		many := *o.many
		many.ChangeOut = many.First(n)
		less.many = &many
	case o.list:
		less.to = less.from + n
	default:
		less.ChangeOut = o.ChangeOut.First(n)
	}
	return &less
}

// Tell writes the list, or the action with its change.
func (o *codeActionsOut) Tell(s *answer.Sheet) {
	if o.many != nil {
		o.many.Tell(s)
		return
	}
	if !o.list {
		o.Action.Tell(s)
		o.ChangeOut.Tell(s)
		return
	}
	for i := range o.all[o.from:o.to] {
		o.all[o.from+i].Tell(s)
	}
	for _, disabled := range o.Disabled {
		s.Line(0, "not possible here: %s", disabled)
	}
	for _, title := range o.EditorOnly {
		s.Line(0, "only an editor can do: %s", title)
	}
}

// Tell writes the id first, since that is what the next call needs.
func (a *actionItem) Tell(s *answer.Sheet) {
	text := strings.TrimSpace(a.ID+" "+a.Kind) + ": " + a.Title
	if a.Preferred {
		text += " (preferred)"
	}
	if a.Fixes != "" {
		text += "; fixes " + a.Fixes
	}
	s.Line(0, "%s", text)
}

func (o *codeActionsOut) ShedSnippets() bool {
	if o.many != nil {
		return o.many.ShedSnippets()
	}
	return !o.list && o.ChangeOut.ShedSnippets()
}

// Terse leaves out what cannot be chosen anyway.
func (o *codeActionsOut) Terse() bool {
	if o.many != nil {
		return o.many.Terse()
	}
	if !o.list {
		return o.ChangeOut.Terse()
	}
	had := len(o.EditorOnly)+len(o.Disabled) > 0
	o.EditorOnly, o.Disabled = nil, nil
	return had
}

func (o *codeActionsOut) Steps(c *answer.Call, n int) []contract.NextStep {
	if o.many != nil {
		return o.many.Steps(c, n)
	}
	if !o.list {
		return o.ChangeOut.Steps(c, n)
	}
	return []contract.NextStep{c.Repeat(answer.ContinueHere, o.nextArguments(n))}
}

func (o *codeActionsOut) nextArguments(n int) map[string]any {
	return map[string]any{"offset": o.from + n}
}

// Summary is the text beside the answer.
func (o *codeActionsOut) Summary() string {
	if o.many != nil {
		return o.many.Summary()
	}
	if !o.list {
		return fmt.Sprintf("%s: %s", o.Action.Title, o.ChangeOut.Summary())
	}
	return answer.Counted(o.Total, "action") + " available."
}
