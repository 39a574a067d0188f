package tools

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/lsp"
)

type findImplementationsIn struct {
	Target
	IncludeSnippet bool `json:"include_snippet" default:"true"`
	MaxResults     int  `json:"max_results" default:"100" min:"1" max:"5000"`
	Offset         int  `json:"offset" default:"0" min:"0"`
	caps
}

type findImplementationsOut struct {
	page
	Files []fileImplementations `json:"files"`
}

type fileImplementations struct {
	FilePath        string   `json:"file_path"`
	Count           int      `json:"count"`
	Implementations []string `json:"implementations" pattern:"^\\d+:\\d+( .*)?$"`
}

var findImplementations = define("find_implementations", Navigation,
	func(ctx context.Context, c *Call, in findImplementationsIn) (*findImplementationsOut, error) {
		out := &findImplementationsOut{}
		err := c.at(ctx, in.Target, lsp.MethodImplementation, func(ctx context.Context, s *lsp.Server, at spot) error {
			var err error
			out.page, err = c.implementations(ctx, s, at, pageArguments{in.Offset, in.MaxResults, in.IncludeSnippet})
			return err
		})
		if unsupported(err) {
			c.instead("find_references", "Find the uses; implementations are among them.")
		}
		if err != nil {
			return nil, err
		}
		out.page.close(c)
		return out, nil
	})

func (c *Call) implementations(ctx context.Context, s *lsp.Server, at spot, a pageArguments) (page, error) {
	places, left, err := s.Implementations(ctx, at.path, at.at)
	if err != nil {
		return page{}, err
	}
	if left > 0 {
		c.warn(contract.WarnServerLimit, contract.Facts{"method": lsp.MethodImplementation, "left_out": left}, fmt.Sprintf(
			"%s gives one level of implementations at a time; what may stand below %d of these is missing here", s.ID(), left))
	}
	c.limitedAt(s, lsp.MethodImplementation, len(places))
	c.pointAll(s, places)
	c.leftOutTypes(ctx, s, at, places)
	inOneProject(ctx, c, s, at, lsp.MethodImplementation, places)
	if len(places) == 0 {
		c.unresolved(ctx, s, at)
	}
	return c.paged(places, at.path, a), nil
}

// MarshalJSON groups the page by file.
func (o findImplementationsOut) MarshalJSON() ([]byte, error) {
	type plain struct {
		pageHead
		Files []fileImplementations `json:"files"`
	}
	files := []fileImplementations{}
	o.page.group(func(file string, lines []string) {
		files = append(files, fileImplementations{file, len(lines), lines})
	})
	return contract.Marshal(plain{o.page.head(), files})
}

func (o findImplementationsOut) Summary() string {
	return o.page.summary("implementation")
}

func (o *findImplementationsOut) cut(n int) any {
	return &findImplementationsOut{page: o.page.first(n)}
}
