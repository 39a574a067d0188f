package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	read := &Entry{Name: "hover", Provider: LSP}
	write := &Entry{Name: "rename_symbol", Provider: LSP, Class: Write}
	control := &Entry{Name: "stop_server", Provider: LSP, Class: Control}
	status := &Entry{Name: "list_servers", Provider: LSP, Kept: true}
	dry := &Entry{Name: "check_edit", Provider: LSP, Named: true}
	raw := &Entry{Name: "lsp_request", Provider: LSP, Class: Write, Feature: "raw"}
	bind := &Entry{Name: "bind_workspace", Provider: LSP, Needed: true, Feature: "bind"}
	reload := &Entry{Name: "reload", Provider: LSP, Class: Internal}
	echo := &Entry{Name: "everything__echo", Provider: ServerProvider("everything")}
	for name, c := range map[string]struct {
		filter Filter
		entry  *Entry
		want   Verdict
	}{
		"all":                          {Filter{}, write, Allowed},
		"internal":                     {Filter{}, reload, ByClass},
		"internal at the control door": {Filter{Internal: true}, reload, Allowed},
		"included by nobody":           {Filter{Include: []string{}}, read, ByInclude},
		"not included":                 {Filter{Include: []string{"hover"}}, write, ByInclude},
		"included":                     {Filter{Include: []string{"hover"}}, read, Allowed},
		"included by a pattern":        {Filter{Include: []string{"everything__*"}}, echo, Allowed},
		"a pattern of another server":  {Filter{Include: []string{"other__*"}}, echo, ByInclude},
		"a pattern that is none":       {Filter{Include: []string{"[x"}}, echo, ByInclude},
		"included, but not within": {Filter{Include: []string{"hover"}, Within: []string{"other"}}, read,
			ByInclude},
		"within, but not included": {Filter{Include: []string{"other"}, Within: []string{"hover"}}, read,
			ByInclude},
		"within nothing":                 {Filter{Within: []string{}}, echo, ByInclude},
		"within a pattern of its server": {Filter{Within: []string{"everything__*"}}, echo, Allowed},
		"within names no tool":           {Filter{ReadOnly: true, Within: []string{"check_edit"}}, dry, ByNotNamed},
		"exclusion wins": {Filter{Include: []string{"hover"}, Exclude: []string{"hover"}}, read,
			ByExclude},
		"kept, whatever is included":     {Filter{Include: []string{}}, status, Allowed},
		"kept, whatever is excluded":     {Filter{Exclude: []string{"list_servers"}}, status, Allowed},
		"left out by a preset":           {Filter{Preset: &Preset{Tools: []string{"hover"}}}, status, ByPreset},
		"an empty preset":                {Filter{Preset: &Preset{Tools: []string{}}}, read, ByPreset},
		"a preset without tools":         {Filter{Preset: &Preset{}}, write, Allowed},
		"a preset of another server":     {Filter{Preset: &Preset{Servers: []string{"gopls"}}}, echo, ByPreset},
		"a preset of servers, own tools": {Filter{Preset: &Preset{Servers: []string{"gopls"}}}, read, Allowed},
		"a preset of the server":         {Filter{Preset: &Preset{Servers: []string{"everything"}}}, echo, Allowed},
		"a preset brings nothing back": {Filter{Exclude: []string{"hover"},
			Preset: &Preset{Tools: []string{"hover"}}}, read, ByExclude},
		"read-only":                       {Filter{ReadOnly: true}, write, ByReadOnly},
		"read-only, control":              {Filter{ReadOnly: true}, control, ByReadOnly},
		"read-only by a preset":           {Filter{Preset: &Preset{ReadOnly: true}}, write, ByReadOnly},
		"read-only, nobody named it":      {Filter{ReadOnly: true}, dry, ByNotNamed},
		"read-only, a pattern is no name": {Filter{ReadOnly: true, Include: []string{"*"}}, dry, ByNotNamed},
		"read-only, named":                {Filter{ReadOnly: true, Include: []string{"check_edit"}}, dry, Allowed},
		"read-only, named by a preset": {Filter{ReadOnly: true, Preset: &Preset{Tools: []string{"check_edit"}}},
			dry, Allowed},
		"off": {Filter{}, raw, BySwitch},
		"on":  {Filter{Features: []string{"raw"}}, raw, Allowed},
		"needed": {Filter{Features: []string{"bind"}, Include: []string{},
			Preset: &Preset{Tools: []string{}}}, bind, Allowed},
		"needed, but the feature is not on": {Filter{}, bind, BySwitch},
	} {
		if got := c.filter.Judge(c.entry); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The list and the calls agree, for random registries, presets and spellings: a name in any spelling leads to a
// tool that may be called if and only if the list has the tool.
func TestListAndCallsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	some := func(of []string) []string {
		switch r.IntN(4) {
		case 0:
			return nil
		case 1:
			return []string{}
		}
		var out []string
		for _, s := range of {
			if r.IntN(2) == 0 {
				out = append(out, s)
			}
		}
		return append(out, "everything__*")[:max(0, len(out)-r.IntN(2))]
	}
	for range 5000 {
		var entries []*Entry
		var names []string
		servers := []string{"everything", "files", "gopls", "a-b"}
		for i := range 12 {
			e := &Entry{Name: fmt.Sprintf("tool_%d", i), Provider: LSP, Class: Class(r.IntN(4)), Kept: r.IntN(4) == 0,
				Named: r.IntN(4) == 0, Needed: r.IntN(9) == 0}
			if r.IntN(2) == 0 {
				id := servers[r.IntN(len(servers))]
				e.Name, e.Provider = ServerTool(id, e.Name), ServerProvider(id)
			}
			if r.IntN(3) == 0 {
				e.Feature = "feature"
			}
			entries, names = append(entries, e), append(names, e.Name)
		}
		f := &Filter{Include: some(names), Exclude: some(names), Within: some(names), Internal: r.IntN(8) == 0,
			ReadOnly: r.IntN(2) == 0, Features: some([]string{"feature"})}
		if r.IntN(2) == 0 {
			f.Preset = &Preset{Name: "p", Tools: some(names), Servers: some(servers), ReadOnly: r.IntN(2) == 0}
		}
		set := NewSet(entries...)
		list := set.List(f)
		for _, e := range entries {
			listed := slices.Contains(list, e)
			for _, spelling := range []string{e.Name, strings.Replace(e.Name, "__", ":", 1)} {
				found := set.Find(spelling)
				if found != e {
					t.Fatalf("%q leads to %v", spelling, found)
				}
				if callable := f.Judge(found) == Allowed; callable != listed {
					t.Fatalf("%s as %q: listed %v, callable %v, by %+v of %+v", e.Name, spelling, listed, callable, f,
						e)
				}
			}
			switch {
			case !listed:
			case e.Class == Internal && !f.Internal, e.Class != Read && f.ReadOnly,
				f.Preset != nil && !e.Needed && !f.Preset.leavesIn(e), matches(f.Exclude, e.Name) && !e.Kept && !e.Needed,
				f.Within != nil && !matches(f.Within, e.Name) && !e.Kept && !e.Needed:
				t.Fatalf("%+v is listed by %+v", e, f)
			}
		}
	}
}

