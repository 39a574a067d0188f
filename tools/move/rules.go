package move

import (
	"context"
	"slices"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/move/splice"
)

// rule is how sources of a language name each other, for a server that does not tell what changes with a path.
type rule struct {
	languages []string
	// check refuses what the rule cannot do; nil refuses nothing.
	check func(m *moving) error
	// imports are the changes of one source, with the imports that may name what moves and cannot be changed; nil where
	// no text changes.
	imports func(ctx context.Context, m *moving, text *source.Text) ([]splice.Change, []splice.Place)
	// empty refuses what a server has no edit for, though it needs one; nil where it needs none.
	empty func(m *moving, p *lsp.Planned) error
	// uses warns of uses by a name that the edit of the server leaves; nil where it has none.
	uses func(ctx context.Context, m *moving, p *lsp.Planned)
	// elsewhere is the plan of a move, with the uses that it leaves; nil for one that the server is asked for.
	elsewhere func(ctx context.Context, m *moving) (*lsp.Planned, []splice.Place, error)
	// first: the rule goes before what the server tells.
	first bool
	// inFolder is imports for the move of a file where these name folders, and files are named by what is beside them.
	inFolder func(ctx context.Context, m *moving, text *source.Text) ([]splice.Change, []splice.Place)
	// byBase: an import may have no more of a path than the name of the file.
	byBase bool
	// module reports whether a word of path letters names what moves as the language does, other than by its path; nil
	// where nothing does.
	module func(m *moving, token string) bool
}

// rules are those of the languages whose servers have no workspace/willRenameFiles, or not for every move.
var rules []*rule

func init() { rules = []*rule{&pythonRule, &goRule, &cRule, &rustRule} } // whose functions ask for the rule of a move

func ruleOf(languageID string) *rule {
	for _, r := range rules {
		if slices.Contains(r.languages, languageID) {
			return r
		}
	}
	return nil
}

// leads returns the file to which the server leads from an offset of a source; "" where it leads nowhere, or to
// several.
func (m *moving) leads(ctx context.Context, text *source.Text, offset int) string {
	places, err := m.s.Locate(ctx, lsp.MethodDefinition, text.Path, text.PositionAt(offset))
	if err != nil {
		return ""
	}
	path := ""
	for _, p := range places {
		if path != "" && p.Path != path {
			return ""
		}
		path = p.Path
	}
	return path
}

// at is the place of a text at an offset.
func at(text *source.Text, offset int, named string) splice.Place {
	return splice.Place{Path: text.Path, Line: text.LineOf(offset) + 1, Text: named}
}
