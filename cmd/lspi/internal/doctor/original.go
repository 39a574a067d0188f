package doctor

import (
	"cmp"
	"time"

	"lspi/contract"
	"lspi/internal/events"
	"lspi/lsp/spec"
)

// The doctor of the original lspi told the configuration and the result by the names below; they stand in the report
// beside those of today.

// OutputCaps are the limits of answers, in code points.
type OutputCaps struct {
	Default int `json:"max_total_chars_default"` // of a call that asks for no other
	Hard    int `json:"max_total_chars_hard"`    // the largest that a call may ask for
}

// TimeoutsMS are the configured timeouts of a server; null where none is configured.
type TimeoutsMS struct {
	Initialize *int64 `json:"initialize"` // how long it may take to start
	Request    *int64 `json:"request"`    // how long one request may take
	Warmup     *int64 `json:"warmup"`     // how long a call waits for it to load the project
}

// original fills in the members of the original at the end of an examination.
func (e *examination) original() {
	r := e.report
	r.ConfigSource, r.WorkspaceRoot, r.ServerCount = "default", r.Workspace.Root, len(r.Servers)
	if n := len(r.Config.Sources); n > 0 {
		r.ConfigSource = r.Config.Sources[n-1].Path
	}
	r.Output = OutputCaps{e.Config.MCP.Output.MaxTotalCharsDefault, e.Config.MCP.Output.MaxTotalCharsHard}
	r.Failures = []string{}
	for i := range r.Servers {
		if s := &r.Servers[i]; s.Needed && s.State != Works {
			r.Failures = append(r.Failures, s.ID+": "+cmp.Or(s.Error, string(s.State)))
		}
	}
}

// originalOf fills in the members of the original that tell how a server is configured.
func (s *Server) originalOf(sp *spec.Spec, workspace string) {
	s.Kind, s.RootDir = cmp.Or(contract.Fold(sp.Kind), "generic"), cmp.Or(sp.RootDir, workspace)
	s.Extensions = append([]string{}, sp.Extensions()...)
	s.Args = []string{}
	if len(sp.Languages) > 0 {
		s.LanguageID = sp.Languages[0].ID
	}
	if len(sp.Commands) > 0 {
		s.Args = events.Arguments(sp.Commands[0].Args)
	}
	s.Timeouts = TimeoutsMS{milliseconds(sp.Timeouts.Initialize), milliseconds(sp.Timeouts.Request),
		milliseconds(sp.Timeouts.Warmup)}
}

// milliseconds is nil for a duration that is not configured.
func milliseconds(d time.Duration) *int64 {
	if d == 0 {
		return nil
	}
	n := d.Milliseconds()
	return &n
}
