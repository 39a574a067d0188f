package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/session"
)

// getServerStatusIn picks one language server or one other MCP server; "" shows all.
type getServerStatusIn struct {
	ServerID string `json:"server_id"`
	answer.Caps
}

// getServerStatusOut is the state of all servers, or of the one that was asked about.
type getServerStatusOut struct {
	Servers []serverStatus `json:"servers" schema:"object"`
	// MCPServers are other MCP servers, whose tools are ID__tool here.
	MCPServers []session.MCPServerStatus `json:"mcp_servers,omitempty" schema:"object"`
	Trust      *session.Trust            `json:"trust,omitempty" schema:"object"`
	Sharing    session.Sharing           `json:"sharing" schema:"object"`
}

// serverStatus is one process, or one server without any. Times are milliseconds before the answer: a
// model compares how long ago something was, and has no clock.
type serverStatus struct {
	ServerID   string         `json:"server_id"`
	State      string         `json:"state"`
	Root       string         `json:"root,omitempty"`
	Folders    []string       `json:"folders,omitempty" schema:"-"`
	PID        int            `json:"pid,omitempty"`
	Command    string         `json:"command,omitempty" schema:"-"`
	Version    string         `json:"version,omitempty"`
	Uptime     int64          `json:"uptime_ms,omitempty"`
	LastUsed   int64          `json:"last_used_ms_ago,omitempty" schema:"-"`
	Index      *indexState    `json:"index,omitempty" schema:"object"`
	Restarts   int            `json:"restarts"`
	Crashes    int            `json:"recent_crashes"`
	RetryAfter int64          `json:"retry_after_ms,omitempty" schema:"-"`
	Evicted    string         `json:"stopped_because,omitempty" schema:"-"`
	LastError  *serverTrouble `json:"last_error,omitempty" schema:"object"`
	Memory     uint64         `json:"memory_bytes,omitempty"` // absent where nobody knows
	Elsewhere  bool           `json:"runs_elsewhere,omitempty" schema:"-"`
	Open       int            `json:"open_documents"`
	LastSync   *lastSync      `json:"last_sync,omitempty" schema:"object"`
	Encoding   string         `json:"position_encoding,omitempty" schema:"-"`
	Methods    []string       `json:"methods,omitempty"`
	NotRun     []string       `json:"not_run,omitempty" schema:"-"` // code of the workspace, which is not trusted
	// what it may fetch because files of the workspace say so
	Fetches   []string `json:"fetches,omitempty" schema:"-"`
	Watch     string   `json:"watch,omitempty"`
	WatchNote string   `json:"watch_reason,omitempty" schema:"-"`
}

// indexState is whether the project is loaded, how that is known, and since when. Known false says that
// the server gives no sign, so that ready is an assumption.
type indexState struct {
	Ready      bool   `json:"ready"`
	Known      bool   `json:"known"`
	Evidence   string `json:"evidence"`
	Percent    *int   `json:"percent,omitempty"`
	Message    string `json:"message,omitempty"`
	Health     string `json:"health,omitempty"`
	HealthNote string `json:"health_note,omitempty"`
	LoadFailed string `json:"load_failed,omitempty"` // the reason
	For        int64  `json:"for_ms"`
}

// serverTrouble is why a server is not there, with what helps to mend it: the programs that were tried,
// and the end of its stderr.
type serverTrouble struct {
	Kind       contract.Kind `json:"kind"`
	Message    string        `json:"message"`
	Ago        int64         `json:"ms_ago"`
	Tried      []string      `json:"tried,omitempty"`
	StderrTail []string      `json:"stderr_tail,omitempty"`
}

// lastSync is the last time that files had changed and the server was told.
type lastSync struct {
	Ago     int64 `json:"ms_ago"`
	Changed int   `json:"changed_files"`
	Took    int64 `json:"took_ms"`
}

