package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/tools/answer"
)

// outlineLine is a declaration as get_document_symbols has it with detail: how deep it stands, its lines, its kind, and
// its name with what it is in ("(*T).Area").
var outlineLine = source.LazyRegexp(`^( *)(\d+)(?:-(\d+))? ([a-z_]+) (.+?)(?:: .*)?$`)

// plainName matches a name that can be asked about.
var plainName = source.LazyRegexp(`^[\pL_$][\pL\pN_$]*$`)

// maxOutline bounds the nesting of declarations that is looked at.
const maxOutline = 20

// declarationRead returns the declaration of which an event of a tool has read some lines; false for any other event.
func declarationRead(ctx context.Context, c *answer.Call, e *Event, run Tool) (d declaration, ok bool) {
	if len(e.Paths) != 1 {
		return d, false
	}
	path := e.Paths[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	raw, ok := run(ctx, "get_document_symbols", map[string]any{"file_path": path, "max_depth": maxOutline, "detail": true})
	if !ok {
		return d, false
	}
	var found struct {
		Completeness contract.Completeness `json:"completeness"`
		Symbols      []string              `json:"symbols"`
		Truncated    bool                  `json:"truncated"`
	}
	if json.Unmarshal(raw, &found) != nil || found.Completeness != contract.Complete || found.Truncated {
		return d, false
	}
	at, ok := declarationOfLines(found.Symbols, e.Lines)
	if !ok {
		return d, false
	}
	d.file, d.line, d.name = path, at.first, at.name[strings.LastIndex(at.name, ".")+1:]
	if !plainName.MatchString(d.name) {
		return d, false
	}
	d.text = fmt.Sprintf("%s:%d-%d %s %s", c.Show(path), at.first, at.last, at.kind, at.name)
	return d, true
}

// outlined is a line of an outline.
type outlined struct {
	depth, first, last int
	kind, name         string
}

// declarationOfLines returns the innermost declaration that holds all of the lines that were read, or the only one
// that they touch; false where they touch several.
func declarationOfLines(outline []string, lines [2]int) (d outlined, ok bool) {
	for _, line := range outline {
		m := outlineLine.FindStringSubmatch(line)
		if m == nil {
			return d, false // not understood: it may be one of those that are read
		}
		o := outlined{depth: len(m[1]), kind: m[4], name: m[5]}
		if i := strings.Index(o.name[1:], "("); i >= 0 { // the parameters, with some servers
			o.name = o.name[:i+1]
		}
		o.first, _ = strconv.Atoi(m[2])
		if o.last = o.first; m[3] != "" {
			o.last, _ = strconv.Atoi(m[3])
		}
		switch {
		case o.last < lines[0] || o.first > lines[1]:
		case o.first <= lines[0] && o.last >= lines[1]:
			d, ok = o, true // declarations stand below those that they are in
		case !ok:
			d, ok = o, true
		case o.depth <= d.depth:
			return d, false // a second one beside the first
		}
	}
	return d, ok
}
