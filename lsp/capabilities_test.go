package lsp

import (
	"slices"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

func TestOffers(t *testing.T) {
	for _, c := range []struct {
		caps string
		want []string // of these, what is offered
	}{
		{`{"hoverProvider":true,"definitionProvider":false,"referencesProvider":null}`, []string{MethodHover}},
		{`{"hoverProvider":{"workDoneProgress":true},"definitionProvider":{}}`,
			[]string{MethodDefinition, MethodHover}},
		{`{"callHierarchyProvider":true}`, []string{MethodIncomingCalls, MethodOutgoingCalls, MethodCallHierarchy}},
		{`{"hoverProvider":"yes","documentSymbolProvider":[],"definitionProvider":7}`,
			[]string{MethodDefinition, MethodDocumentSymbol, MethodHover}},
		{`{"positionEncoding":5}`, nil},
		{`{}`, nil},
		{`null`, nil},
	} {
		result, err := parseInitialize(raw(`{"capabilities":` + c.caps + `}`))
		if err != nil {
			t.Errorf("%s: %v", c.caps, err)
			continue
		}
		var o capabilities
		o.set(result.Capabilities)
		want := slices.Sorted(slices.Values(c.want))
		if got := o.methods(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.caps, got, want)
		}
		testkit.Equal(t, o.text("positionEncoding"), "", c.caps, "encoding")
	}
}

func TestInitializeResultOfAnyForm(t *testing.T) {
	for _, c := range []struct{ answer, name, version string }{
		{`{"capabilities":{},"serverInfo":{"name":"x","version":"1"}}`, "x", "1"},
		{`{"capabilities":{},"serverInfo":{"name":"x","version":1.5}}`, "x", "1.5"},
		{`{"capabilities":{},"serverInfo":{"name":"x","version":null}}`, "x", ""},
		{`{"capabilities":{},"serverInfo":"x 1"}`, "", ""},
		{`{"capabilities":{},"serverInfo":null}`, "", ""},
		{`{"capabilities":{}}`, "", ""},
		{`{}`, "", ""},
		{`null`, "", ""},
	} {
		got, err := parseInitialize(raw(c.answer))
		if err != nil || text(got.ServerInfo.Name) != c.name || text(got.ServerInfo.Version) != c.version {
			t.Errorf("%s: %+v %v", c.answer, got.ServerInfo, err)
		}
	}
	for _, answer := range []string{`7`, `[]`, `{"capabilities":[]}`} {
		if _, err := parseInitialize(raw(answer)); err == nil {
			t.Errorf("%s is taken", answer)
		}
	}
}

func TestDynamicRegistration(t *testing.T) {
	s := silent(&spec.Spec{ID: "fake", Unannounced: []string{MethodSwitchHeader}})
	register := func(what string) {
		t.Helper()
		testkit.Must(t, s.requests.register(raw(what)))
	}
	register(`{"registrations":[{"id":"1","method":"textDocument/hover"},{"id":"2","method":"textDocument/hover","registerOptions":null},
		{"id":"3","method":"textDocument/prepareCallHierarchy"},{"id":"4","method":"textDocument/switchSourceHeader"}]}`)
	want := []string{MethodCallHierarchy, MethodIncomingCalls, MethodOutgoingCalls, MethodHover, MethodSwitchHeader}
	slices.Sort(want)
	for _, m := range []string{MethodHover, MethodIncomingCalls, MethodSwitchHeader} {
		if !s.Offers(m) {
			t.Errorf("%s is not offered", m)
		}
	}
	if s.Offers(MethodTypeHierarchy) || s.Offers(MethodSupertypes) {
		t.Error("type hierarchies are offered")
	}
	unregister := func(what string) {
		t.Helper()
		testkit.Must(t, s.requests.unregister(raw(what)))
	}
	unregister(`{"unregisterations":[{"id":"1","method":"textDocument/hover"},{"id":"9","method":"textDocument/hover"},{"id":"9","method":"x"}]}`)
	if !s.Offers(MethodHover) {
		t.Error("the second registration went with the first")
	}
	unregister(`{"unregisterations":[{"id":"2","method":"textDocument/hover"},{"id":"3"}]}`)
	if s.Offers(MethodHover) || s.Offers(MethodIncomingCalls) {
		t.Error("still offered")
	}
	for _, bad := range []string{``, `[]`, `{"registrations":7}`, `{"unregisterations":7}`} {
		if s.requests.register(raw(bad)) == nil && s.requests.unregister(raw(bad)) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
