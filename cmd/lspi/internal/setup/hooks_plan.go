package setup

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
)

// PlanHooks returns the change that has a host run lspi hook after changes. The error names the file.
func (p Place) PlanHooks(h *Host, s Scope, set HookSet) (*Change, error) {
	file := p.HookFile(h, s)
	if file == "" {
		return nil, fmt.Errorf("%s has no file of hooks for scope %q", h.Title, s)
	}
	c, err := p.planHookFile(h, s, set, file)
	if err != nil {
		return nil, err
	}
	c.Host, c.hooks = h, true
	c.entry = entryFields{{"command", p.ProgramFor(h)}}
	c.again = func() (*Change, error) { return p.PlanHooks(h, s, set) }
	if after := h.AfterHooks(); after != "" && c.Diff != "" {
		c.Notes = append(c.Notes, after)
	}
	if s == Project && filepath.IsAbs(p.ProgramFor(h)) && c.Diff != "" {
		c.Notes = append(c.Notes, ofThisMachine)
	}
	return c, nil
}

func (p Place) planHookFile(h *Host, s Scope, set HookSet, file string) (*Change, error) {
	t, command := hookTables[h.Name], p.hookLine(h)
	if t.own != nil {
		return p.planFile(file, s, t.own(t, command, set))
	}
	c, err := p.open(file, s)
	if err != nil {
		return nil, err
	}
	c.kind = kindHooks
	text := withoutMark(c.before)
	form := jsonObject{strict: t.strict}
	before, err := form.decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	after, added, err := t.editHooks(text, command, set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	// The result is read again: only the hooks of lspi may differ.
	tree, err := form.decode(after)
	if err != nil || !reflect.DeepEqual(withoutHooks(before), withoutHooks(tree)) || len(hookedEvents(tree)) == 0 {
		return nil, fmt.Errorf("%s: the hooks cannot be put in without changing more; add them by hand:\n%s", file,
			shownHooks(h, command, set))
	}
	c.added = strings.Join(added, " ")
	c.set(after)
	return c, nil
}

// takeOutHooks returns the text of a file without the hooks of lspi.
func takeOutHooks(text []byte, r record) ([]byte, error) {
	h := Find(r.Host)
	if h == nil || !h.HasHooks() {
		return nil, fmt.Errorf("there is no host %q with hooks", r.Host)
	}
	form := jsonObject{strict: hookTables[h.Name].strict}
	before, err := form.decode(text)
	if err != nil {
		return nil, err
	}
	after, err := form.removeHooks(text, strings.Fields(r.Added))
	if err != nil {
		return nil, err
	}
	tree, err := form.decode(after)
	if err != nil || len(hookedEvents(tree)) > 0 || !reflect.DeepEqual(withoutHooks(before), withoutHooks(tree)) {
		return nil, errChanged
	}
	return after, nil
}

// quotedText matches a string in JSON or JavaScript.
var quotedText = source.LazyRegexp(`"(?:[^"\\\n]|\\.)*"`)

// HooksState is what one file of a host has of lspi's hooks.
type HooksState struct {
	File    string   // absolute
	Command string   // the command line that the host runs; "" when there are none
	Events  []string // for which it runs; nil in a file that is not read for it
	Err     error    // why the file cannot be read
}

// Hooks reads the hooks of lspi in a host's file. It runs nothing.
func (p Place) Hooks(h *Host, s Scope) (out HooksState) {
	out.File = p.HookFile(h, s)
	if out.File == "" || !exists(out.File) {
		return out
	}
	raw, err := trust.ReadFile(out.File, maxFile)
	if err != nil {
		out.Err = fmt.Errorf("reading %s: %w", out.File, err)
		return out
	}
	t := hookTables[h.Name]
	if t.own != nil {
		for _, word := range quotedText.FindAllString(string(raw), -1) {
			var line string
			if json.Unmarshal([]byte(word), &line) == nil && ours.MatchString(line) {
				out.Command = line
				break
			}
		}
		return out
	}
	tree, err := jsonObject{strict: t.strict}.decode(withoutMark(raw))
	if err != nil {
		out.Err = fmt.Errorf("%s: %w", out.File, err)
		return out
	}
	events := hookedEvents(tree)
	for _, e := range t.events {
		if line := events[e.name]; line != "" {
			out.Events, out.Command = append(out.Events, e.name), line
		}
	}
	return out
}
