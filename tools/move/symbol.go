package move

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/move/rust"
	"lspi/tools/move/splice"
	"lspi/tools/symbol"
)

// UsesOf gives the uses of a symbol with its declaration, and warns of what may be missing.
type UsesOf func(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) ([]lsp.Place, error)

// symbolMove is the move of a top-level declaration to another file.
type symbolMove struct {
	c      *answer.Call
	s      *lsp.Snapshot
	at     symbol.Located // the name where it is declared
	to     string         // absolute, without links
	fresh  bool           // the file is made
	usesOf UsesOf

	after map[string]string // the new texts by path
	near  []string          // files with uses that do not change
	left  []splice.Place    // uses that the move breaks and does not mend

	scopes map[string]map[string]bool // of packages of Go, by folder and name
}

// symbolRule is how a declaration of a language moves.
type symbolRule struct {
	languages []string
	// plan fills after, near and left, or proposes the edit of the server itself.
	plan func(ctx context.Context, m *symbolMove) (*lsp.Planned, error)
}

var symbolRules []*symbolRule

func init() {
	symbolRules = []*symbolRule{&goSymbolRule, &scriptSymbolRule, &pythonSymbolRule, &cSymbolRule, &rustSymbolRule}
}

// byEdits is the step after a refusal for want of a rule.
const byEdits = rust.ByEdits

// maxNear bounds the files with uses, besides those that change, whose errors are compared.
const maxNear = 20

// PlanSymbol proposes the move of the declaration at a place to the file of a path as the caller wrote it.
func PlanSymbol(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, to string, usesOf UsesOf) (
	*edits.Proposed, error) {
	m := &symbolMove{c: c, s: s, at: at, usesOf: usesOf, after: map[string]string{},
		scopes: map[string]map[string]bool{}}
	var err error
	if m.to, err = realOf(c.AbsolutePath(to)); err == nil {
		err = m.checkPaths()
	}
	if err != nil {
		return nil, err
	}
	rule := symbolRuleOf(lang.Of(at.Path).ID)
	if rule == nil {
		m.c.Instead("find_references", "See its uses.")
		return nil, m.refuse("no_rule", byEdits, "lspi moves no declaration of the language %s", lang.Of(at.Path).ID)
	}
	planned, err := rule.plan(ctx, m)
	if err == nil && planned == nil {
		planned, err = m.planTexts()
	}
	if err != nil {
		return nil, err
	}
	m.tellLeft()
	edits.CompilerOnlyOfPlan(ctx, c, s, planned)
	ch := edits.ProposedBy(c, s, planned)
	if m.fresh {
		ch.Made = m.to
	}
	ch.Renamed = func(message string) string { return message }
	ch.Carried = [2]string{m.at.Path, m.to}
	for _, path := range m.near {
		if _, changes := m.after[path]; !changes && !slices.Contains(ch.Near, path) && len(ch.Near) < maxNear {
			ch.Near = append(ch.Near, path)
		}
	}
	return ch, nil
}

// langID is the language of a file.
func langID(path string) string { return lang.Of(path).ID }

func symbolRuleOf(languageID string) *symbolRule {
	for _, r := range symbolRules {
		if slices.Contains(r.languages, languageID) {
			return r
		}
	}
	return nil
}

// checkPaths refuses a path to which no declaration of the file can move.
func (m *symbolMove) checkPaths() error {
	c := m.c
	if !slices.ContainsFunc(c.Workspace.EditRoots(), func(root string) bool {
		real, err := filepath.EvalSymlinks(root)
		return err == nil && source.Within(real, m.to)
	}) {
		return contract.Errorf(contract.KindOutsideWorkspace, contract.Facts{"file_path": m.to,
			"roots": c.Workspace.EditRoots()}, "%s is not inside of the workspace", m.to)
	}
	info, err := os.Lstat(m.to)
	m.fresh = os.IsNotExist(err)
	switch {
	case err != nil && !m.fresh:
		return answer.Invalid("new_path", "cannot be read: %v", err)
	case m.to == m.at.Path:
		return answer.Invalid("new_path", "is the file in which %s is: %s", m.at.Name, c.Show(m.to))
	case !m.fresh && !info.Mode().IsRegular():
		return answer.Invalid("new_path", "is no file: %s; give the file to which %s goes", c.Show(m.to), m.at.Name)
	case symbolRuleOf(lang.Of(m.to).ID) != symbolRuleOf(lang.Of(m.at.Path).ID) || lang.Of(m.to).ID == "":
		return answer.Invalid("new_path", "is no file of the language of %s: %s", c.Show(m.at.Path), c.Show(m.to))
	}
	return nil
}

// refuse is the error for a move that lspi does not make; next says how to go on.
func (m *symbolMove) refuse(reason, next, format string, args ...any) error {
	if next != "" {
		m.c.Step(contract.NextStep{Kind: contract.StepDoc, Message: next})
	}
	facts := contract.Facts{"reason": reason, "file_path": m.at.Path}
	return contract.Errorf(contract.KindEditRejected, facts, format, args...)
}

