package gateway

import (
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/contract"
	"lspi/tools/session"
)

// cutStatus bounds texts of a status.
const cutStatus = 600

// Status is what a host sees of the servers: no secret is in it.
func (s *Servers) Status() []session.MCPServerStatus {
	s.mu.Lock()
	wanted := s.wanted
	s.mu.Unlock()
	out := []session.MCPServerStatus{}
	for _, w := range wanted {
		if w.Broken != "" {
			out = append(out, session.MCPServerStatus{ID: w.ID, State: "not_usable", LastError: w.Broken})
			continue
		}
		one, giveBack := s.use(w.ID)
		if one == nil {
			out = append(out, session.MCPServerStatus{ID: w.ID, State: string(mcpclient.NotStarted)})
			continue
		}
		out = append(out, statusOf(one.client.Status()))
		giveBack()
	}
	return out
}

// maxTold bounds the lists of a status.
const maxTold = 5

func statusOf(st mcpclient.Status) session.MCPServerStatus {
	out := session.MCPServerStatus{ID: st.ID, State: string(st.State), Transport: st.Transport,
		Command: cut(st.Command), PID: st.PID, Restarts: st.Restarts, InFlight: st.InFlight,
		RetryAfter: st.RetryIn.Milliseconds()}
	if st.Info != nil {
		out.Version, out.Protocol = cut(st.Info.Name+" "+st.Info.Version), st.Info.Protocol
	}
	for kind, list := range st.Lists {
		switch kind {
		case mcpclient.ToolList:
			out.Tools = list.Count
		case mcpclient.PromptList:
			out.Prompts = list.Count
		default:
			out.Resources += list.Count
		}
		out.Cached = out.Cached || list.Cached && list.Count > 0
		for _, w := range list.Warnings {
			if len(out.Warnings) < maxTold {
				out.Warnings = append(out.Warnings, cut(w))
			}
		}
	}
	if st.LastError != nil {
		out.LastError = cut(st.LastError.Message)
		for _, line := range st.LastError.Stderr[max(0, len(st.LastError.Stderr)-maxTold):] {
			out.StderrTail = append(out.StderrTail, cut(line))
		}
	}
	return out
}

func cut(s string) string {
	s = contract.EscapeText(s)
	if r := []rune(s); len(r) > cutStatus {
		return string(r[:cutStatus]) + "…"
	}
	return s
}
