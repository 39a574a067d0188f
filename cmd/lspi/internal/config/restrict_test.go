package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/lsp/spec"
)

// decision is what a file that nobody trusts may do with a key. Values are as in TOML.
type decision struct {
	refused string   // is not applied, and told as that
	told    []string // take something away or may mislead, so the first answer says so
	quiet   []string // do neither
	user    string   // what the user's file has; "" for nothing
	as      string   // the key that is told, when it is another
	server  string   // of keys of a server: the row that it is, "gopls" when ""
}

// decisions are about the keys that a file which is not trusted may set at all.
func decisions(outside string) map[string]decision {
	return map[string]decision{
		"workspace_root":    {told: []string{`"sub"`}, quiet: []string{`"."`}},
		"workspace_folders": {user: "workspace_folders = [\"" + outside + "\"]", told: []string{`["sub"]`, `[]`}},
		"catalogue":         {told: []string{"false"}, quiet: []string{"true"}},
		"trust":             {quiet: []string{`"ask"`}}, // answers that lack something for it say so: restricted

		"servers[].id": {told: []string{`"other-go"`},
			quiet: []string{`"rust-analyzer"`, `"other-c"`}},
		"servers[].kind": {server: "mine", as: "id", told: []string{`"other-go"`},
			quiet: []string{`"gopls"`}},
		"servers[].enabled": {told: []string{"false"}, quiet: []string{"true"}},
		"servers[].extensions": {told: []string{`["xyz"]`, `["go", "rs"]`},
			quiet: []string{`["go"]`, `["go", "xyz"]`}},
		"servers[].language_id": {server: "rust-analyzer", told: []string{`"plaintext"`},
			quiet: []string{`"rust"`}},
		"servers[].cwd":                   {told: []string{`"sub"`}},
		"servers[].root_dir":              {told: []string{`"sub"`}},
		"servers[].workspace_folders":     {quiet: []string{`["sub"]`}},
		"servers[].initialize_timeout_ms": {told: []string{"1"}, quiet: []string{"60000", "70000"}},
		"servers[].request_timeout_ms":    {told: []string{"1", "30000"}, quiet: []string{"50000", "70000"}},
		"servers[].request_timeout_overrides_ms": {told: []string{`{ "a/b" = 1 }`},
			quiet: []string{`{ "a/b" = 50000 }`}},
		"servers[].warmup_timeout_ms":        {told: []string{"1"}, quiet: []string{"45000", "70000"}},
		"servers[].idle_shutdown_ms":         {told: []string{"1"}, quiet: []string{"0"}},
		"servers[].restart_interval_minutes": {told: []string{"1"}, quiet: []string{"0"}},

		"mcp.context":         {told: []string{`"navigation"`}, quiet: []string{`"full"`}},
		"mcp.mode":            {told: []string{`"navigation"`}},
		"mcp.read_only":       {told: []string{"true"}},
		"mcp.call_timeout_ms": {told: []string{"1000", "600000"}, quiet: []string{"50000"}},
		// servers start with the first call
		"mcp.warmup":                         {user: "mcp.warmup = true", quiet: []string{"false"}},
		"mcp.text":                           {told: []string{`"short"`, `"full"`}, quiet: []string{`"auto"`}},
		"mcp.output.max_total_chars_default": {told: []string{"1000"}, quiet: []string{"24000"}},
		"mcp.output.max_total_chars_hard":    {told: []string{"30000"}},
		"mcp.output.echo_input":              {quiet: []string{`"never"`, `"always"`}}, // the model knows what it asked
		"mcp.output.generated":               {quiet: []string{`["*.made"]`}},          // a mark
		"mcp.output.shape":                   {quiet: []string{`"original"`}},          // the same answers
		"mcp.tools.allow":                    {told: []string{`["hover"]`}},
		"mcp.tools.exclude":                  {told: []string{`["hover"]`}, quiet: []string{"[]"}},
		"mcp.tools.lsp_request": {user: "mcp.tools.lsp_request = [\"all\"]",
			told: []string{"[]", `["textDocument/hover"]`}, quiet: []string{`["all"]`}},

		"edit.protected": {quiet: []string{`["src"]`}}, // an edit that is refused says so
		"edit.confirm":   {quiet: []string{`["src"]`}},

		// what an index is not, its answers say
		"index.files":  {quiet: []string{`["in.scip"]`}},
		"index.commit": {quiet: []string{`"0123456"`}},

		"limits.max_servers": {told: []string{"1"}, quiet: []string{"12"}},
		"limits.max_server_memory_mb": {user: "limits.max_server_memory_mb = 500", refused: "0", told: []string{"100"},
			quiet: []string{"500"}},
	}
}

