package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
)

type getServerStatusIn struct {
	ServerID string `json:"server_id"`
	caps
}

type getServerStatusOut struct {
	Servers []serverStatus `json:"servers"`
	Trust   *Trust         `json:"trust,omitempty" schema:"object"`
}

// serverStatus is one process, or one server that has none. Times are milliseconds before the answer: what a model
// compares is "how long ago", and it has no clock.
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
	Memory     uint64         `json:"memory_bytes,omitempty"`
	Open       int            `json:"open_documents"`
	LastSync   *lastSync      `json:"last_sync,omitempty" schema:"object"`
	Encoding   string         `json:"position_encoding,omitempty" schema:"-"`
	Methods    []string       `json:"methods,omitempty"`
	NotRun     []string       `json:"not_run,omitempty" schema:"-"` // code of the workspace, which is not trusted
	Fetches    []string       `json:"fetches,omitempty" schema:"-"` // what it may fetch because files of the workspace say so
	Watch      string         `json:"watch,omitempty"`
	WatchNote  string         `json:"watch_reason,omitempty" schema:"-"`
}

// indexState is whether the project is loaded, how that is known, and for how long it has been so. Known false means
// that the server gives no sign, and ready is an assumption.
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

var getServerStatus = define("get_server_status", Status,
	func(ctx context.Context, c *Call, in getServerStatusIn) (*getServerStatusOut, error) {
		if c.env.Table == nil {
			return nil, errNoSession
		}
		var only *lsp.Spec
		if in.ServerID != "" {
			spec, err := c.env.Table.Server(in.ServerID)
			if err != nil {
				return nil, err
			}
			only = spec
		}
		out := &getServerStatusOut{Servers: []serverStatus{}, Trust: c.env.Settings.Trust}
		seen := map[*lsp.Spec]bool{}
		now := time.Now()
		for _, st := range c.status() {
			seen[st.Spec] = true
			if only == nil || st.Spec == only {
				out.Servers = append(out.Servers, c.statusOf(ctx, st, now))
			}
		}
		for _, spec := range c.notStarted(ctx, only) {
			if !seen[spec] {
				out.Servers = append(out.Servers, serverStatus{ServerID: spec.ID, State: c.state(spec), Command: c.program(spec), NotRun: withheldBy(spec), Fetches: lsp.FetchedBy(spec)})
			}
		}
		return out, nil
	})

// notStarted are servers that would be shown although nobody asked for them yet: the one in question, or those that
// answer for files of the workspace.
func (c *Call) notStarted(ctx context.Context, only *lsp.Spec) []*lsp.Spec {
	if only != nil {
		return []*lsp.Spec{only}
	}
	configured := c.configured()
	files := map[*lsp.Spec]bool{}
	for _, n := range c.needs(ctx) {
		files[n.spec] = n.asked
	}
	var out []*lsp.Spec
	for i := range c.env.Table.Specs {
		if spec := &c.env.Table.Specs[i]; files[spec] || configured[spec.ID] {
			out = append(out, spec)
		}
	}
	return out
}

func (c *Call) statusOf(ctx context.Context, st router.ServerStatus, now time.Time) serverStatus {
	out := serverStatus{ServerID: st.Spec.ID, State: stateOf(st), Root: c.show(st.Root), Restarts: st.Restarts,
		Crashes: st.Crashes, RetryAfter: st.RetryAfter.Milliseconds(), LastError: troubleOf(st, now), Evicted: st.Evicted, NotRun: withheldBy(st.Spec), Fetches: lsp.FetchedBy(st.Spec)}
	if !st.LastUsed.IsZero() {
		out.LastUsed = ago(st.LastUsed, now)
	}
	if st.Server != nil {
		c.fill(&out, st.Server.Snapshot(), now)
		out.Memory = st.Server.Memory()
		if f, failed := st.Server.LoadFailed(ctx, st.Root); failed && out.Index != nil {
			out.Index.LoadFailed = shortReason(f.Reason, true)
		}
	}
	return out
}

// fill adds what a running process shows.
func (c *Call) fill(out *serverStatus, s lsp.Snapshot, now time.Time) {
	out.PID, out.Command, out.Version, out.Uptime = s.PID, s.Command, s.Version, ago(s.Started, now)
	if len(s.Folders) > 1 {
		for _, f := range s.Folders {
			out.Folders = append(out.Folders, c.show(f))
		}
	}
	out.Index = &indexState{Ready: s.Status.Ready, Known: s.Status.Known, Evidence: s.Status.Evidence,
		Message: s.Status.Message, Health: s.Status.Health, HealthNote: cutText(s.Status.HealthNote, 400), For: ago(s.Since, now)}
	if s.Status.Percent >= 0 {
		out.Index.Percent = &s.Status.Percent
	}
	out.Open, out.Encoding = s.Open, s.Encoding.String()
	if !s.LastSync.At.IsZero() {
		out.LastSync = &lastSync{Ago: ago(s.LastSync.At, now), Changed: s.LastSync.Changed, Took: s.LastSync.Took.Milliseconds()}
	}
	for _, m := range s.Methods {
		out.Methods = append(out.Methods, strings.TrimPrefix(m, "textDocument/"))
	}
	out.Watch, out.WatchNote = s.Watch, s.WatchReason
	if s.Watch == "compare" {
		c.warn(contract.WarnWatchFallback, contract.Facts{"reason": s.WatchReason},
			"file changes are found by comparing the tree at each call, which is slower: "+s.WatchReason)
	}
}

// troubleOf is the last crash or failed start with the end of stderr.
func troubleOf(st router.ServerStatus, now time.Time) *serverTrouble {
	if st.LastErr == nil {
		return nil
	}
	t := &serverTrouble{Message: cutText(st.LastErr.Error(), 600), Ago: ago(st.LastErrAt, now)}
	if e := (*contract.Error)(nil); errors.As(st.LastErr, &e) {
		t.Kind, t.Tried, t.StderrTail = e.Kind, asStrings(e.Facts["tried"]), asStrings(e.Facts["stderr_tail"])
	}
	return t
}

func ago(t, now time.Time) int64 { return max(now.Sub(t).Milliseconds(), 0) }

func (o *getServerStatusOut) Summary() string {
	if len(o.Servers) == 0 {
		return "No server has been started; each starts with the first question that needs it."
	}
	var parts []string
	for _, s := range o.Servers {
		parts = append(parts, s.ServerID+" "+s.State)
	}
	return fmt.Sprintf("Servers: %s.", strings.Join(parts, ", "))
}

func (o *getServerStatusOut) shedSnippets() bool { return false }

func (o *getServerStatusOut) size() int { return len(o.Servers) }

func (o *getServerStatusOut) cut(n int) any { return &getServerStatusOut{o.Servers[:n], o.Trust} }

func (o *getServerStatusOut) tell(s *sheet) {
	s.trust(o.Trust)
	for _, server := range o.Servers {
		s.line(0, "- %s", plainFields(server))
	}
}
