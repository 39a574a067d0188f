package audit

import (
	"context"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// OfOneProgram tells which of the uses of a type, or of its member, are of another type of the name: where two files
// define it and neither sees the other, they are of two programs, and the server (clangd 22.1.8) takes them for one.
func OfOneProgram(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	places []lsp.Place) (others func(lsp.Place) bool) {
	none := func(lsp.Place) bool { return false }
	includes := s.Hooks().Includes
	if includes == nil {
		return none
	}
	defining := typeDefinitions(c, at.Name, places)
	if len(defining) < 2 {
		return none
	}
	defines := func(path string) bool {
		return slices.ContainsFunc(defining, func(p lsp.Place) bool { return p.Path == path })
	}
	own := at.Path // a file that defines it uses its own
	if !defines(own) {
		found := leads(ctx, s.Recalling(), at.Path, at.At)
		if len(found) == 0 || !defines(found[0].Path) {
			return none // [definedTwice] tells it
		}
		own = found[0].Path
	}
	sees := seeing(c, s, places, own)
	for _, d := range defining {
		if d.Path == own {
			continue
		}
		seesOther := seeing(c, s, places, d.Path)
		if slices.ContainsFunc(places, func(p lsp.Place) bool { return !defines(p.Path) && sees[p.Path] && seesOther[p.Path] }) {
			warnDefinedTwice(c, s, at.Name, definitionsOf(at.Name, defining))
			break
		}
	}
	return func(p lsp.Place) bool {
		return p.Path != own && (defines(p.Path) || !sees[p.Path]) && !includesFile(c, p.Path, own) &&
			!includesFile(c, own, p.Path)
	}
}

// seeing are the files of places that may see what a file declares, going by the names in includes.
func seeing(c *answer.Call, s *lsp.Snapshot, places []lsp.Place, declares string) map[string]bool {
	var texts []*source.Text
	for path := range c.Workspace.Pool.Journal(declares).Files() {
		if !s.Spec().Serves(symbol.Base(path)) {
			continue
		}
		if text, err := c.Workspace.Text(path); err == nil {
			texts = append(texts, text)
		}
	}
	var files []string
	for _, p := range places {
		if !slices.Contains(files, p.Path) {
			files = append(files, p.Path)
		}
	}
	out := map[string]bool{}
	for _, one := range s.Hooks().Includes.MaySee(texts, files, []string{declares}) {
		out[one.Path] = true
	}
	return out
}

// typeDefinitions are those of places at which a file defines a type with fields of the name, or such a field.
func typeDefinitions(c *answer.Call, name string, places []lsp.Place) (out []lsp.Place) {
	may := slices.DeleteFunc(slices.Clone(places), func(p lsp.Place) bool { return !mayDefine(p) })
	if !slices.ContainsFunc(may, func(p lsp.Place) bool { return p.Path != may[0].Path }) {
		return nil
	}
	for _, p := range may {
		if p.Err != nil || slices.ContainsFunc(out, func(o lsp.Place) bool { return o.Path == p.Path }) {
			continue
		}
		text, from, ok := offsetAt(c, p.Path, p.Range.Start)
		if ok && slices.ContainsFunc(lang.Fields(p.Path, text.Content()), func(t lang.TypeFields) bool {
			return t.Type == name && t.At == from || slices.Contains(t.Fields, lang.NamedOffset{Name: name, At: from})
		}) {
			out = append(out, p)
		}
	}
	return out
}

// mayDefine reports whether the line of a place may declare a field or a type of the name there, so that its file has
// to be looked at.
func mayDefine(p lsp.Place) bool {
	from, to, ok := source.WordAround(p.Line, symbol.ByteOffset(p.Line, p.Range.Start.Character))
	if !ok {
		return false
	}
	before, behind := strings.TrimRight(p.Line[:from], " \t*&"), strings.TrimLeft(p.Line[to:], " \t")
	start, end, _ := source.WordAround(before, len(before))
	word := before[start:end]
	if word == "struct" || word == "class" || word == "union" || strings.HasSuffix(before, "}") {
		return !strings.HasPrefix(behind, "*") && (behind == "" || !source.IsWord(rune(behind[0])))
	}
	return (word != "" && word != "return" || strings.HasSuffix(before, ">") || strings.HasSuffix(before, ",") ||
		strings.HasSuffix(before, "(")) && behind != "" && strings.ContainsRune(";[=,:{)", rune(behind[0]))
}

// definitionsOf are definitions as a warning tells them.
func definitionsOf(name string, places []lsp.Place) (out []occurrence) {
	for _, p := range places[:min(len(places), answer.MaxShown)] {
		out = append(out, occurrence{path: p.Path, at: p.Range.Start, name: name, reason: reasonByLinker})
	}
	return out
}

// includesFile reports whether a file includes another one, by its base name.
func includesFile(c *answer.Call, path, other string) bool {
	if !lang.Of(path).IsC() {
		return false
	}
	text, err := c.Workspace.Text(path)
	return err != nil || slices.Contains(lang.Includes(text.Content()), symbol.Base(other))
}