// refusedKeys run programs, hand them options that do, write files, or make answers complete that are not (adapter).
var refusedKeys = []string{
	"env_pass", "servers[].command", "servers[].args", "servers[].paths", "servers[].env", "servers[].env_pass", "servers[].adapter",
	"servers[].initialize_options", "servers[].client_capabilities", "servers[].workspace_configuration",
	"logging.level", "logging.file",
}

// TestEveryKeyIsDecided: whatever a repository takes away or changes with its lspi.toml is told, for every key that
// there is. A new key that is refused or told needs no entry above; one that is applied without a word does.
func TestEveryKeyIsDecided(t *testing.T) {
	decided := decisions(t.TempDir())
	for i := range keys {
		k := &keys[i]
		d, ok := decided[k.name]
		switch {
		case slices.Contains(refusedKeys, k.name):
			d.refused = otherValue(k)
		case !ok:
			if kind, key := d.findingOf(t, k, otherValue(k)); kind != FindingUntrusted && kind != FindingNarrowed {
				t.Errorf("nobody has decided that %s in a file that is not trusted is not told: %s %s", k.name, kind,
					key)
			}
			continue
		}
		want := map[string]FindingKind{}
		for _, value := range d.told {
			want[value] = FindingNarrowed
		}
		for _, value := range d.quiet {
			want[value] = ""
		}
		if d.refused != "" {
			want[d.refused] = FindingUntrusted
		}
		for value, want := range want {
			kind, key := d.findingOf(t, k, value)
			if kind != want || kind != "" &&
				!strings.HasSuffix(key,
					cmp.Or(d.as, strings.ReplaceAll(k.name, anyName, "x")[strings.LastIndexByte(k.name, '.')+1:])) {
				t.Errorf("%s = %s: %q about %s, want %q", k.name, value, kind, key, want)
			}
		}
	}
}

// findingOf is what the one finding says when a file that is not trusted sets a key; "" when there is none.
func (d decision) findingOf(t *testing.T, k *key, value string) (kind FindingKind, key string) {
	t.Helper()
	w := newWorld(t)
	for _, id := range []string{"go", "c"} {
		w.Catalogue = append(w.Catalogue, spec.Spec{ID: "other-" + id, Kind: "other-" + id, Title: "other",
			Commands:  []spec.Command{{Name: "x"}},
			Languages: []spec.Language{{ID: id, Extensions: []string{id}}}})
	}
	w.write(filepath.Join(w.workspace, "sub", "x"), "")
	w.user(d.user)
	w.repo(fileWith(k.name, value, d.server))
	switch findings := w.load().Findings; len(findings) {
	case 0:
		return "", ""
	case 1:
		return findings[0].Kind, findings[0].Key
	default:
		t.Errorf("%s = %s: %+v", k.name, value, findings)
		return "", ""
	}
}

// fileWith is a file with one key, of a server when it is one of those.
func fileWith(key, value, server string) string {
	key = strings.ReplaceAll(key, anyName, "x")
	name, of := strings.CutPrefix(key, "servers[].")
	switch {
	case !of:
		return key + " = " + value
	case name == "id":
		return "[[servers]]\nid = " + value
	case server == "":
		server = "gopls"
	}
	return "[[servers]]\nid = \"" + server + "\"\n" + name + " = " + value
}
