package tools

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// switchSourceHeaderIn names a header or a source of C or C++.
type switchSourceHeaderIn struct {
	FilePath string `json:"file_path" required:"true"`
	answer.Caps
}

// switchSourceHeaderOut has the other file; null when there is none, which is an answer.
type switchSourceHeaderOut struct {
	Paired *string `json:"paired" nullable:"true"`
}

// switchSourceHeader finds the header of a C or C++ source, or the other way round. The request is clangd's own
// (textDocument/switchSourceHeader); no server announces it, so the rows of the catalogue say who answers
// ([spec.Spec].Unannounced).
var switchSourceHeader = probing(probePair, define("switch_source_header", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in switchSourceHeaderIn) (*switchSourceHeaderOut, error) {
		path, err := c.Path(in.FilePath)
		if err != nil {
			return nil, err
		}
		if err := pairs(c, path); err != nil {
			return nil, err
		}
		out := &switchSourceHeaderOut{}
		err = ask.File(ctx, c, path, lsp.MethodSwitchHeader, func(ctx context.Context, s *lsp.Snapshot) error {
			// null when the question is asked again and finds nothing: there is no pair, which is an answer.
			out.Paired = nil
			paired, err := s.SwitchSourceHeader(ctx, path)
			if err != nil || paired == "" {
				return err
			}
			// The header may lie outside of the workspace; from now on it may be asked about.
			c.RememberNamedBy(s, lsp.Place{Path: paired})
			shown := c.Show(paired)
			out.Paired = &shown
			return nil
		})
		if err != nil {
			return nil, err
		}
		return out, nil
	}))

// pairs refuses a file that no server pairs, before a server is started for it.
func pairs(c *answer.Call, path string) error {
	routes, err := c.Routes(path)
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
		"%s does not pair headers and sources; only clangd does, for C and C++", routes[0].Spec.ID)
}

func (o *switchSourceHeaderOut) Summary() string {
	if o.Paired == nil {
		return "There is no paired file."
	}
	return "Paired with " + *o.Paired + "."
}
