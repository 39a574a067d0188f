package tools

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/audit"
	"lspi/tools/indexed"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// findImplementationsIn says whose implementations are wanted; MaxResults and Offset count places.
type findImplementationsIn struct {
	resolve.Target
	IncludeSnippet bool `json:"include_snippet" default:"true"`
	MaxResults     int  `json:"max_results" default:"100" min:"1" max:"5000"`
	Offset         int  `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// findImplementationsOut is a page of places; Files is filled in when it is written.
type findImplementationsOut struct {
	answer.Page
	Files []fileImplementations `json:"files"`
}

// fileImplementations are the implementations in one file, as "line:column code".
type fileImplementations struct {
	FilePath        string   `json:"file_path"`
	Count           int      `json:"count"`
	Generated       bool     `json:"generated,omitempty" schema:"-"`
	Implementations []string `json:"implementations" pattern:"^\\d+:\\d+( .*)?$"`
}

// findImplementations finds what implements or overrides a symbol, on all levels:
// textDocument/implementation.
var findImplementations = addressing(lsp.MethodImplementation, define("find_implementations", answer.Navigation,
	orIndex(func(ctx context.Context, c *answer.Call, in findImplementationsIn) (*findImplementationsOut, error) {
		out := &findImplementationsOut{}
		err := resolve.At(ctx, c, in.Target, lsp.MethodImplementation, func(ctx context.Context, s *lsp.Snapshot,
			at symbol.Located) error {
			var err error
			out.Page, err = implementations(ctx, c, s, at, answer.PageArguments{Offset: in.Offset, Max: in.MaxResults,
				Snippet: in.IncludeSnippet})
			return err
		})
		// The step is for hosts whose server has no such request.
		if unsupported(err) {
			c.Instead("find_references", "Find the uses; they include the implementations.")
		}
		if err != nil {
			return nil, err
		}
		out.Page.Close(c)
		return out, nil
	}, implementationsByIndex), lsp.MethodImplementation))

// implementationsByIndex finds what implements a symbol where no server does.
func implementationsByIndex(ctx context.Context, c *answer.Call, q *indexed.Question, in findImplementationsIn) (
	*findImplementationsOut, error) {
	sym, err := q.At(ctx, in.Target)
	if err != nil {
		return nil, err
	}
	places, err := q.Implementations(ctx, sym)
	if err != nil {
		return nil, err
	}
	out := &findImplementationsOut{Page: c.Paged(places, sym.Path, answer.PageArguments{Offset: in.Offset,
		Max: in.MaxResults, Snippet: in.IncludeSnippet})}
	q.Conclude(ctx, indexed.Scope{Implementations: true})
	out.Page.Close(c)
	return out, nil
}

// implementations returns a page of the implementations of what is at a place, for this tool and for
// symbol_bundle.
func implementations(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	a answer.PageArguments) (answer.Page, error) {
	places, left, err := s.Implementations(ctx, at.Path, at.At)
	if err != nil {
		return answer.Page{}, err
	}
	// Told by number: which ones are missing below them nobody knows.
	if left > 0 {
		c.Warn(contract.WarnServerLimit, contract.Facts{"method": lsp.MethodImplementation, "left_out": left},
			fmt.Sprintf(
				"%s gives one level of implementations at a time; those below %d of these are missing here", s.ID(),
				left))
	}
	// Of all levels together: a server whose list ends at its limit may have cut any of them.
	c.WarnServerLimit(s, lsp.MethodImplementation, len(places))
	c.RememberAllNamedBy(s, places)
	places = append(places, audit.Implementers(ctx, c, s, at, places)...)
	loaded.UncoveredTypes(ctx, c, s, at, places)
	loaded.InOneProject(ctx, c, s, at, places)
	if len(places) == 0 {
		loaded.Unresolved(ctx, c, s, at)
	}
	return c.Paged(places, at.Path, a), nil
}

// MarshalJSON groups the page by file.
func (o findImplementationsOut) MarshalJSON() ([]byte, error) {
	type plain struct {
		answer.PageHead
		Files []fileImplementations `json:"files"`
	}
	files := []fileImplementations{}
	o.Page.Group(func(file string, generated bool, lines []string) {
		files = append(files, fileImplementations{file, len(lines), generated, lines})
	})
	return contract.Marshal(plain{o.Page.Head(), files})
}

func (o findImplementationsOut) Summary() string {
	return o.Page.Summary("implementation")
}

// Cut keeps the first n places.
func (o *findImplementationsOut) Cut(n int) any {
	return &findImplementationsOut{Page: o.Page.First(n)}
}
