package ask

import (
	"errors"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
)

// Picked returns the routes of a file that the call may ask in a role: all that have it, or the one
// that its server_id names. A server_id that does not serve the file is an error, with a step for each
// server that does.
func Picked(c *answer.Call, routes []router.Route, role spec.Role, path string) ([]router.Route, error) {
	routes = router.For(routes, role)
	id := c.Picked()
	if id == "" || len(routes) == 0 {
		return routes, nil
	}
	if i := slices.IndexFunc(routes, func(r router.Route) bool { return r.Spec.ID == id }); i >= 0 {
		return routes[i : i+1], nil
	}
	if _, err := c.Workspace.Table.Server(id); err != nil {
		return nil, err
	}
	var serving []string
	for _, r := range routes {
		serving = append(serving, r.Spec.ID)
	}
	offer(c, routes)
	return nil, answer.Invalid("server_id", "names %s, which does not answer such questions about %s; these do: %s",
		id, c.Show(path), strings.Join(serving, ", "))
}

// OfferOthers adds a step for each other server of a file when the one that was asked failed at the
// question itself: another server may well answer it.
func OfferOthers(c *answer.Call, path string, err error) {
	var e *contract.Error
	if !errors.As(err, &e) || !c.Tool.PicksServer ||
		!slices.Contains([]contract.Kind{contract.KindRequestFailed, contract.KindRequestTimeout,
			contract.KindUnresolvedName, contract.KindServerCrashed}, e.Kind) {
		return
	}
	routes, err := c.Routes(path)
	failed, _ := e.Facts["server_id"].(string)
	if err != nil || failed == "" {
		return
	}
	offer(c, slices.DeleteFunc(router.For(routes, spec.RoleNavigation), func(r router.Route) bool {
		return r.Spec.ID == failed
	}))
}

// offer adds a step for each of the servers that is installed.
func offer(c *answer.Call, routes []router.Route) {
	for _, r := range routes {
		if commands, _ := launch.FindCommands(r.Spec); len(commands) > 0 {
			c.Step(c.Repeat("Ask "+r.Spec.ID+", which serves the file too.", map[string]any{"server_id": r.Spec.ID}))
		}
	}
}
