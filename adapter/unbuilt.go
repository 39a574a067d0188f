package adapter

import (
	"context"
	"path/filepath"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// Unbuilt says why a server cannot be asked about a file, which is no part of what it loads; nil when it can, or nobody knows.
func Unbuilt(ctx context.Context, s *lsp.Server, path string) *lsp.Unbuilt {
	d := &lsp.Diagnosis{}
	if s.Spec().Diagnostics.Unlinked != nil {
		if s.AddDiagnostics(ctx, []string{path}, d) == nil {
			s.Unlinked(d)
		}
	} else if askUnbuilt(ctx, s, []string{path}, d) != nil {
		return nil
	}
	if len(d.Unbuilt) == 0 || d.Unbuilt[0].Asked {
		return nil
	}
	return &d.Unbuilt[0]
}

// askUnbuilt names those of the files in a request that the build of the project leaves out: that makes a server load
// them, by another build or each for itself, where it can. Those that it refuses, or does not check all the same, are noted. Its error is the end of ctx or
// of the server.
func askUnbuilt(ctx context.Context, s *lsp.Server, paths []string, d *lsp.Diagnosis) error {
	for _, path := range paths {
		u := of(s).leftOut.unbuilt(ctx, s, path)
		if u == nil {
			continue
		}
		err := s.Request(ctx, lsp.MethodHover, protocol.TextDocumentPositionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)},
		}, nil)
		switch {
		case err == nil && u.Asked:
			d.Unbuilt = append(d.Unbuilt, *u)
		case err == nil:
		case ctx.Err() != nil || s.Ended():
			return err
		default:
			u.Asked = false
			d.Unbuilt = append(d.Unbuilt, *u)
		}
	}
	return nil
}

// unbuilt says why the language's own rules leave a file out of the build of its project; nil when they do not.
func (l *leftOut) unbuilt(ctx context.Context, s *lsp.Server, path string) *lsp.Unbuilt {
	if l.rules == nil {
		return nil
	}
	release := l.lock(ctx)
	if release == nil {
		return nil
	}
	defer release()
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
func leftOutOfBuild(ctx context.Context, s *lsp.Server) (files map[string]bool, all bool) {
	if of(s).leftOut.rules == nil {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, leftOutTime)
	defer cancel()
	list, all := LeftOut(ctx, s, "", func(string, *lang.Mentions) bool { return true })
	files = map[string]bool{}
	for _, path := range list {
		files[path] = true
	}
	return files, all
}

// leftOutTime bounds the look at all sources. Reading all of x/tools takes 60 ms, once.
const leftOutTime = 3 * time.Second
