package config

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"lspi/lsp"
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

// decisions has every key. A new key that is in none of its values fails TestEveryKeyIsDecided.
func decisions(outside string) map[string]decision {
	return map[string]decision{
		"workspace_root":    {told: []string{`"sub"`}, quiet: []string{`"."`}},
		"workspace_folders": {user: "workspace_folders = [\"" + outside + "\"]", told: []string{`["sub"]`, `[]`}},
		"catalogue":         {told: []string{"false"}, quiet: []string{"true"}},
		"trust":             {quiet: []string{`"ask"`}}, // answers that lack something for it say so: restricted
		"env_pass":          {refused: `["A"]`},

		"servers[].id":                           {told: []string{`"other-go"`}, quiet: []string{`"rust-analyzer"`, `"other-c"`}},
		"servers[].kind":                         {server: "mine", as: "id", told: []string{`"other-go"`}, quiet: []string{`"gopls"`}},
		"servers[].enabled":                      {told: []string{"false"}, quiet: []string{"true"}},
		"servers[].extensions":                   {told: []string{`["xyz"]`, `["go", "rs"]`}, quiet: []string{`["go"]`, `["go", "xyz"]`}},
		"servers[].language_id":                  {server: "rust-analyzer", told: []string{`"plaintext"`}, quiet: []string{`"rust"`}},
		"servers[].command":                      {refused: `"evil"`},
		"servers[].args":                         {refused: `["-x"]`},
		"servers[].env":                          {refused: `{ A = "b" }`},
		"servers[].env_pass":                     {refused: `["A"]`},
		"servers[].cwd":                          {told: []string{`"sub"`}},
		"servers[].root_dir":                     {told: []string{`"sub"`}},
		"servers[].workspace_folders":            {quiet: []string{`["sub"]`}},
		"servers[].adapter":                      {refused: `"rust-analyzer"`}, // another sign of readiness would make answers complete that are not
		"servers[].initialize_timeout_ms":        {told: []string{"1"}, quiet: []string{"60000", "70000"}},
		"servers[].request_timeout_ms":           {told: []string{"1"}, quiet: []string{"30000", "70000"}},
		"servers[].request_timeout_overrides_ms": {told: []string{`{ "a/b" = 1 }`}, quiet: []string{`{ "a/b" = 30000 }`}},
		"servers[].warmup_timeout_ms":            {told: []string{"1"}, quiet: []string{"45000", "70000"}},
		"servers[].idle_shutdown_ms":             {told: []string{"1"}, quiet: []string{"0"}},
		"servers[].restart_interval_minutes":     {told: []string{"1"}, quiet: []string{"0"}},
		"servers[].initialize_options":           {refused: "{ a = 1 }"},
		"servers[].client_capabilities":          {refused: "{ a = 1 }"},
		"servers[].workspace_configuration":      {refused: "{ a = 1 }"},

		"mcp.context":                        {told: []string{`"navigation"`}, quiet: []string{`"full"`}},
		"mcp.mode":                           {told: []string{`"navigation"`}},
		"mcp.read_only":                      {told: []string{"true"}},
		"mcp.call_timeout_ms":                {told: []string{"1000", "600000"}, quiet: []string{"50000"}},
		"mcp.warmup":                         {user: "mcp.warmup = true", quiet: []string{"false"}}, // servers start with the first call
		"mcp.text":                           {told: []string{`"short"`, `"full"`}, quiet: []string{`"auto"`}},
		"mcp.output.max_total_chars_default": {told: []string{"1000"}, quiet: []string{"24000"}},
		"mcp.output.max_total_chars_hard":    {told: []string{"30000"}},
		"mcp.output.echo_input":              {quiet: []string{`"never"`, `"always"`}}, // the model knows what it asked
		"mcp.tools.allow":                    {told: []string{`["hover"]`}},
		"mcp.tools.exclude":                  {told: []string{`["hover"]`}, quiet: []string{"[]"}},
		"mcp.tools.lsp_request":              {user: "mcp.tools.lsp_request = [\"all\"]", told: []string{"[]", `["textDocument/hover"]`}, quiet: []string{`["all"]`}},

		"edit.protected": {quiet: []string{`["src"]`}}, // an edit that is refused says so
		"edit.confirm":   {quiet: []string{`["src"]`}},

		"limits.max_servers":          {told: []string{"1"}, quiet: []string{"12"}},
		"limits.max_server_memory_mb": {user: "limits.max_server_memory_mb = 500", refused: "0", told: []string{"100"}, quiet: []string{"500"}},

		"logging.level": {refused: `"debug"`},
		"logging.file":  {refused: `"x.log"`},
	}
}

// TestEveryKeyIsDecided: whatever a repository takes away or bends with its lspi.toml is told, for every key that there is.
func TestEveryKeyIsDecided(t *testing.T) {
	for _, k := range KeyTable() {
		try := func(d decision, value string, want ...FindingKind) {
			t.Helper()
			w := newWorld(t)
			w.Catalogue = append(rows(), lsp.Spec{ID: "other-go", Kind: "other-go", Title: "other", Commands: []lsp.Command{{Name: "x"}},
				Languages: []lsp.Language{{ID: "go", Extensions: []string{"go"}}}},
				lsp.Spec{ID: "other-c", Kind: "other-c", Title: "other", Commands: []lsp.Command{{Name: "x"}},
					Languages: []lsp.Language{{ID: "c", Extensions: []string{"c"}}}})
			w.write(filepath.Join(w.workspace, "sub", "x"), "")
			w.user(d.user)
			w.repo(fileWith(k.Key, value, d.server))
			c := w.load()
			ok := len(c.Findings) == len(want) && (len(want) == 0 || c.Findings[0].Kind == want[0] &&
				strings.HasSuffix(c.Findings[0].Key, cmp.Or(d.as, k.Key[strings.LastIndexByte(k.Key, '.')+1:])))
			if !ok {
				t.Errorf("%s = %s: %+v, want %v", k.Key, value, c.Findings, want)
			}
		}
		outside := t.TempDir()
		d, ok := decisions(outside)[k.Key]
		if !ok || d.refused == "" && d.told == nil && d.quiet == nil {
			t.Errorf("nobody has decided what of %s in a file that is not trusted is told", k.Key)
		}
		for _, value := range d.told {
			try(d, value, FindingNarrowed)
		}
		for _, value := range d.quiet {
			try(d, value)
		}
		if d.refused != "" {
			try(d, d.refused, FindingUntrusted)
		}
	}
}

// fileWith is a file with one key, of a server when it is one of those.
func fileWith(key, value, server string) string {
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
