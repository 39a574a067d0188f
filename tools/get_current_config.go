package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/session"
)

// getCurrentConfigIn says whether the names of environment variables are shown; values never are.
type getCurrentConfigIn struct {
	IncludeEnv bool `json:"include_env" default:"false"`
	answer.Caps
}

// getCurrentConfigOut is the configuration in effect, with where it comes from and what is wrong with
// it.
type getCurrentConfigOut struct {
	WorkspaceRoot string          `json:"workspace_root"`
	AllowedRoots  []string        `json:"allowed_roots"`
	ReadOnly      bool            `json:"read_only"`
	Trust         *session.Trust  `json:"trust,omitempty" schema:"object"`
	Context       string          `json:"context"`
	Preset        *session.Preset `json:"preset,omitempty" schema:"object"` // the one in use
	ServerCount   int             `json:"server_count"`
	Servers       []shownServer   `json:"servers" schema:"object"`
	// the [mcp] table; null when no file has one
	MCP          any                     `json:"mcp" schema:"object" nullable:"true"`
	ConfigOK     bool                    `json:"config_ok"`
	Sources      []session.ConfigSource  `json:"config_sources" schema:"object"`
	FindingCount int                     `json:"finding_count"`
	Findings     []session.ConfigFinding `json:"config_findings" schema:"object"`
	Tools        []string                `json:"tools"`
	Limits       limitsShown             `json:"limits" schema:"object"`
	Version      string                  `json:"lspi_version,omitempty"`
}

// shownServer is a server with its environment: null, or its keys with what stands for the values.
type shownServer struct {
	session.ServerConfig
	Env map[string]string `json:"env"`
}

// limitsShown are the limits in effect, defaults filled in.
type limitsShown struct {
	MaxTotalChars     int    `json:"max_total_chars_default"`
	MaxTotalCharsHard int    `json:"max_total_chars_hard"`
	EchoInput         string `json:"echo_input"`
	CallTimeout       int64  `json:"call_timeout_ms"`
}

// redacted stands for every value of an environment. Environments hold tokens and passwords; which
// variables are set is enough to find a mistake.
const redacted = "<redacted>"

// maxFindings bounds the findings that are shown; whoever repairs a file works from the top.
const maxFindings = 20

// getCurrentConfig shows the configuration in effect. Its servers are those that a file configures, whether or not the
// workspace has files for them, and those of the catalogue that answer for some file of the workspace; list_servers
// shows the others. The tool answers also when the session could not be opened, since it is how a host finds out why.
var getCurrentConfig = define("get_current_config", answer.Status,
	func(ctx context.Context, c *answer.Call, in getCurrentConfigIn) (*getCurrentConfigOut, error) {
		s := &c.Session.Settings
		if c.Workspace.Table == nil {
			return nil, errNoSession
		}
		out := &getCurrentConfigOut{
			WorkspaceRoot: c.Workspace.Root, AllowedRoots: c.Workspace.Table.Allowed(), ReadOnly: s.ReadOnly ||
				s.Preset != nil && s.Preset.ReadOnly,
			Trust: s.Trust, Context: s.Context, Preset: s.Preset, Tools: c.Tools.Names(s), Limits: limits(c),
			Version: c.Workspace.Process.Version, ConfigOK: true,
			Servers: []shownServer{}, Sources: []session.ConfigSource{}, Findings: []session.ConfigFinding{},
		}
		if conf := s.Configuration; conf != nil {
			out.MCP = conf.MCP
			out.Sources = append(out.Sources, conf.Sources...)
			out.FindingCount = len(conf.Findings)
			out.Findings = append(out.Findings, conf.Findings[:min(len(conf.Findings), maxFindings)]...)
			out.ConfigOK = !slices.ContainsFunc(conf.Findings, func(f session.ConfigFinding) bool {
				return f.Severity == "error"
			})
			out.Servers = append(out.Servers, configuredServers(ctx, c, conf, in.IncludeEnv)...)
		}
		out.ServerCount = len(out.Servers)
		if !out.ConfigOK {
			c.Step(contract.NextStep{Kind: contract.StepConfig,
				Message: "Correct the configuration as config_findings say; " +
					"the next call reads it again."})
			c.Step(answer.DoctorStep())
		}
		return out, nil
	})

// errNoSession is the error of a tool that was asked although nothing is known of the session; [Run]
// answers with the real reason before.
var errNoSession = errors.New("the session was not opened")

// limits fills in the defaults that a setting of 0 means, as those who apply them do.
func limits(c *answer.Call) limitsShown {
	s := &c.Session.Settings
	l := limitsShown{MaxTotalChars: c.DefaultLimit(), MaxTotalCharsHard: s.MaxCharsHard, EchoInput: s.EchoInput,
		CallTimeout: s.CallTimeout.Milliseconds()}
	if l.MaxTotalCharsHard <= 0 {
		l.MaxTotalCharsHard = session.DefaultMaxCharsHard
	}
	if l.EchoInput == "" {
		l.EchoInput = "errors"
	}
	if l.CallTimeout <= 0 {
		l.CallTimeout = int64(session.DefaultCallTimeout / time.Millisecond)
	}
	return l
}

// configuredServers returns the configured servers and those of the catalogue that answer for files of
// the workspace.
func configuredServers(ctx context.Context, c *answer.Call, conf *session.Configuration,
	includeEnv bool) []shownServer {
	asked := map[string]bool{}
	for _, n := range ask.SurveyServers(ctx, c) {
		asked[n.Spec.ID] = n.Asked
	}
	var out []shownServer
	for _, server := range conf.Servers {
		// A row of the catalogue that serves no file here says nothing about this workspace.
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

// Size counts servers; the rest is small.
func (o *getCurrentConfigOut) Size() int { return len(o.Servers) }

// Cut keeps the first n servers.
func (o *getCurrentConfigOut) Cut(n int) any {
	short := *o
	short.Servers = o.Servers[:n] // server_count keeps the whole number
	return &short
}

// Headline leaves out the findings, which the lines below have.
func (o *getCurrentConfigOut) Headline() string {
	return fmt.Sprintf("Loaded config for workspace root %s (%d servers).", o.WorkspaceRoot, o.ServerCount)
}

func (o *getCurrentConfigOut) Tell(s *answer.Sheet) {
	s.List(0, "allowed roots", o.AllowedRoots)
	s.Line(0, "read_only %v, context %s, lspi_version %s", o.ReadOnly, o.Context, cmp.Or(o.Version, "unknown"))
	trust(s, o.Trust)
	if o.Preset != nil {
		s.Line(0, "preset %s", answer.PlainFields(o.Preset))
	}
	s.Line(0, "limits: %s", answer.PlainFields(o.Limits))
	s.List(0, "tools", o.Tools)
	for _, source := range o.Sources {
		s.Line(0, "config source %s (%s, trusted %v)", source.Path, source.Kind, source.Trusted)
	}
	s.Line(0, "config_ok %v, %s", o.ConfigOK, answer.Counted(o.FindingCount, "finding"))
	for _, f := range o.Findings {
		s.Line(0, "- %s", answer.PlainFields(f))
	}
	if o.MCP != nil {
		s.Line(0, "mcp %s", answer.PlainFields(o.MCP))
	}
	for _, server := range o.Servers {
		s.Line(0, "- %s", server.told(o.WorkspaceRoot))
	}
}

// told is the server on one line, without what is as in the row of the catalogue for most: the text stays one screen.
func (s shownServer) told(root string) string {
	if s.File == "" && s.RootDir == root && s.Cwd == root {
		return s.ID + ": " + strings.Join(s.Extensions, " ")
	}
	return answer.PlainFields(s)
}
