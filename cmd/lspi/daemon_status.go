package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/doctor"
	"lspi/contract"
)

// daemonStatus is what lspi daemon status --json prints, one for each shared process. Times are milliseconds ago.
type daemonStatus struct {
	SchemaVersion int   `json:"schema_version"`
	PID           int   `json:"pid"`
	Build         build `json:"build"`
	Uptime        int64 `json:"uptime_ms"`
	Retired       bool  `json:"retired"` // a newer lspi runs: this one ends with its last session
	// Ending: it was told to end and waits for the calls in flight.
	Ending   bool         `json:"ending"`
	UnderWay int          `json:"calls_under_way"`
	Calls    int64        `json:"calls"`
	Sessions []hostStatus `json:"sessions"`
	Roots    []rootStatus `json:"roots"`
	Memory   uint64       `json:"memory_bytes"` // of all servers
	HTTP     *httpStatus  `json:"http,omitempty"`
	Hooks    *hookStatus  `json:"hooks,omitempty"`
	Socket   string       `json:"socket"`
	Log      string       `json:"log,omitempty"` // "" when there is no such file
}

type hostStatus struct {
	Host  string `json:"host"`           // clientInfo.name; "" before the handshake
	PID   int    `json:"pid"`            // of its lspi mcp; 0 for a host over HTTP
	Root  string `json:"root,omitempty"` // "" before its first call
	Since int64  `json:"since_ms"`
	Calls int64  `json:"calls"`
	// Preset is the name of the preset in use; "" for none.
	Preset string `json:"preset,omitempty"`

	id string // of the session; "" over HTTP
}

// hookStatus describes the sessions of hosts whose hooks run lspi hook. They are no hosts of the process.
type hookStatus struct {
	Sessions int   `json:"sessions"`
	Last     int64 `json:"last_event_ms_ago"`
}

// httpStatus describes the HTTP side of a process that serves HTTP.
type httpStatus struct {
	URL     string           `json:"url"`
	Refused map[string]int64 `json:"refused"` // requests, by reason
}

type rootStatus struct {
	Root     string               `json:"root"`
	Sessions int                  `json:"sessions"`
	Unused   int64                `json:"unused_ms,omitempty"` // since its last session ended
	Servers  []sharedServerStatus `json:"servers"`
}

type sharedServerStatus struct {
	ServerID string `json:"server_id"`
	Root     string `json:"root"`
	State    string `json:"state"`
	PID      int    `json:"pid,omitempty"`
	Ready    bool   `json:"ready"`
	Memory   uint64 `json:"memory_bytes,omitempty"`
	Uptime   int64  `json:"uptime_ms,omitempty"`
	LastUsed int64  `json:"last_used_ms_ago,omitempty"`
}

// examine runs the checks of lspi doctor for the command line that a hello describes.
func (d *shared) examine(ctx context.Context, h *daemon.Hello, progress doctor.Progress) any {
	defer d.forgetLog(h.Session) // the session is only for this command
	s := d.open(h).session
	defer s.close()
	c, err := s.load(nil)
	if err == nil {
		var r *doctor.Report
		if r, err = s.report(ctx, c, h.Command == commandStrict, progress); err == nil {
			return r
		}
	}
	return map[string]string{"error": err.Error()}
}

// status collects the state of the process. A session that has left but not ended yet counts only in Calls. The
// sessions over HTTP and the workspaces have locks of their own, so they are read after d.mu is released.
func (d *shared) status() daemonStatus {
	now := time.Now()
	out := daemonStatus{SchemaVersion: 1, PID: d.process.Sharing.PID, Build: version(), Uptime: since(d.started, now),
		Retired: d.server.Retired(), Ending: d.server.Ending(),
		Sessions: []hostStatus{}, Roots: []rootStatus{}}
	d.mu.Lock()
	out.Calls = d.calls
	for _, s := range d.served {
		h := hostStatus{Host: contract.EscapeText(s.service.Host()), PID: s.Hello.PID, Root: s.service.Root(),
			Since: since(s.Since, now), Calls: s.service.Calls(),
			Preset: s.session.live.preset(), id: s.ID}
		out.Calls += h.Calls
		if s.left {
			continue
		}
		out.UnderWay += s.host.Open()
		out.Sessions = append(out.Sessions, h)
	}
	d.mu.Unlock()
	if d.door != nil {
		out.HTTP = &httpStatus{d.door.url, d.door.Refused()}
		out.Calls += d.door.mcp.Calls()
		for _, s := range d.door.mcp.Sessions() {
			out.Sessions = append(out.Sessions, hostStatus{Host: s.Host, Root: s.Root, Since: since(s.Since, now),
				Calls: s.Calls, Preset: s.Preset})
		}
	}
	if n, last := d.hooked.Count(); n > 0 {
		out.Hooks = &hookStatus{n, since(last, now)}
	}
	slices.SortFunc(out.Sessions, func(a, b hostStatus) int { return cmp.Compare(b.Since, a.Since) })
	for _, w := range d.process.Status() {
		r := rootStatus{Root: w.Root, Sessions: w.Sessions, Servers: []sharedServerStatus{}}
		if !w.Unused.IsZero() {
			r.Unused = since(w.Unused, now)
		}
		for _, st := range w.Servers {
			one := sharedServerStatus{ServerID: st.Spec.ID, Root: st.Root, State: st.State}
			if !st.LastUsed.IsZero() {
				one.LastUsed = since(st.LastUsed, now)
			}
			if st.Server != nil {
				state := st.Server.State()
				one.PID, one.Ready, one.Memory = st.Server.PID(), state.Status.Ready, st.Server.Memory()
				one.Uptime = since(state.Started, now)
				out.Memory += one.Memory
			}
			r.Servers = append(r.Servers, one)
		}
		out.Roots = append(out.Roots, r)
	}
	return out
}

