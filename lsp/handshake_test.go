package lsp

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// What lspi says that it can do is what the specification has: a misspelt capability would be lost on the way through
// its types.
func TestClientCapabilitiesHoldToTheSpecification(t *testing.T) {
	var caps protocol.ClientCapabilities
	testkit.Must(t, protocol.Unmarshal(clientCapabilities, &caps))
	back, err := protocol.Marshal(&caps)
	testkit.Must(t, err)
	var want, got map[string]any
	for raw, into := range map[string]*map[string]any{string(clientCapabilities): &want, string(back): &got} {
		testkit.Must(t, json.Unmarshal([]byte(raw), into))
	}
	testkit.Diff(t, got, want)
}

func TestOverlay(t *testing.T) {
	base := map[string]any{"a": map[string]any{"b": 1, "c": map[string]any{"d": 2}}, "list": []any{1}, "x": "y"}
	before, _ := json.Marshal(base)
	over := map[string]any{"a": map[string]any{"b": nil, "c": map[string]any{"e": 3}}, "list": []any{2},
		"x": map[string]any{"z": 1}}
	got, _ := json.Marshal(spec.Merge(base, over))
	testkit.Equal(t, string(got), `{"a":{"b":null,"c":{"d":2,"e":3}},"list":[2],"x":{"z":1}}`, got)
	if after, _ := json.Marshal(base); string(after) != string(before) {
		t.Errorf("the base became %s", after)
	}
	if got := spec.Merge(nil, over); !maps.Equal(map[string]any{"n": 1}, spec.Merge(nil, map[string]any{"n": 1})) ||
		len(got) != 3 {
		t.Errorf("over nothing: %v", got)
	}
	if spec.Merge(nil, nil) != nil {
		t.Error("nothing over nothing is something")
	}
}

func TestInitialize(t *testing.T) {
	dir := t.TempDir()
	testkit.Must(t, os.MkdirAll(filepath.Join(dir, "out", "x[1]"), 0o755))
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "out", "x[1]", "db.json"), nil, 0o600))
	spec := &spec.Spec{
		ID: "fake", InitializationOptions: map[string]any{"own": map[string]any{"k": 1}},
		Capabilities: map[string]any{"workspace": map[string]any{"applyEdit": false}, "vendor": true},
		Project: &spec.ProjectFile{Files: []string{"db.json"}, Dirs: []string{"build", "out/*"},
			Option: "database"},
	}
	s := inside(t, spec, &lsptest.Script{})
	s.folders.root, s.folders.list = dir, []string{dir, "/w/two"}
	p, err := s.initializeParams()
	testkit.Must(t, err)
	b, err := json.Marshal(p)
	testkit.Must(t, err)
	var got struct {
		ProcessID             *int
		RootPath              string
		Capabilities          map[string]any
		InitializationOptions json.RawMessage
		WorkspaceFolders      []struct{ URI, Name string }
	}
	testkit.Must(t, json.Unmarshal(b, &got))
	workspace := got.Capabilities["workspace"].(map[string]any)
	if workspace["applyEdit"] != false || workspace["configuration"] != true || got.Capabilities["vendor"] != true {
		t.Errorf("capabilities %v", got.Capabilities)
	}
	testkit.Equal(t, string(got.InitializationOptions), `{"database":"`+filepath.Join(dir, "out", "x[1]")+
		`","own":{"k":1}}`, got.InitializationOptions)
	if got.ProcessID != nil || got.RootPath != dir || len(got.WorkspaceFolders) != 2 ||
		got.WorkspaceFolders[1].Name != "two" {
		t.Errorf("%+v", got)
	}
	testkit.Equal(t, len(spec.InitializationOptions), 1, "the spec was changed")
	s.options, spec.Project = nil, nil
	if p, _ = s.initializeParams(); strings.Contains(string(lsptest.Raw(p)), "initializationOptions") {
		t.Error("options are sent that nobody has")
	}
}
