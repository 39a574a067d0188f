package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/contract"
	"lspi/tools/session"
)

// MCPServer is another MCP server of the configuration ([mcp_servers.ID]). Its texts hold no secret.
type MCPServer struct {
	ID        string   `json:"id"`                  // the name of its table
	File      string   `json:"file"`                // the highest file that has the table, absolute
	State     MCPState `json:"state"`               // works: it was started and gave its lists
	Transport string   `json:"transport,omitempty"` // stdio or http
	Command   string   `json:"command,omitempty"`   // with its arguments, or the URL
	// the program that command leads to, absolute; "" for a URL, and when it is not there
	Program   string   `json:"program,omitempty"`
	Version   string   `json:"version,omitempty"`       // its name and version, as it says
	Protocol  string   `json:"protocol,omitempty"`      // the version of MCP that was agreed on
	Took      int64    `json:"took_ms,omitempty"`       // until it had started and given its lists
	Tools     int      `json:"tools"`                   // how many
	Prompts   int      `json:"prompts"`                 // how many
	Resources int      `json:"resources"`               // how many, with templates
	Kept      bool     `json:"kept"`                    // a list that was kept from an earlier session is counted
	Error     string   `json:"error,omitempty"`         // why it is not used, or fails
	Stderr    []string `json:"stderr_tail,omitempty"`   // the last lines of its standard error, when it fails
	Warnings  []string `json:"list_warnings,omitempty"` // what of its lists was mended or left out
	Checks    []Check  `json:"checks,omitempty"`        // of the server
}

// MCPState says whether another MCP server works.
type MCPState string

// The states.
const (
	MCPWorks     MCPState = "works"
	MCPFails     MCPState = "fails"
	MCPMissing   MCPState = "missing"     // its program is not there
	MCPNotUsable MCPState = "not_usable"  // its table is wrong, so that no session starts it
	MCPUntrusted MCPState = "not_trusted" // a file of the workspace adds it, which the user does not trust
	MCPLeftOut   MCPState = "left_out"    // the preset in use leaves it out
	MCPDisabled  MCPState = "disabled"    // enabled = false
)

// nameMCPServer is the name of checks about an MCP server that does not work.
const nameMCPServer = "mcp_server"

// mcpLimit bounds the start and the lists of one MCP server: a minute for the start, as in sessions, and more for the
// lists.
const mcpLimit = startLimit + askLimit

// askMCPServers begins to start the MCP servers of the configuration, side by side and beside the language servers. It
// does not wait; the returned function waits for all and returns them by id.
func (e *examination) askMCPServers(ctx context.Context) (wait func() []MCPServer) {
	out := make([]MCPServer, 0, len(e.Config.MCPServers)+len(e.Config.UntrustedServers))
	for _, id := range slices.Sorted(maps.Keys(e.Config.MCPServers)) {
		out = append(out, MCPServer{ID: id, File: e.Config.MCPServers[id].File, State: MCPDisabled})
	}
	for _, u := range e.Config.UntrustedServers {
		out = append(out, MCPServer{ID: u.ID, File: u.File, State: MCPUntrusted, Error: "it is not started, because " +
			u.File + " adds it, which is not trusted",
			Checks: []Check{{Name: nameUntrusted, Level: Note, Message: "it is not started, because " + u.File +
				" adds it, which is not trusted", Fix: []string{u.Command}}}})
	}
	slices.SortFunc(out, func(a, b MCPServer) int { return cmp.Compare(a.ID, b.ID) })
	byID := map[string]*MCPServer{}
	for i := range out {
		byID[out[i].ID] = &out[i]
	}
	var all sync.WaitGroup
	room := make(chan struct{}, maxProbes)
	for i := range e.MCPServers {
		w := &e.MCPServers[i]
		s := byID[w.ID]
		if s == nil {
			continue
		}
		s.Transport, s.Command = shown(w)
		switch {
		case w.LeftOut:
			s.State = MCPLeftOut
		case w.Broken != "":
			s.notUsable(w.Broken, e.Config.Findings)
		default:
			all.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				defer e.Progress.Say("MCP server "+s.ID, "")
				e.askMCPServer(ctx, s, mcpclient.Spec(w.MCPSpec))
			})
		}
	}
	return func() []MCPServer {
		all.Wait()
		return out
	}
}

// shown returns how a server is reached, without secrets.
func shown(w *session.MCPServer) (transport, command string) {
	spec := (*mcpclient.Spec)(&w.MCPSpec).Masked()
	if spec.URL != "" {
		return "http", spec.URL
	}
	return "stdio", strings.Join(append([]string{spec.Command}, spec.Args...), " ")
}

