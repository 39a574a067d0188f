package lsp

import (
	"context"
	"slices"

	"lspi/contract"
)

// uses are all references but those that are where the server itself leads from the same place to the definition or
// declaration, at a server that leaves out others when it is asked for uses alone.
func (s *Server) uses(ctx context.Context, path string, at contract.Position) ([]Place, error) {
	all, err := s.References(ctx, path, at, true)
	for _, method := range []string{MethodDefinition, MethodDeclaration} {
		if err != nil || len(all) == 0 || !s.Offers(method) {
			continue
		}
		var declared []Place
		declared, err = s.Locate(ctx, method, path, at)
		all = slices.DeleteFunc(all, func(p Place) bool {
			return slices.ContainsFunc(declared, func(d Place) bool { return d.Path == p.Path && d.Range.Start == p.Range.Start })
		})
	}
	return all, err
}
