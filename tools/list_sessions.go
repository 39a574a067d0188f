package tools

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/recall"
)

// listSessionsIn is a window on the sessions; Limit and Offset count sessions.
type listSessionsIn struct {
	Limit  int `json:"limit" default:"10" min:"1" max:"100"`
	Offset int `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// listSessionsOut is that window. Total counts sessions of the workspace, some of which may have no
// request.
type listSessionsOut struct {
	Total    int             `json:"total"`
	Returned int             `json:"returned"`
	Sessions []listedSession `json:"sessions"`

	offset int
}

// listedSession is one conversation. Cwd is left out where it is the workspace itself.
type listedSession struct {
	SessionID     string        `json:"session_id"`
	Client        recall.Client `json:"client"`
	FirstRequest  string        `json:"first_request"`
	RequestsCount int           `json:"requests_count"`
	StartedMS     *int64        `json:"started_ms,omitempty"`
	UpdatedMS     int64         `json:"updated_ms"`
	Cwd           string        `json:"cwd,omitempty"`
	Partial       string        `json:"partial,omitempty" schema:"-"` // why requests may be missing
}

// listSessions lists the sessions of the clients that package recall knows in the workspace, the last written
// first.
var listSessions = define("list_sessions", answer.Recall, sessionsOfWorkspace)

// sessionsOfWorkspace reads only as many sessions as the window needs: each costs the reading of a
// transcript.
func sessionsOfWorkspace(ctx context.Context, c *answer.Call, in listSessionsIn) (*listSessionsOut, error) {
	all, err := transcriptsOf(c).Sessions(ctx, c.Workspace.Root, in.Offset+in.Limit)
	if err != nil {
		return nil, recallError(ctx, "", err)
	}
	out := &listSessionsOut{Total: all.Total, Sessions: []listedSession{}, offset: in.Offset}
	for _, s := range all.Sessions[min(in.Offset, len(all.Sessions)):] {
		out.Sessions = append(out.Sessions, describeSession(c, s))
	}
	out.Returned = len(out.Sessions)
	// The total also counts sessions that were not read, which may turn out to have no request.
	if more := all.Total - in.Offset - out.Returned; more > 0 && out.Returned > 0 {
		c.Leaves(all.Total, out.Returned, more, out.Next(c, out.Returned))
	}
	warnOverlooked(c, all.Overlooked)
	if all.Unread > 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "sessions", "total": all.Unread},
			fmt.Sprintf("%s could not be read, and may be of this workspace", answer.Counted(all.Unread, "transcript")))
	}
	return out, nil
}

// describeSession returns a session as answers have it.
func describeSession(c *answer.Call, s recall.Session) listedSession {
	one := listedSession{SessionID: s.ID, Client: s.Client, FirstRequest: s.Preview, RequestsCount: s.Count,
		StartedMS: unixMS(s.Started),
		UpdatedMS: s.Updated.UnixMilli(), Partial: s.Partial}
	if s.Cwd != c.Workspace.Root {
		one.Cwd = c.Show(s.Cwd)
	}
	return one
}

func (o *listSessionsOut) Summary() string {
	text := answer.Counted(o.Total, "session") + " in this workspace"
	if o.Returned < o.Total {
		text += fmt.Sprintf("; %d shown", o.Returned)
	}
	return text + "."
}

func (o *listSessionsOut) Tell(s *answer.Sheet) {
	for _, one := range o.Sessions {
		s.Line(0, "- %s", answer.PlainFields(one))
	}
}

// Size counts sessions.
func (o *listSessionsOut) Size() int { return len(o.Sessions) }

// Cut keeps the first n sessions.
func (o *listSessionsOut) Cut(n int) any {
	return &listSessionsOut{Total: o.Total, Returned: n, Sessions: o.Sessions[:n], offset: o.offset}
}

func (o *listSessionsOut) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.offset + n}
}
