package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/lang"
	"lspi/source"
)

// Unbuilt is a file that the server does not check, though it is one of its language: it is no part of what the server
// loads.
type Unbuilt struct {
	Path   string   // absolute
	Why    string   // one clause, for people
	Have   string   // how to have it loaded, one sentence; "" when nobody knows
	Config bool     // Have is instead what the server's entry in lspi's configuration has to hold
	Tags   []string // the build tags that it takes, where they are the reason
	Asked  bool     // the server answers questions about it all the same
}

// Unlinked says how a server tells by its diagnostics that a file belongs to no project.
type Unlinked struct {
	Code string // of the diagnostic
	Why  string // for people, as of [Unbuilt]
	Have string
}

// Unbuilt says why a server cannot be asked about a file, which is no part of what it loads; nil when it can, or nobody knows.
func (s *Server) Unbuilt(ctx context.Context, path string) *Unbuilt {
	d := &Diagnosis{}
	if s.spec.Diagnostics.Unlinked != nil {
		if s.diagnose(ctx, []string{path}, d) == nil {
			s.unlinked(d)
		}
	} else if s.askUnbuilt(ctx, []string{path}, d) != nil {
		return nil
	}
	if len(d.Unbuilt) == 0 || d.Unbuilt[0].Asked {
		return nil
	}
	return &d.Unbuilt[0]
}

// unlinked notes the files of which a diagnosis says that they belong to no project.
func (s *Server) unlinked(d *Diagnosis) {
	sign := s.spec.Diagnostics.Unlinked
	if sign == nil {
		return
	}
	for _, r := range d.Reports {
		if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == sign.Code }) {
			d.Unbuilt = append(d.Unbuilt, Unbuilt{Path: r.Path, Why: sign.Why, Have: sign.Have})
		}
	}
}

// askUnbuilt names those of the files in a request that the build of the project leaves out: that makes a server load
// them, by another build or each for itself, where it can. Those that it refuses, or does not check all the same, are noted. Its error is the end of ctx or
// of the server.
func (s *Server) askUnbuilt(ctx context.Context, paths []string, d *Diagnosis) error {
	for _, path := range paths {
		u := s.leftOut.unbuilt(ctx, s, path)
		if u == nil {
			continue
		}
		err := s.call(ctx, MethodHover, protocol.TextDocumentPositionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)},
		}, nil)
		switch {
		case err == nil && u.Asked:
			d.Unbuilt = append(d.Unbuilt, *u)
		case err == nil:
		case ctx.Err() != nil || s.ended():
			return err
		default:
			u.Asked = false
			d.Unbuilt = append(d.Unbuilt, *u)
		}
	}
	return nil
}

// unbuilt says why the language's own rules leave a file out of the build of its project; nil when they do not.
func (l *leftOut) unbuilt(ctx context.Context, s *Server, path string) *Unbuilt {
	if l.rules == nil {
		return nil
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil
	}
	if !l.refresh(ctx, s) {
		return nil
	}
	src := l.sources[path]
	if src == nil || src.why == included {
		return nil
	}
	text, err := source.Read(path)
	if err != nil {
		return nil
	}
	u := l.rules.unbuilt(src.why, filepath.Base(path), text.Content())
	u.Path = path
	return u
}

// leftOutOfBuild are the sources of the server's folders that the build leaves out; all is false when ctx ended before all
// were known.
func (s *Server) leftOutOfBuild(ctx context.Context) (files map[string]bool, all bool) {
	if s.leftOut.rules == nil {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, leftOutTime)
	defer cancel()
	list, all := s.LeftOut(ctx, "", func(string, *lang.Mentions) bool { return true })
	files = map[string]bool{}
	for _, path := range list {
		files[path] = true
	}
	return files, all
}

// leftOutTime bounds the look at all sources. Reading all of x/tools takes 60 ms, once.
const leftOutTime = 3 * time.Second

// unchecked notes in a diagnosis of the workspace which sources the server did not look at: what the build leaves out, but
// for open files that it loaded for themselves.
func (s *Server) unchecked(ctx context.Context, d *Diagnosis) {
	files, all := s.leftOutOfBuild(ctx)
	for _, path := range d.Open {
		if !slices.ContainsFunc(d.Unbuilt, func(u Unbuilt) bool { return u.Path == path }) {
			delete(files, path)
		}
	}
	d.Unknown, d.Unbuilt = !all, nil
	d.LeftOut = slices.Sorted(maps.Keys(files))
}