// noDeclaration is the error for a place that declares nothing which can move.
func (m *symbolMove) noDeclaration() error {
	m.c.Instead("find_definition", "Find the declaration, and move it from there.")
	return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "no_declaration", "file_path": m.at.Path,
		"line": m.at.At.Line}, "%s at %s:%d is not the name of a declaration at the top level of the file", m.at.Name,
		m.c.Show(m.at.Path), m.at.At.Line)
}

// planTexts is the plan of the new texts.
func (m *symbolMove) planTexts() (*lsp.Planned, error) {
	var all []edit.TextChange
	for _, path := range slices.Sorted(maps.Keys(m.after)) {
		one := edit.TextChange{Path: path, After: m.after[path], Begins: m.fresh && path == m.to}
		if !one.Begins {
			text, err := m.c.Workspace.Text(path)
			if err != nil {
				return nil, err
			}
			if one.Before = text.Content(); one.Before == one.After {
				continue
			}
			if !text.Valid {
				return nil, m.refuse("not_utf8", "", "%s is not UTF-8", m.c.Show(path))
			}
		}
		all = append(all, one)
	}
	plan, err := edits.PlanTexts(m.c, all)
	return &lsp.Planned{Plan: plan}, err
}

// tellLeft warns of the uses that the move breaks.
func (m *symbolMove) tellLeft() {
	if len(m.left) == 0 {
		return
	}
	var words []string
	for _, p := range m.left[:min(len(m.left), answer.MaxShown)] {
		words = append(words, fmt.Sprintf("%s:%d (%s)", m.c.Show(p.Path), p.Line, answer.CutText(p.Text, 100)))
	}
	if len(words) < len(m.left) {
		words = append(words, "…")
	}
	m.c.Warn(contract.WarnUsesLeft, contract.Facts{"total": len(m.left), "files": m.c.ShowSome(filesOf(m.left))},
		fmt.Sprintf("the move of %s leaves %s to you: %s", m.at.Name, answer.Counted(len(m.left), "place"),
			strings.Join(words, ", ")))
}

// needsLook warns of what the errors after the move would not show.
func (m *symbolMove) needsLook(label, format string, args ...any) {
	m.c.Warn(contract.WarnNeedsConfirmation, contract.Facts{"label": label,
		"files": m.c.ShowSome([]string{m.at.Path})}, fmt.Sprintf(format, args...))
}

// registered warns of a declaration that something uses by its decorator alone: the other file may never be loaded.
func (m *symbolMove) registered(d *edits.Declaration, uses []lsp.Place) {
	if line := d.Registered(); line != "" && len(uses) == 0 {
		m.needsLook("registered", "%q may register %s, which nothing uses by its name: something has to load %s", line,
			m.at.Name, m.c.Show(m.to))
	}
}

// definedAt is where the name at an offset of a text is declared; its path is "" where the server tells no place, or
// several.
func (m *symbolMove) definedAt(ctx context.Context, text *source.Text, offset int) lsp.Place {
	places, err := m.s.Locate(ctx, lsp.MethodDefinition, text.Path, text.PositionAt(offset))
	if err != nil || len(places) != 1 || places[0].Err != nil {
		return lsp.Place{}
	}
	return places[0]
}

// namedBehind looks for places outside of code that name what moves behind its module or package, which is another one
// after the move; a name alone stays as it is. Those in sources of the language are returned, of others it warns.
func (m *symbolMove) namedBehind(ctx context.Context, qualifier string) (quoted []splice.Place, err error) {
	held, err := m.holding(ctx, m.at.Name)
	if err != nil {
		return nil, err
	}
	name := regexp.QuoteMeta(m.at.Name)
	behind := regexp.MustCompile(`\b` + regexp.QuoteMeta(qualifier) + `[.:]` + name + `\b`)
	imports := regexp.MustCompile(`\b` + regexp.QuoteMeta(qualifier) + `(?:[.:]|[ \t]+import\b[^\n]*\b)` + name + `\b`)
	paths := &moving{c: m.c, from: m.at.Path}
	var mentions []splice.Place
	for _, path := range held {
		text, err := m.c.Workspace.Text(path)
		if err != nil {
			continue
		}
		if langID(path) != langID(m.at.Path) {
			for _, at := range imports.FindAllStringIndex(text.Content(), -1) {
				mentions = append(mentions, splice.PlaceAt(text, at[0]))
			}
			continue
		}
		var code []bool
		for _, at := range behind.FindAllStringIndex(text.Content(), -1) {
			here := splice.PlaceAt(text, at[0])
			if code == nil {
				code = lang.Code(path, text.Content())
			}
			if !code[at[0]] && !inComment(text, at[0]) {
				quoted = append(quoted, here)
			}
		}
	}
	if len(mentions) > 0 {
		facts := paths.mentionFacts(mentions)
		facts["names"] = []string{qualifier + "." + m.at.Name}
		m.c.Warn(contract.WarnMentions, facts, fmt.Sprintf(
			"%s outside of code may name %s, the first %s; lspi does not edit these",
			answer.Counted(len(mentions), "place"), qualifier+"."+m.at.Name, paths.shown(mentions[0])))
	}
	return quoted, nil
}