// getServerStatus shows which servers run, what each is doing, and what was wrong last. It asks no
// server, so it answers also when one hangs.
var getServerStatus = define("get_server_status", answer.Status,
	func(ctx context.Context, c *answer.Call, in getServerStatusIn) (*getServerStatusOut, error) {
		if c.Workspace.Table == nil {
			return nil, errNoSession
		}
		var only *spec.Spec
		if one := mcpServer(c, in.ServerID); one != nil {
			return &getServerStatusOut{Servers: []serverStatus{}, MCPServers: one, Trust: c.Session.Settings.Trust,
				Sharing: c.Workspace.Process.Sharing}, nil
		}
		if in.ServerID != "" {
			sp, err := c.Workspace.Table.Server(in.ServerID)
			if err != nil {
				return nil, err
			}
			only = sp
		}
		out := &getServerStatusOut{Servers: []serverStatus{}, Trust: c.Session.Settings.Trust,
			Sharing: c.Workspace.Process.Sharing}
		// Processes first, then the servers without one: a server with two roots has two processes and no further line.
		seen := map[*spec.Spec]bool{}
		now := time.Now()
		for _, st := range answer.PoolStatus(c) {
			seen[st.Spec] = true
			if only == nil || st.Spec == only {
				out.Servers = append(out.Servers, statusOf(ctx, c, st, now))
			}
		}
		// A server without a process may be installed or not, and that is what a host wants to know of
		// it.
		for _, sp := range notStarted(ctx, c, only) {
			if !seen[sp] {
				out.Servers = append(out.Servers, serverStatus{ServerID: sp.ID, State: ask.State(c, sp),
					Command: answer.Program(c, sp), NotRun: withheldBy(sp), Fetches: spec.FetchedBy(sp)})
			}
		}
		if c.Request.MCPServers != nil && only == nil {
			out.MCPServers = c.Request.MCPServers()
		}
		return out, nil
	})

// mcpServer returns the state of the MCP server with an id; nil when there is none.
func mcpServer(c *answer.Call, id string) []session.MCPServerStatus {
	if c.Request.MCPServers == nil || id == "" {
		return nil
	}
	for _, one := range c.Request.MCPServers() {
		if one.ID == id {
			return []session.MCPServerStatus{one}
		}
	}
	return nil
}

// notStarted returns the servers that are shown although nobody has asked them: the one in question, or
// those that answer for files of the workspace or are configured.
func notStarted(ctx context.Context, c *answer.Call, only *spec.Spec) []*spec.Spec {
	if only != nil {
		return []*spec.Spec{only}
	}
	configured := configured(c)
	files := map[*spec.Spec]bool{}
	for _, n := range ask.SurveyServers(ctx, c) {
		files[n.Spec] = n.Asked
	}
	var out []*spec.Spec
	for i := range c.Workspace.Table.Specs {
		if sp := &c.Workspace.Table.Specs[i]; files[sp] || configured[sp.ID] {
			out = append(out, sp)
		}
	}
	return out
}

// statusOf returns one slot of the pool.
func statusOf(ctx context.Context, c *answer.Call, st router.ServerStatus, now time.Time) serverStatus {
	out := serverStatus{ServerID: st.Spec.ID, State: ask.StateOf(st), Root: c.Show(st.Root), Restarts: st.Restarts,
		Crashes: st.Crashes, RetryAfter: st.RetryAfter.Milliseconds(), LastError: troubleOf(st, now),
		Evicted: st.Evicted, Elsewhere: st.Spec.RunsElsewhere(),
		NotRun: withheldBy(st.Spec), Fetches: spec.FetchedBy(st.Spec)}
	if !st.LastUsed.IsZero() {
		out.LastUsed = ago(st.LastUsed, now)
	}
	if st.Server != nil {
		fill(c, &out, st.Server.State(), now)
		// It looks at every process of this machine, so that an ordinary [lsp.State] does without.
		out.Memory = st.Server.Memory()
		for _, folder := range st.Server.Folders().All() {
			f, failed := st.Server.Health().LoadFailed(ctx, folder)
			if failed && out.Index != nil && out.Index.LoadFailed == "" {
				out.Index.LoadFailed = ask.ShortReason(f.Reason, true)
			}
		}
	}
	return out
}

