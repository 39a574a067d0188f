//go:build linux

package hosts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// program is one host: how it is configured and started.
type program struct {
	name  string // in scripts/hosts.sh, and of lspi setup
	title string
	// arguments that have the host list its servers; nil when it has no such command
	list  []string
	start func(s *hostRun) start           // writes settings that the run needs; lspi setup adds lspi to them
	setup func(s *hostRun) (args []string) // of a run before; nil when none is needed
	skill bool                             // lspi setup --skill knows it
}

// start is how the host is started.
type start struct {
	arguments   []string
	environment map[string]string
}

// hostRun is one run of a host.
type hostRun struct {
	testing.TB
	home, project string
	bin           string // the folder of lspi
	environment   []string
	model         *model
	limit         time.Duration // of one program
}

// write puts a file into the home of the session.
func (s *hostRun) write(name string, content any) {
	s.Helper()
	raw, ok := content.(string)
	if !ok {
		out, err := json.MarshalIndent(content, "", "  ")
		testkit.Must(s, err)
		raw = string(out)
	}
	path := filepath.Join(s.home, name)
	testkit.Must(s, os.MkdirAll(filepath.Dir(path), 0o700))
	testkit.Must(s, os.WriteFile(path, []byte(raw), 0o600))
}

type object = map[string]any

// prompt is what the user says.
const prompt = "Use the tools."