// notUsable records why no session starts the server. It adds no check when a finding about its table says so already.
func (s *MCPServer) notUsable(why string, findings []config.Finding) {
	s.State, s.Error = MCPNotUsable, why
	table := "mcp_servers." + s.ID
	if !slices.ContainsFunc(findings, func(f config.Finding) bool {
		return f.Key == table || strings.HasPrefix(f.Key, table+".")
	}) {
		s.Checks = []Check{{Name: nameMCPServer, Level: Warning, Message: "it is not used: " + why,
			Fix: []string{s.correct("the table")}}}
	}
}

func (s *MCPServer) correct(what string) string {
	return fmt.Sprintf("Correct %s in [mcp_servers.%s] of %s, or set enabled = false there.", what, s.ID, s.File)
}

// askMCPServer starts a server as a session does, asks for its lists, and ends it.
func (e *examination) askMCPServer(ctx context.Context, s *MCPServer, spec mcpclient.Spec) {
	e.Progress.Say("MCP server "+s.ID, "starting")
	client, err := e.MCPClient(spec)
	if err != nil {
		s.fails(&mcpclient.Error{Server: s.ID, Kind: mcpclient.StartFailed, Message: err.Error()})
		return
	}
	defer client.Close()
	if s.Transport == "stdio" {
		s.Program, _ = client.Program() // on an error the start below fails with the same reason
	}
	ctx, cancel := context.WithTimeout(ctx, mcpLimit)
	defer cancel()
	began := time.Now()
	failed := listAll(ctx, client)
	s.Took = time.Since(began).Milliseconds()
	st := client.Status()
	s.record(st, failed != nil)
	switch {
	case failed == nil:
		s.State = MCPWorks
	case ctx.Err() != nil && st.LastError != nil: // says why it took so long, unlike the timeout itself
		s.fails(st.LastError)
	default:
		s.fails(failed)
	}
}

// listAll asks a server for all its lists at the same time and returns the first failure in the order of lists.
func listAll(ctx context.Context, client *mcpclient.Client) *mcpclient.Error {
	var failed [4]error
	var all sync.WaitGroup
	all.Go(func() { failed[0] = failureOf(client.Tools(ctx)) })
	all.Go(func() { failed[1] = failureOf(client.Prompts(ctx)) })
	all.Go(func() { failed[2] = failureOf(client.Resources(ctx)) })
	all.Go(func() { failed[3] = failureOf(client.ResourceTemplates(ctx)) })
	all.Wait()
	for _, err := range failed {
		if e := (*mcpclient.Error)(nil); errors.As(err, &e) {
			return e
		}
	}
	return nil
}

// failureOf returns why the server did not give a list, also when a kept one is used instead.
func failureOf[T any](l mcpclient.List[T], err error) error { return cmp.Or(err, l.Err) }

// maxMCPWarnings bounds the warnings about the lists of one server.
const maxMCPWarnings = 5

// record takes over what is known of the server. Kept is set only when failed: a list that the server has just given
// counts as its own, even if the server has since announced a change.
func (s *MCPServer) record(st mcpclient.Status, failed bool) {
	if st.Info != nil {
		s.Version, s.Protocol = strings.TrimSpace(contract.OneLine(st.Info.Name+" "+st.Info.Version)), st.Info.Protocol
	}
	for _, kind := range mcpclient.ListKinds {
		list := st.Lists[kind]
		switch kind {
		case mcpclient.ToolList:
			s.Tools = list.Count
		case mcpclient.PromptList:
			s.Prompts = list.Count
		default:
			s.Resources += list.Count
		}
		s.Kept = s.Kept || failed && list.Cached && list.Count > 0
		for _, w := range list.Warnings {
			if len(s.Warnings) < maxMCPWarnings {
				s.Warnings = append(s.Warnings, contract.OneLine(w))
			}
		}
	}
}

// fails records why the server does not work, and what to do. It is a warning, because lspi's own tools and other
// servers work all the same.
func (s *MCPServer) fails(err *mcpclient.Error) {
	s.State, s.Error, s.Stderr = MCPFails, contract.OneLine(err.Message), err.Stderr
	c := Check{Name: nameMCPServer, Level: Warning, Message: "it does not work: " + s.Error}
	switch {
	case err.Kind == mcpclient.NotFound:
		s.State, c.Message = MCPMissing, s.Error
		c.Fix = []string{"Install the program. " + s.correct("command")}
	case err.Kind == mcpclient.Unauthorized:
		c.Fix = []string{s.correct("token_env or headers")}
	case s.Transport == "http":
		c.Fix = []string{"Start the server of this URL. " + s.correct("url")}
	default:
		c.Fix = []string{s.correct("command, args or env")}
	}
	if s.Kept {
		c.Message += "; hosts see its tools of an earlier time, whose calls fail"
	}
	s.Checks = append(s.Checks, c)
}
