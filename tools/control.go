package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// The tools that start and stop servers share their arguments and what they tell of each process.

// controlIn picks servers by id, or by the extensions that they serve.
type controlIn struct {
	ServerID   string   `json:"server_id"`
	Extensions []string `json:"extensions"`
	answer.Caps
}

// Check wants exactly one way to pick servers. To pick none would stop all, which nobody means by
// leaving an argument out.
func (in controlIn) Check() error {
	switch {
	case in.ServerID == "" && len(in.Extensions) == 0:
		return contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": "server_id"},
			"server_id or extensions is missing: one of them has to say which server")
	case in.ServerID != "" && len(in.Extensions) > 0:
		return answer.Invalid("extensions", "cannot be given together with server_id: each of them selects the servers")
	}
	return nil
}

// controlled is one process that was ended, and what took its place.
type controlled struct {
	ServerID string `json:"server_id"`
	Root     string `json:"root"`
	Was      string `json:"was"`
	Before   int    `json:"pid_before,omitempty"`
	State    string `json:"state"`
	PID      int    `json:"pid,omitempty"`
	Error    string `json:"error,omitempty" schema:"-"`
}

// controlOut is the answer of these tools. Note says why nothing was done, where that is so.
type controlOut struct {
	Servers []controlled `json:"servers" schema:"object"`
	Note    string       `json:"note,omitempty"`

	did     string // in words: "stopped"
	unshown int    // how many were cut off
}

// picked returns the servers that the arguments pick.
func picked(c *answer.Call, in controlIn) ([]*spec.Spec, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	if in.ServerID != "" {
		sp, err := c.Workspace.Table.Server(in.ServerID)
		if err != nil {
			return nil, err
		}
		return []*spec.Spec{sp}, nil
	}
	var out []*spec.Spec
	for _, given := range in.Extensions {
		// "go", ".go" and "*.go" are what models write.
		extension := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(given, "*"), "."))
		served := c.Workspace.Table.Candidates("x." + extension)
		if len(served) == 0 {
			return nil, c.Workspace.Table.NoServer("x." + extension)
		}
		out = append(out, served...)
	}
	return out, nil
}

// stop ends the processes of these servers, and returns what each was.
func stop(c *answer.Call, in controlIn) ([]router.Stopped, error) {
	specs, err := picked(c, in)
	if err != nil {
		return nil, err
	}
	// The name of a server stands in the envelope only when there is one.
	if len(specs) == 1 {
		c.AnsweredBy(specs[0].ID)
	}
	return c.Workspace.Pool.Stop(func(s *spec.Spec) bool { return slices.Contains(specs, s) }), nil
}

// wasRunning reports whether there was a process to end.
func wasRunning(s router.Stopped) bool { return s.State == "running" || s.State == ask.StateStarting }

// describeProcess returns a process that was ended; [start] overwrites its state where it is started
// again.
func describeProcess(c *answer.Call, s router.Stopped) controlled {
	return controlled{ServerID: s.Route.Spec.ID, Root: c.Show(s.Route.Root), Was: s.State, Before: s.PID,
		State: ask.StateStopped}
}

// picked returns the servers in words.
func (in controlIn) picked() string {
	if in.ServerID != "" {
		return in.ServerID
	}
	return "server for " + strings.Join(in.Extensions, ", ")
}

// start starts a server again where it was stopped, and waits until the handshake is done (initialize),
// not until its project is loaded.
func start(ctx context.Context, c *answer.Call, of *controlled, r router.Route) error {
	s, release, err := c.Servers.Get(ctx, r)
	if err != nil {
		of.State, of.Error = ask.StateFailed, answer.AsError(err).Message
		return err
	}
	// Given back at once: it was only to be started.
	defer release()
	of.PID, of.State = s.PID(), ask.StateIndexing
	if s.Status().Ready {
		of.State = ask.StateReady
	}
	return nil
}

// Summary names each process that was ended, with the one that took its place.
func (o *controlOut) Summary() string {
	if len(o.Servers) == 0 {
		return o.Note
	}
	var parts []string
	for _, s := range o.Servers {
		// The process ids show that the restart happened.
		part := fmt.Sprintf("%s (pid %d, %s)", s.ServerID, s.Before, s.Root)
		if s.PID != 0 {
			part += fmt.Sprintf(" is now pid %d", s.PID)
		}
		parts = append(parts, part)
	}
	if o.unshown > 0 {
		parts = append(parts, fmt.Sprintf("%d more", o.unshown))
	}
	return o.did + ": " + strings.Join(parts, "; ") + "."
}

// Size counts processes.
func (o *controlOut) Size() int { return len(o.Servers) }

// Cut keeps the first n processes.
func (o *controlOut) Cut(n int) any {
	less := *o
	less.Servers, less.unshown = o.Servers[:n], len(o.Servers)-n
	return &less
}

func (o *controlOut) Tell(s *answer.Sheet) {
	for _, server := range o.Servers {
		s.Line(0, "- %s", answer.PlainFields(server))
	}
}

// Steps lead to the rest: it has happened all the same, and doing it again would not show it.
func (o *controlOut) Steps(*answer.Call, int) []contract.NextStep {
	return []contract.NextStep{{Kind: contract.StepTool, Tool: "get_server_status", Arguments: map[string]any{},
		Message: "The call handled all of them, also those not shown; see what runs now."}}
}