var programs = []program{
	{"opencode", "opencode", []string{"mcp", "list"}, func(s *hostRun) start {
		s.write(".config/opencode/opencode.jsonc", object{
			"autoupdate": false, "share": "disabled", "model": "standin/stand-in", "small_model": "standin/stand-in",
			"provider": object{"standin": object{"npm": "@ai-sdk/openai-compatible", "name": "Stand-in",
				"options": object{"baseURL": s.model.URL + "/v1", "apiKey": "x"},
				"models":  object{"stand-in": object{"name": "stand-in", "tool_call": true}}}},
		})
		return start{[]string{"run", "--auto", prompt}, map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1",
			"OPENCODE_DISABLE_MODELS_FETCH": "1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_SHARE": "1"}}
	}, nil, false},
	{"gemini", "gemini-cli", []string{"mcp", "list"}, func(s *hostRun) start {
		s.write(".gemini/settings.json", object{
			"security":  object{"auth": object{"selectedType": "gemini-api-key"}},
			"privacy":   object{"usageStatisticsEnabled": false},
			"telemetry": object{"enabled": false}, "general": object{"disableAutoUpdate": true,
				"disableUpdateNag": true},
			"model": object{"disableLoopDetection": true}, // behind 30 calls it asks its model whether that is a loop
		})
		return start{[]string{"-p", prompt, "--yolo", "--skip-trust", "-m", "gemini-2.5-pro"},
			map[string]string{"GEMINI_API_KEY": "x",
				"GOOGLE_GEMINI_BASE_URL": s.model.URL, "GEMINI_CLI_TRUST_WORKSPACE": "true"}}
	}, nil, false},
	{"qwen", "qwen-code", []string{"mcp", "list"}, func(s *hostRun) start {
		s.write(".qwen/settings.json", object{
			"security":  object{"auth": object{"selectedType": "openai"}},
			"privacy":   object{"usageStatisticsEnabled": false},
			"telemetry": object{"enabled": false}, "general": object{"disableAutoUpdate": true,
				"disableUpdateNag": true, "enableAutoUpdate": false},
		})
		return start{[]string{"--yolo", "-m", "stand-in", "--openai-api-key", "x", "--openai-base-url", s.model.URL +
			"/v1", "--auth-type", "openai", prompt},
			map[string]string{"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": s.model.URL + "/v1",
				"OPENAI_MODEL": "stand-in"}}
	}, nil, false},
	{"cline", "Cline CLI", nil, func(s *hostRun) start {
		return start{[]string{"-P", "openai-compatible", "-m", "stand-in", prompt},
			map[string]string{"CLINE_TELEMETRY_DISABLED": "1"}}
	}, func(s *hostRun) []string {
		return []string{"auth", "-p", "openai-compatible", "-k", "x", "-m", "stand-in", "-b", s.model.URL + "/v1"}
	}, false},
	{"copilot", "Copilot CLI", []string{"mcp", "list"}, func(s *hostRun) start {
		return start{[]string{"-p", prompt, "--allow-all-tools", "--allow-all-paths", "--disable-client-telemetry",
			"--model", "stand-in"},
			map[string]string{"COPILOT_PROVIDER_BASE_URL": s.model.URL + "/v1", "COPILOT_PROVIDER_TYPE": "openai",
				"COPILOT_PROVIDER_API_KEY": "x",
				"COPILOT_MODEL":            "stand-in", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}}
	}, nil, false},
	{"codex", "Codex CLI", []string{"mcp", "list"}, func(s *hostRun) start {
		s.write(".codex/config.toml",
			"model = \"stand-in\"\nmodel_provider = \"standin\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n"+
				"check_for_update_on_startup = false\n[analytics]\nenabled = false\n"+
				"[model_providers.standin]\nname = \"Stand-in\"\nbase_url = "+asJSON(s.model.URL+"/v1")+
				"\nwire_api = \"responses\"\nenv_key = \"STANDIN_KEY\"\n")
		return start{[]string{"exec", "--skip-git-repo-check", prompt}, map[string]string{"STANDIN_KEY": "x"}}
	}, nil, true},
	{"kimi", "kimi-code", nil, func(s *hostRun) start {
		s.write(".kimi-code/config.toml",
			"default_model = \"standin\"\ntelemetry = false\n[providers.standin]\ntype = \"openai\"\nbase_url = "+
				asJSON(s.model.URL+"/v1")+
				"\napi_key = \"x\"\n[models.standin]\nprovider = \"standin\"\nmodel = \"stand-in\"\nmax_context_size = 200000\n")
		return start{[]string{"-p", prompt}, map[string]string{"KIMI_DISABLE_TELEMETRY": "1"}}
	}, nil, false},
	{"claude", "Claude Code", []string{"mcp", "list"}, func(s *hostRun) start {
		return start{[]string{"-p", prompt, "--allowedTools", "mcp__lspi"},
			map[string]string{"ANTHROPIC_BASE_URL": s.model.URL, "ANTHROPIC_API_KEY": "x",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
				"DISABLE_TELEMETRY":                        "1", "DISABLE_AUTOUPDATER": "1",
				"DISABLE_ERROR_REPORTING": "1",
				"ENABLE_TOOL_SEARCH":      "false"}}
	}, nil, true},
	{"cn", "Continue `cn`", nil, func(s *hostRun) start {
		s.write(".continue/config.yaml",
			"name: lspi\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: stand-in\n    provider: openai\n    model: stand-in\n    apiBase: "+
				s.model.URL+"/v1\n    apiKey: x\n    roles: [chat]\n    capabilities: [tool_use]\n")
		return start{[]string{"-p", "--auto", "--config", filepath.Join(s.home, ".continue/config.yaml"), prompt},
			map[string]string{"CONTINUE_TELEMETRY_ENABLED": "0"}}
	}, nil, false},
	{"vibe", "mistral-vibe", nil, func(s *hostRun) start {
		s.write(".vibe/config.toml",
			"active_model = \"standin\"\nenable_telemetry = false\nenable_update_checks = false\n"+
				"[[providers]]\nname = \"standin\"\napi_base = "+asJSON(s.model.URL+"/v1")+
				"\napi_key_env_var = \"STANDIN_KEY\"\napi_style = \"openai\"\nbackend = \"generic\"\n"+
				"[[models]]\nname = \"stand-in\"\nprovider = \"standin\"\nalias = \"standin\"\n")
		return start{[]string{"-p", prompt, "--auto-approve", "--trust"}, map[string]string{"STANDIN_KEY": "x"}}
	}, nil, false},
}
