package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lspi/contract"
)

type getCurrentConfigIn struct {
	IncludeEnv bool `json:"include_env" default:"false"`
	caps
}

type getCurrentConfigOut struct {
	WorkspaceRoot string          `json:"workspace_root"`
	AllowedRoots  []string        `json:"allowed_roots"`
	ReadOnly      bool            `json:"read_only"`
	Trust         *Trust          `json:"trust,omitempty" schema:"object"`
	Context       string          `json:"context"`
	ServerCount   int             `json:"server_count"`
	Servers       []shownServer   `json:"servers" schema:"object"`
	MCP           any             `json:"mcp" schema:"object" nullable:"true"` // the [mcp] table; null when no file has one
	ConfigOK      bool            `json:"config_ok"`
	Sources       []ConfigSource  `json:"config_sources" schema:"object"`
	FindingCount  int             `json:"finding_count"`
	Findings      []ConfigFinding `json:"config_findings" schema:"object"`
	Tools         []string        `json:"tools"`
	Limits        limitsShown     `json:"limits" schema:"object"`
	Version       string          `json:"lspi_version,omitempty"`
}

// shownServer is a server with its environment: null, or its keys with what stands for the values.
type shownServer struct {
	ServerConfig
	Env map[string]string `json:"env"`
}

type limitsShown struct {
	MaxTotalChars     int    `json:"max_total_chars_default"`
	MaxTotalCharsHard int    `json:"max_total_chars_hard"`
	EchoInput         string `json:"echo_input"`
	CallTimeout       int64  `json:"call_timeout_ms"`
}

// redacted stands for every value of an environment.
const redacted = "<redacted>"

// maxFindings bounds the findings that are shown; whoever repairs a file works from the top.
const maxFindings = 20

// The servers shown are those that a file configures, whether or not the workspace has files for them, and those of the
// catalogue that answer for some file of the workspace. All others are list_servers' to show.
var getCurrentConfig = define("get_current_config", Status,
	func(ctx context.Context, c *Call, in getCurrentConfigIn) (*getCurrentConfigOut, error) {
		s := &c.env.Settings
		if s.Workspace == "" {
			return nil, errNoSession
		}
		out := &getCurrentConfigOut{
			WorkspaceRoot: s.Workspace, AllowedRoots: append([]string{s.Workspace}, s.Roots...), ReadOnly: s.ReadOnly,
			Trust: s.Trust, Context: s.Context, Tools: c.tools.Names(&c.env.Settings), Limits: c.limits(), Version: c.env.Version, ConfigOK: true,
			Servers: []shownServer{}, Sources: []ConfigSource{}, Findings: []ConfigFinding{},
		}
		if conf := s.Configuration; conf != nil {
			out.MCP = conf.MCP
			out.Sources = append(out.Sources, conf.Sources...)
			out.FindingCount = len(conf.Findings)
			out.Findings = append(out.Findings, conf.Findings[:min(len(conf.Findings), maxFindings)]...)
			out.ConfigOK = !slices.ContainsFunc(conf.Findings, func(f ConfigFinding) bool { return f.Severity == "error" })
			out.Servers = append(out.Servers, c.servers(ctx, conf, in.IncludeEnv)...)
		}
		out.ServerCount = len(out.Servers)
		if !out.ConfigOK {
			c.step(contract.NextStep{Kind: contract.StepConfig, Message: "Correct the configuration as config_findings say; " +
				"the next call reads it again."})
			c.step(doctorStep())
		}
		return out, nil
	})

// errNoSession is for a tool that was asked although nothing is known; Run answers with the real reason before.
var errNoSession = errors.New("the session was not opened")

func (c *Call) limits() limitsShown {
	s := &c.env.Settings
	l := limitsShown{MaxTotalChars: c.defaultLimit(), MaxTotalCharsHard: s.MaxCharsHard, EchoInput: s.EchoInput,
		CallTimeout: s.CallTimeout.Milliseconds()}
	if l.MaxTotalCharsHard <= 0 {
		l.MaxTotalCharsHard = DefaultMaxCharsHard
	}
	if l.EchoInput == "" {
		l.EchoInput = "errors"
	}
	if l.CallTimeout <= 0 {
		l.CallTimeout = int64(DefaultCallTimeout / time.Millisecond)
	}
	return l
}

// servers are the configured ones and those of the catalogue that answer for files of the workspace.
func (c *Call) servers(ctx context.Context, conf *Configuration, includeEnv bool) []shownServer {
	asked := map[string]bool{}
	for _, n := range c.needs(ctx) {
		asked[n.spec.ID] = n.asked
	}
	var out []shownServer
	for _, server := range conf.Servers {
		if server.File == "" && !asked[server.ID] {
			continue
		}
		shown := shownServer{ServerConfig: server}
		if includeEnv && len(server.EnvKeys) > 0 {
			shown.Env = map[string]string{}
			for _, key := range server.EnvKeys {
				shown.Env[key] = redacted
			}
		}
		out = append(out, shown)
	}
	return out
}

// Summary is the sentence of the lspi guide.
func (o *getCurrentConfigOut) Summary() string {
	text := fmt.Sprintf("Loaded config for workspace root %s (%d servers).", o.WorkspaceRoot, o.ServerCount)
	for _, f := range o.Findings {
		text += fmt.Sprintf(" %s: %s", f.Severity, f.Message)
	}
	return text
}

func (o *getCurrentConfigOut) shedSnippets() bool { return false }

func (o *getCurrentConfigOut) size() int { return len(o.Servers) }

func (o *getCurrentConfigOut) cut(n int) any {
	short := *o
	short.Servers = o.Servers[:n] // server_count keeps the whole number
	return &short
}

func (o *getCurrentConfigOut) headline() string {
	return fmt.Sprintf("Loaded config for workspace root %s (%d servers).", o.WorkspaceRoot, o.ServerCount)
}

func (o *getCurrentConfigOut) tell(s *sheet) {
	s.list(0, "allowed roots", o.AllowedRoots)
	s.line(0, "read_only %v, context %s, lspi_version %s", o.ReadOnly, o.Context, cmp.Or(o.Version, "unknown"))
	s.trust(o.Trust)
	s.line(0, "limits: %s", plainFields(o.Limits))
	s.list(0, "tools", o.Tools)
	for _, source := range o.Sources {
		s.line(0, "config source %s (%s, trusted %v)", source.Path, source.Kind, source.Trusted)
	}
	s.line(0, "config_ok %v, %s", o.ConfigOK, counted(o.FindingCount, "finding"))
	for _, f := range o.Findings {
		s.line(0, "- %s", plainFields(f))
	}
	if o.MCP != nil {
		s.line(0, "mcp %s", plainFields(o.MCP))
	}
	for _, server := range o.Servers {
		s.line(0, "- %s", plainFields(server))
	}
}
