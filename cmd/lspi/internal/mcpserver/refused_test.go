package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// refusals are the kinds of errors of tools that a session does not have.
var refusals = []contract.Kind{contract.KindToolDisabled, contract.KindReadOnly, contract.KindNotAllowedByPreset,
	contract.KindUnknownTool}

// spellings are the names under which somebody may try a tool, and the tool that each leads to; "" for none.
func spellings() map[string]string {
	out := map[string]string{"": "", "reload": "", "shutdown": ""}
	for _, t := range tools.All() {
		out[t.Name] = t.Name
		for _, other := range []string{strings.ToUpper(t.Name), " " + t.Name, t.Name + " ", "lsp:" + t.Name,
			"lsp__" + t.Name, "server/lspi:" + t.Name, "*", t.Name[:3] + "*"} {
			out[other] = ""
		}
	}
	for _, old := range session.OriginalTools() {
		now, _ := session.OriginalTool(old)
		for _, name := range []string{old, strings.ToUpper(old), strings.ToUpper(old[:1]) + old[1:], " " + old + "\t"} {
			out[name] = now
		}
		out["lsp:"+old] = ""
	}
	return out
}

// someSettings are what a configuration may say about tools.
func someSettings(r *rand.Rand) session.Settings {
	var names []string
	for _, t := range tools.All() {
		names = append(names, t.Name)
	}
	names = append(names, "find_*", "get_*", "everything__*")
	some := func(share float64) []string {
		switch r.IntN(4) {
		case 0:
			return nil
		case 1:
			return []string{}
		}
		return slices.DeleteFunc(slices.Clone(names), func(string) bool { return r.Float64() > share })
	}
	s := session.Settings{ReadOnly: r.IntN(3) == 0, Allow: some(0.7), Exclude: some(0.2), Within: some(0.9),
		Binds: r.IntN(4) == 0}
	if r.IntN(3) == 0 {
		s.RawMethods = []string{"textDocument/hover"}
	}
	if r.IntN(2) == 0 {
		s.Preset = &session.Preset{Name: "p", Tools: some(0.5), Servers: some(0.1), ReadOnly: r.IntN(3) == 0}
	}
	return s
}

// onlyListedRounds are the settings that [TestOnlyListedToolsAreCalled] tries.
var onlyListedRounds = testkit.Times(4, 12)

// A tool that tools/list does not show is refused under every name, and one that it shows is refused under none:
// through the session of a host, for random settings, before the first call and after each change of the
// configuration.
func TestOnlyListedToolsAreCalled(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 7))
	now := someSettings(r)
	project, server := testkit.Project(t, map[string]string{"a.w": "def alpha\n"}),
		toolstest.Fake(t, "w", `{"language":"words"}`)
	changed := false // since the session was opened
	var refresh func()
	session := connect(t, ServiceOptions{Settings: now,
		Open: func(context.Context, []string) (*session.Session, error) {
			changed = false
			opened := toolstest.Open(t, project, server)
			opened.Settings, opened.Outdated = now, func() bool { return changed }
			return opened, nil
		},
		Bind:  func(string) error { return nil },
		Watch: func(f func()) func() { refresh = f; return func() {} },
	}, nil)
	all := spellings()
	for round := range onlyListedRounds {
		if round > 0 {
			now, changed = someSettings(r), true
			refresh()
		}
		list, err := session.ListTools(t.Context(), nil)
		testkit.Must(t, err)
		listed := map[string]bool{}
		for _, tool := range list.Tools {
			listed[tool.Name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if all[name] == "" && round > 0 && r.IntN(10) > 0 {
				continue // it leads nowhere, whatever the settings are
			}
			kind := kindOfCall(t, session, name)
			if refused := slices.Contains(refusals, kind); refused == listed[all[name]] {
				t.Errorf("%q: %q, though the list has %q: %v; %s", name, kind, all[name], listed[all[name]],
					described(&now))
			}
		}
		if t.Failed() {
			break
		}
	}
}

// kindOfCall calls a tool with arguments that none has, so that nothing happens: what is refused is refused before
// they are looked at.
func kindOfCall(t *testing.T, session *mcp.ClientSession, name string) contract.Kind {
	t.Helper()
	return envelopeOf(t, session, name, map[string]any{"no such argument": true}).Error.Data.Reason.Kind
}

func described(s *session.Settings) string {
	return fmt.Sprintf("allow %q, exclude %q, within %q, read-only %v, raw %q, binds %v, preset %+v", s.Allow,
		s.Exclude, s.Within, s.ReadOnly, s.RawMethods, s.Binds, s.Preset)
}
