package tools

import (
	"context"
	"errors"
	"fmt"

	"lspi/adapter"
	"lspi/contract"
	"lspi/lsp"
)

type findReferencesIn struct {
	Target
	IncludeDeclaration bool `json:"include_declaration" default:"true"`
	IncludeSnippet     bool `json:"include_snippet" default:"true"`
	MaxResults         int  `json:"max_results" default:"200" min:"1" max:"5000"`
	Offset             int  `json:"offset" default:"0" min:"0"`
	caps
}

type findReferencesOut struct {
	page
	Files []fileReferences `json:"files"`
}

type fileReferences struct {
	FilePath   string   `json:"file_path"`
	Count      int      `json:"count"`
	References []string `json:"references" pattern:"^\\d+:\\d+( .*)?$"`
}

var findReferences = define("find_references", Navigation,
	func(ctx context.Context, c *Call, in findReferencesIn) (*findReferencesOut, error) {
		out := &findReferencesOut{}
		err := c.at(ctx, in.Target, lsp.MethodReferences, func(ctx context.Context, s *lsp.Server, at spot) error {
			var err error
			out.page, err = c.references(ctx, s, at, in.IncludeDeclaration,
				pageArguments{in.Offset, in.MaxResults, in.IncludeSnippet})
			return err
		})
		if err != nil {
			return nil, err
		}
		out.page.close(c)
		return out, nil
	})

func (c *Call) references(ctx context.Context, s *lsp.Server, at spot, declaration bool, a pageArguments) (page, error) {
	places, err := adapter.ReferencesAndFields(ctx, s, at.path, at.at, declaration)
	if errors.Is(err, adapter.ErrManyEmbed) {
		c.warn(contract.WarnPartFailed, contract.Facts{"part": "embedded fields", "server_id": s.ID()}, fmt.Sprintf(
			"more structs embed %s than are asked about; uses of the fields that it declares in the others are missing", at.name))
	} else if err != nil {
		return page{}, err
	}
	c.limitedAt(s, lsp.MethodReferences, len(places))
	if places, err = adapter.ReferencesInStub(ctx, s, at.path, at.at, declaration, places); err != nil {
		return page{}, err
	}
	places = withAskedPlace(ctx, c, s, at, declaration, places)
	places = withAliases(ctx, c, s, places)
	c.pointAll(s, places)
	c.aboutAt(s, at, places)
	c.leftOutUses(ctx, s, at, places)
	c.restrictedUses(s, at, places)
	c.dynamicUses(ctx, s, at, places)
	linkerUses(ctx, c, s, at, places, false)
	if len(places) == 0 {
		c.unresolved(ctx, s, at)
	} else {
		c.importUsed(ctx, s, at, places)
	}
	return c.paged(places, at.path, a), nil
}

// withAliases are references with the uses by other names of imports.
func withAliases(ctx context.Context, c *Call, s *lsp.Server, places []lsp.Place) []lsp.Place {
	uses, all := adapter.UsesByAlias(ctx, s, places)
	if !all {
		c.warn(contract.WarnPartFailed, contract.Facts{"part": "aliases", "server_id": s.ID()},
			"not all uses by other names that imports give could be looked for")
	}
	return append(places, uses...)
}

// MarshalJSON groups the page by file.
func (o findReferencesOut) MarshalJSON() ([]byte, error) {
	type plain struct {
		pageHead
		Files []fileReferences `json:"files"`
	}
	files := []fileReferences{}
	o.page.group(func(file string, lines []string) {
		files = append(files, fileReferences{file, len(lines), lines})
	})
	return contract.Marshal(plain{o.page.head(), files})
}

func (o findReferencesOut) Summary() string {
	return o.page.summary("reference")
}

func (o *findReferencesOut) cut(n int) any {
	return &findReferencesOut{page: o.page.first(n)}
}