// fill adds what a running process shows.
func fill(c *answer.Call, out *serverStatus, s lsp.State, now time.Time) {
	out.PID, out.Command, out.Version, out.Uptime = s.PID, s.Command, s.Version, ago(s.Started, now)
	// One folder is the root, which is told already.
	if len(s.Folders) > 1 {
		for _, f := range s.Folders {
			out.Folders = append(out.Folders, c.Show(f))
		}
	}
	out.Index = &indexState{Ready: s.Status.Ready, Known: s.Status.Known, Evidence: s.Status.Evidence,
		Message: s.Status.Message, Health: s.Status.Health, HealthNote: answer.CutText(s.Status.HealthNote, 400),
		For: ago(s.Since, now)}
	if s.Status.Percent >= 0 {
		out.Index.Percent = &s.Status.Percent
	}
	out.Open, out.Encoding = s.Open, s.Encoding.String()
	if !s.LastSync.At.IsZero() {
		out.LastSync = &lastSync{Ago: ago(s.LastSync.At, now), Changed: s.LastSync.Changed,
			Took: s.LastSync.Took.Milliseconds()}
	}
	for _, m := range s.Methods {
		out.Methods = append(out.Methods, strings.TrimPrefix(m, "textDocument/"))
	}
	out.Watch, out.WatchNote = s.Watch, s.WatchReason
	// It costs time at every call, and the reason is often one that the user can mend (the limit of watches).
	if s.Watch == "compare" {
		c.Warn(contract.WarnWatchFallback, contract.Facts{"reason": s.WatchReason},
			"lspi finds changes of files by comparing the tree at each call, which is slower: "+s.WatchReason)
	}
}

// troubleOf returns the last crash or failed start, with the end of stderr; nil when there was none.
func troubleOf(st router.ServerStatus, now time.Time) *serverTrouble {
	if st.LastErr == nil {
		return nil
	}
	t := &serverTrouble{Message: answer.CutText(st.LastErr.Error(), 600), Ago: ago(st.LastErrAt, now)}
	// Errors of a start carry what was tried; those of a crash the end of stderr.
	if e := (*contract.Error)(nil); errors.As(st.LastErr, &e) {
		t.Kind, t.Tried, t.StderrTail = e.Kind, answer.AsStrings(e.Facts["tried"]),
			answer.AsStrings(e.Facts["stderr_tail"])
	}
	return t
}

// ago returns the milliseconds since t; never negative, since the clock may be set back.
func ago(t, now time.Time) int64 { return max(now.Sub(t).Milliseconds(), 0) }

// Summary names each server with its state.
func (o *getServerStatusOut) Summary() string {
	if len(o.Servers) == 0 && len(o.MCPServers) == 0 {
		return "No server has been started; each starts with the first question that needs it."
	}
	var parts []string
	for _, s := range o.Servers {
		parts = append(parts, s.ServerID+" "+s.State)
	}
	for _, s := range o.MCPServers {
		parts = append(parts, "MCP server "+s.ID+" "+s.State)
	}
	return fmt.Sprintf("Servers: %s.", strings.Join(parts, ", "))
}

// Size counts language servers; other MCP servers are few and always shown.
func (o *getServerStatusOut) Size() int { return len(o.Servers) }

func (o *getServerStatusOut) Cut(n int) any {
	return &getServerStatusOut{o.Servers[:n], o.MCPServers, o.Trust, o.Sharing}
}

func (o *getServerStatusOut) Tell(s *answer.Sheet) {
	trust(s, o.Trust)
	switch {
	case o.Sharing.Shared:
		s.Line(0, "These servers serve all hosts of the user (process %d).", o.Sharing.PID)
	case o.Sharing.Reason != "":
		s.Line(0, "These servers serve this host alone: %s.", o.Sharing.Reason)
	}
	for _, server := range o.Servers {
		s.Line(0, "- %s", answer.PlainFields(server))
	}
	for _, server := range o.MCPServers {
		s.Line(0, "- %s", answer.PlainFields(server))
	}
}

// withheldBy returns what a server does not run because the workspace is not trusted: nothing in a
// trusted workspace, and for a server that runs no code of it. Of a server that is not started at all
// for this reason it says so.
func withheldBy(spec *spec.Spec) (out []string) {
	if len(spec.Untrusted) == 0 || spec.Code == nil {
		return nil
	}
	if off := spec.Off(); off != "" {
		return []string{"not started: " + off}
	}
	for _, r := range spec.Code.Runs {
		out = append(out, r.What)
	}
	return out
}

// trust writes the line about whether code of the workspace runs; nothing when that is not known.
func trust(s *answer.Sheet, t *session.Trust) {
	switch {
	case t == nil:
	case t.Trusted:
		s.Line(0, "the workspace is trusted, so its code may run: %s", t.Why)
	default:
		s.Line(0, "the workspace is not trusted (%s), so servers run none of its code", t.Why)
	}
}
