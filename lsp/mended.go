package lsp

import (
	"context"
	"slices"
	"strings"

	"lspi/lsp/watch"
)

// maxMended bounds the files that are built anew because a file came that they may have lacked.
const maxMended = 16

// buildMended has files that did not compile built anew when a file comes, which may be the header that they lacked: opened, a
// file counts as it is now, while the index keeps what it has as long as the text of the file is the same. With more of them
// than are built, those that write the name of the file come first. It needs the turn.
func (s *Server) buildMended(ctx context.Context, changes []watch.Change) error {
	index, ok := s.adapter.(IndexReader)
	if !ok || s.spec.Project == nil || !s.spec.Project.Shards || !s.spec.Freshness.Open {
		return nil
	}
	var came []string
	for _, c := range changes {
		if c.Kind == watch.Created && s.spec.Serves(baseName(c.Path)) {
			came = append(came, c.Path)
		}
	}
	if len(came) == 0 {
		return nil
	}
	broken := slices.DeleteFunc(index.Uncompiled(ctx, s.root), func(path string) bool { return slices.Contains(came, path) })
	if len(broken) > maxMended {
		slices.SortStableFunc(broken, func(a, b string) int { return s.writes(b, came) - s.writes(a, came) })
		broken = broken[:maxMended]
	}
	for _, path := range broken {
		open := s.docs.get(path)
		text, err := s.OpenLocked(ctx, path)
		if err == nil && open != nil && s.docs.get(path) == open { // its text is the same, so that nothing was sent
			err = s.sendText(ctx, open, text)
		}
		if err != nil {
			if err := UnlessGone(err); err != nil {
				return err
			}
			continue
		}
		s.awaitParse(path)
	}
	return nil
}

// writes is 1 when a file holds the base name of one of others, else 0.
func (s *Server) writes(path string, others []string) int {
	text, err := s.Load(path)
	if err == nil && slices.ContainsFunc(others, func(o string) bool { return strings.Contains(text.Content(), baseName(o)) }) {
		return 1
	}
	return 0
}
