package hooks

import (
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
)

// serverAt names a server at a root.
type serverAt struct{ id, root string }

// readiness is whether a server may be asked.
type readiness uint8

const (
	notRunning readiness = iota // whoever asks it starts it
	loading                     // it starts, or loads its project
	ready
)

// readinessOf returns whether the server of a route may be asked.
func readinessOf(c *answer.Call, r router.Route) readiness {
	for _, s := range c.Workspace.Pool.Status() {
		if s.Spec.ID != r.Spec.ID || s.Root != r.Root && !r.Spec.SharedFolders {
			continue
		}
		switch {
		case s.State == "starting", s.Server != nil && !s.Server.Status().Ready:
			return loading
		case s.Server != nil:
			return ready
		}
	}
	return notRunning
}

// inVain reports whether a server of a file loads for which an earlier event has waited. It takes minutes in large
// projects: each event would wait for its whole budget.
func (l *look) inVain(path string) bool {
	for _, r := range l.routes(path) {
		at := serverAt{r.Spec.ID, r.Root}
		if !l.st.waited[at] {
			continue
		}
		if readinessOf(l.c, r) == loading {
			return true
		}
		delete(l.st.waited, at)
	}
	return false
}

// noteWaited notes the servers of the paths that load though they were waited for.
func (l *look) noteWaited() {
	for _, path := range l.paths {
		for _, r := range l.routes(path) {
			if readinessOf(l.c, r) == loading {
				l.st.waited[serverAt{r.Spec.ID, r.Root}] = true
			}
		}
	}
}

// routes returns the servers that diagnose a file.
func (l *look) routes(path string) []router.Route {
	routes, err := diagnostics.InstalledRoutes(l.c, path, spec.RoleDiagnostics)
	if err != nil {
		return nil
	}
	return routes
}
