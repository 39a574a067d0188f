package tools

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/lsp"
)

type switchSourceHeaderIn struct {
	FilePath string `json:"file_path" required:"true"`
	caps
}

type switchSourceHeaderOut struct {
	Paired *string `json:"paired" nullable:"true"`
}

var switchSourceHeader = define("switch_source_header", Navigation,
	func(ctx context.Context, c *Call, in switchSourceHeaderIn) (*switchSourceHeaderOut, error) {
		path, err := c.path(in.FilePath)
		if err != nil {
			return nil, err
		}
		if err := c.pairs(path); err != nil {
			return nil, err
		}
		out := &switchSourceHeaderOut{}
		err = c.ask(ctx, path, lsp.MethodSwitchHeader, func(ctx context.Context, s *lsp.Server) error {
			out.Paired = nil
			paired, err := s.SwitchSourceHeader(ctx, path)
			if err != nil || paired == "" {
				return err
			}
			c.pointAt(s, lsp.Place{Path: paired})
			shown := c.show(paired)
			out.Paired = &shown
			return nil
		})
		if err != nil {
			return nil, err
		}
		return out, nil
	})

// pairs refuses a file that no server pairs, before any is started for it: no capability announces the request, so only
// the rows know.
func (c *Call) pairs(path string) error {
	routes, err := c.routes(path)
	if err != nil {
		return err
	}
	for _, r := range routes {
		if slices.Contains(r.Spec.Unannounced, lsp.MethodSwitchHeader) {
			return nil
		}
	}
	return contract.Errorf(contract.KindRequestUnsupported,
		contract.Facts{"server_id": routes[0].Spec.ID, "method": lsp.MethodSwitchHeader, "file_path": path},
		"%s pairs no headers and sources; only clangd does, for files of C and C++", routes[0].Spec.ID)
}

func (o *switchSourceHeaderOut) Summary() string {
	if o.Paired == nil {
		return "There is no paired file."
	}
	return "Paired with " + *o.Paired + "."
}