func TestFind(t *testing.T) {
	first := &Entry{Name: "a__b", Provider: ServerProvider("a")}
	s := NewSet(first, &Entry{Name: "a__b", Provider: ServerProvider("other")}, &Entry{Name: "hover"})
	for name, want := range map[string]*Entry{"a__b": first, "a:b": first, "a": nil, ":": nil, "a:": nil, ":b": nil,
		"hover:": nil, "a:b:c": nil} {
		if got := s.Find(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if n := len(s.All()); n != 2 {
		t.Errorf("%d entries", n)
	}
}

// A preset chooses prompts and resources by patterns, in which * goes over slashes, and tells which of its patterns of
// tools match nothing.
func TestPresetPatterns(t *testing.T) {
	p := &Preset{Tools: []string{"find_*", "hover", "nope_*", "no"}, Prompts: []string{"a__*"},
		Resources: []string{"file://*.md", "x://{id}"}}
	for name, want := range map[string]bool{"a__one": true, "b__one": false} {
		if p.HasPrompt(name) != want {
			t.Errorf("the prompt %s: %v", name, !want)
		}
	}
	for uri, want := range map[string]bool{"file:///a/b.md": true, "file:///a/b.go": false, "x://{id}": true,
		"x://1": false} {
		if p.HasResource(uri) != want {
			t.Errorf("the resource %s: %v", uri, !want)
		}
	}
	all := &Preset{Resources: []string{}}
	if !all.HasPrompt("b__one") || all.HasResource("x://1") || !(*Preset)(nil).HasResource("x://1") {
		t.Error("nil leaves out nothing, and an empty list everything")
	}
	if got := p.Idle([]string{"find_references", "hover"}); !slices.Equal(got, []string{"nope_*", "no"}) {
		t.Errorf("%q match nothing", got)
	}
}