// since returns the time from t to now in milliseconds, at least 0.
func since(t, now time.Time) int64 { return max(now.Sub(t).Milliseconds(), 0) }

// statusLimit is how long a shared process may take to answer with its state.
const statusLimit = 5 * time.Second

// newDaemonStatusCommand makes lspi daemon status, and lspi status.
func newDaemonStatusCommand(use string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   use,
		Short: "Who uses the shared process, and which servers it has",
		Long: "status shows the shared processes of the user: their hosts, roots and servers. There is more than one after an update,\n" +
			"until the hosts of the older one have left, and when hosts run in sandboxes.\n\n" +
			"Exit status: 0 when one runs and answers, 1 when none does.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, silent, err := daemons(cmd.Context())
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if asJSON {
				if err := printJSON(out, struct {
					Processes []daemonStatus `json:"processes"`
					Silent    []string       `json:"silent"` // sockets whose process does not answer
				}{all, silent}); err != nil {
					return err
				}
				return failedUnless(len(all) > 0)
			}
			for _, s := range all {
				s.print(out)
			}
			for _, socket := range silent {
				fmt.Fprintf(out, "The process that listens at %s does not answer.\n", socket)
			}
			if len(all) == 0 && len(silent) == 0 {
				fmt.Fprintln(out, "No shared process runs. The next host starts one.")
			}
			return failedUnless(len(all) > 0)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// daemons asks all shared processes of the user for their state. silent are the sockets of those that do not answer.
func daemons(ctx context.Context) (all []daemonStatus, silent []string, err error) {
	all, silent = []daemonStatus{}, []string{}
	err = eachDaemon(func(p daemon.Place) {
		ctx, cancel := context.WithTimeout(orBackground(ctx), statusLimit)
		defer cancel()
		var s daemonStatus
		switch err := daemon.Ask(ctx, p, daemonHello(commandStatus), &s); {
		case err == nil:
			s.Socket = p.Socket()
			if log := daemonLogPath(); log != "" {
				if _, err := os.Stat(log); err == nil {
					s.Log = log
				}
			}
			all = append(all, s)
		case daemon.Silent(err):
			silent = append(silent, p.Socket())
		}
	})
	return all, silent, err
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// print writes the state for people. Names of hosts and paths are escaped: hosts choose them.
func (s *daemonStatus) print(out io.Writer) {
	fmt.Fprintf(out, "lspi %s, process %d, up %s, %d calls\n", s.Build.Version, s.PID, ago(s.Uptime), s.Calls)
	switch {
	case s.Ending && s.UnderWay == 1:
		fmt.Fprintln(out, "It is ending, and waits for 1 call, a minute at the most. The next host starts another one.")
	case s.Ending && s.UnderWay > 1:
		fmt.Fprintf(out,
			"It is ending, and waits for %d calls, a minute at the most. The next host starts another one.\n",
			s.UnderWay)
	case s.Ending:
		fmt.Fprintln(out, "It is ending. The next host starts another one.")
	case s.Retired:
		fmt.Fprintln(out, "A newer lspi has taken over; this one ends with its last host.")
	}
	if s.HTTP != nil {
		fmt.Fprintf(out, "MCP over HTTP at %s\n", s.HTTP.URL)
	}
	if s.Hooks != nil {
		fmt.Fprintf(out, "hooks: %d of the hosts' sessions run lspi hook, the last one %s ago\n", s.Hooks.Sessions,
			ago(s.Hooks.Last))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nHOST\tPROCESS\tSINCE\tCALLS\tPRESET\tROOT\n")
	for _, h := range s.Sessions {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", cmp.Or(h.Host, "?"), orNone(h.PID), ago(h.Since), h.Calls,
			cmp.Or(contract.EscapeText(h.Preset), "-"), contract.EscapeText(cmp.Or(h.Root, "(no call yet)")))
	}
	w.Flush()
	fmt.Fprintf(w, "\nSERVER\tPROCESS\tSTATE\tMEMORY\tROOT\n")
	for _, r := range s.Roots {
		for _, v := range r.Servers {
			state := v.State
			if v.State == "running" && !v.Ready {
				state = "loading"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%d MB\t%s\n", v.ServerID, orNone(v.PID), state, v.Memory>>20,
				contract.EscapeText(v.Root))
		}
	}
	w.Flush()
	fmt.Fprintln(out)
	if s.Log != "" {
		fmt.Fprintf(out, "log     %s\n", contract.EscapeText(s.Log))
	}
	fmt.Fprintf(out, "socket  %s\n", contract.EscapeText(s.Socket))
}

func orNone(pid int) string {
	if pid == 0 {
		return "-"
	}
	return fmt.Sprint(pid)
}

// ago writes a duration of ms milliseconds for people, to the second.
func ago(ms int64) string { return (time.Duration(ms) * time.Millisecond).Round(time.Second).String() }
