package lsp

import (
	"context"
	"time"
)

// Unlisted are the sources below a root that the project leaves out by a list or by patterns, absolute and sorted:
// the server knows nothing of them before they are opened, so that an answer to a request (an LSP method) about the
// whole project lacks what they hold. Those that the server had parsed before asked, without an error, are known.
// Nil where the project leaves none out, or the server does not go by such rules. Where the server has to be asked
// what belongs to a project ([Hooks].OutsideProject) these are all that [OutsideProject] has to decide about.
func Unlisted(ctx context.Context, s *Server, root, method string, asked time.Time) []Uncovered {
	if f := s.hooks.Unlisted; f != nil {
		return f(ctx, root, method, asked)
	}
	return nil
}

// OutsideProject are those of sources of which a server says that they belong to no project, and those about which
// it says nothing before ctx ends ([MembershipUnknown]). What it says holds until a file changes. A server that is
// not asked ([Hooks].OutsideProject) has none.
func OutsideProject(ctx context.Context, s *Server, found []Uncovered) []Uncovered {
	if f := s.hooks.OutsideProject; f != nil {
		return f(ctx, found)
	}
	return nil
}
