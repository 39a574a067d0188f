package indexed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scip-code/scip/bindings/go/scip"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/watch"
	"lspi/tools/answer"
	"lspi/tools/audit/words"
	"lspi/tools/index"
)

// State tells how the disk stands to the commit of an index: how many files changed since, or why that is not known.
func State(ctx context.Context, t *index.Table, environ []string) (changed int, known bool, why string) {
	s := stateOf(ctx, t, environ)
	return len(s.Changed), s.Git != nil, s.Unproven
}

// stateOf compares the disk with the commit of an index.
func stateOf(ctx context.Context, t *index.Table, environ []string) *index.State {
	return index.StateOf(ctx, t.Root, t.Path, t.Commit, environ)
}

func (q *Question) state(ctx context.Context, t *index.Table) *index.State {
	if q.states[t] == nil {
		q.states[t] = stateOf(ctx, t, q.c.Workspace.Table.Environ)
	}
	return q.states[t]
}

// unchanged reports whether a file is known to be that of the index's commit.
func (q *Question) unchanged(ctx context.Context, t *index.Table, path string) bool {
	s := q.state(ctx, t)
	return s.Git != nil && s.Git.Tells(path) && !slices.Contains(s.Changed, path)
}

// Scope says what an answer rests on, and so what has to be in the index for it to be whole.
type Scope struct {
	File    string // the answer is about this file alone; else ""
	Word    string // it is about what has this name
	Uses    bool   // each place of the name in code has to be known, and not just its files
	Outside bool   // what it is about is declared in no index: in a dependency
	// Implementations: no text shows whether the tool has told all: a type may implement what it does not name.
	Implementations bool
}

// Conclude adds to the call as of which commit the answer is, and lowers what it claims unless it is proven whole.
func (q *Question) Conclude(ctx context.Context, of Scope) {
	for _, t := range q.used {
		s := q.state(ctx, t)
		q.tell(t, s)
		if s.Unproven != "" {
			q.unproven(t, s.Reason, nil, s.Unproven)
			continue
		}
		q.prove(ctx, t, s, of)
		if what := index.Omits(t.Tool); of.Uses && what != "" {
			q.unproven(t, "tool_omits", nil, t.Label()+" "+what)
		}
		if of.Implementations {
			q.unproven(t, "not_checked", nil, "nothing shows whether "+t.Label()+" tells all implementations")
		}
	}
	if len(q.stale) > 0 {
		q.c.Warn(contract.WarnStaleDropped, contract.Facts{"files": q.c.ShowSome(q.stale)},
			"lspi left out places of the index that do not have the name on disk")
	}
}

// tell says which index an answer is of.
func (q *Question) tell(t *index.Table, s *index.State) {
	facts := contract.Facts{"index_file": q.shownIndex(t), "indexer": t.Label(), "error": q.why.Kind}
	if q.why.ServerID != "" {
		facts["server_id"] = q.why.ServerID
	}
	as := "of an unknown commit"
	if t.Commit != "" {
		facts["commit"] = t.Commit
		as = "as of commit " + index.Short(t.Commit)
	}
	if s.Git != nil {
		facts["changed_files"] = len(s.Changed)
		as += fmt.Sprintf(", %s changed since", answer.Counted(len(s.Changed), "file"))
	}
	q.c.Warn(contract.WarnFromIndex, facts, fmt.Sprintf("this is what the index of %s says, %s; no server answered: %s",
		t.Label(), as, q.why.Why))
}

// shownIndex is the path of an index as answers have it; lspi's own lies in its cache.
func (q *Question) shownIndex(t *index.Table) string {
	if own := q.c.Session.Settings.Index.Cache; own != "" && source.Within(own, t.Path) {
		return "lspi index"
	}
	return q.c.Show(t.Path)
}

// unproven warns that an answer may lack something.
func (q *Question) unproven(t *index.Table, reason string, files []string, why string) {
	facts := contract.Facts{"index_file": q.shownIndex(t), "reason": reason}
	if len(files) > 0 {
		facts["files"], facts["total"] = q.c.ShowSome(files), len(files)
	}
	q.c.Warn(contract.WarnIndexUnproven, facts, "the answer of the index may lack something, or be older than the files: "+
		why)
}

// prove looks whether everything that the answer rests on is in an index whose commit is checked out unchanged.
func (q *Question) prove(ctx context.Context, t *index.Table, s *index.State, of Scope) {
	var held []string
	switch {
	case of.Outside:
		q.unproven(t, "declared_outside", nil, "the index does not have the declaration, nor uses beside it")
		return
	case of.Uses && !lang.IsWord(of.Word):
		q.unproven(t, "not_checked", nil, "lspi cannot look for uses of what has no word as its name")
		return
	case of.File != "":
		held = []string{of.File}
	case q.c.Workspace.Pool.Journal(t.Root) == nil:
		q.unproven(t, "not_checked", nil, "lspi does not look through the files of another repository")
		return
	case lang.IsWord(of.Word):
		found, all, err := q.c.Workspace.Words(t.Root).Holding(ctx, of.Word)
		if err != nil || !all {
			q.unproven(t, "time", nil, "lspi could not look which files hold the name in the time of this answer")
			return
		}
		held = inCode(found)
	default:
		held = q.sources(ctx, t)
	}
	for _, path := range slices.Sorted(maps.Keys(q.texts)) { // of places, also in folders that nobody looks through
		if source.Within(t.Root, path) && !slices.Contains(held, path) {
			held = append(held, path)
		}
	}
	held = slices.DeleteFunc(held, func(path string) bool { // which hold every name
		return slices.ContainsFunc(q.tables, func(t *index.Table) bool {
			return path == t.Path || path == t.Path+index.CommitSuffix
		})
	})
	var outside []string
	for _, path := range held {
		if has, err := t.Has(ctx, path); err != nil || !has {
			outside = append(outside, path)
		}
	}
	if len(outside) > 0 {
		what := "do not belong to the index"
		if of.Word != "" {
			what = "hold " + of.Word + " and do not belong to the index"
		}
		q.unproven(t, "not_in_index", outside, fmt.Sprintf("files %s, %s first", what, q.c.Show(outside[0])))
	}
	unseen := slices.DeleteFunc(slices.Clone(held), func(p string) bool {
		return s.Git.Tells(p) || slices.Contains(outside, p)
	})
	if len(unseen) > 0 {
		q.unproven(t, "not_tracked", unseen, "git does not tell whether these files changed")
	}
	if of.Uses {
		q.unknownUses(ctx, t, held, of.Word)
	}
}

// inCode are the files that hold a name where it may be used.
func inCode(held []words.Held) (out []string) {
	const uses = lang.CodeUse | lang.OpenUse | lang.TemplateUse | lang.OptionUse
	for _, h := range held {
		if h.Unread || h.Use&uses != 0 {
			out = append(out, h.Path)
		}
	}
	return out
}

// sources are the files of code in the workspace, without those that another index has and this one does not.
func (q *Question) sources(ctx context.Context, t *index.Table) (out []string) {
	var seen []*watch.Journal
	for _, root := range append(q.c.Workspace.Trees(), t.Root) {
		j := q.c.Workspace.Pool.Journal(root)
		if j == nil || slices.Contains(seen, j) {
			continue
		}
		seen = append(seen, j)
		for path := range j.Files() {
			if of := lang.Of(path); of.ID != "" && !of.NoSymbols && !q.elsewhere(ctx, t, path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// elsewhere reports whether a file is in another index alone.
func (q *Question) elsewhere(ctx context.Context, t *index.Table, path string) bool {
	has := func(t *index.Table) bool {
		there, err := t.Has(ctx, path)
		return err == nil && there
	}
	return len(q.tables) > 1 && !has(t) && slices.ContainsFunc(q.tables, has)
}

// unknownUses warns of places that hold a name in code and of which the index says nothing: what its tool did not read
// (code under a condition, the text of a macro) or did not resolve.
func (q *Question) unknownUses(ctx context.Context, t *index.Table, held []string, word string) {
	var files []string
	total, first := 0, ""
	for _, path := range held {
		d, err := t.Document(ctx, path)
		text := q.diskText(t, path)
		if err != nil || d == nil {
			continue // told above
		}
		if text == nil { // too large, or not readable: it may hold any name
			if total++; first == "" {
				first = q.c.Show(path)
			}
			files = append(files, path)
			continue
		}
		known := map[int]bool{}
		for _, o := range d.Occurrences {
			r, ok := onDisk(text, d.Encoding, o)
			if !ok || r.Start.Line != r.End.Line || strings.ContainsAny(text.Within(r), " \t") {
				continue
			}
			from, _ := text.Offset(r.Start)
			to, _ := text.Offset(r.End)
			for i := from; i < to; i++ { // the path of an import holds several words
				known[i] = true
			}
		}
		before := total
		lang.EachWord(path, text.Content(), func(from, to int, use lang.Use) {
			if text.Content()[from:to] != word || use&(lang.CodeUse|lang.OpenUse|lang.TemplateUse) == 0 || known[from] {
				return
			}
			if total++; first == "" {
				first = fmt.Sprintf("%s:%d", q.c.Show(path), text.PositionAt(from).Line)
			}
		})
		if total > before {
			files = append(files, path)
		}
	}
	if total > 0 {
		q.unproven(t, "not_indexed", files, fmt.Sprintf("it says nothing of %s that hold %s in code, the first at %s",
			answer.Counted(total, "place"), word, first))
	}
}

// Documentation returns what an index says of a symbol: the signature and the text, each "" where it has none.
func Documentation(of *scip.SymbolInformation) (signature, text string) {
	signature = of.GetSignatureDocumentation().GetText()
	parts := slices.Clone(of.GetDocumentation())
	// scip-typescript 0.4.0 and scip-python 0.6.6 have the signature as a block of code of the text.
	if signature == "" && len(parts) > 0 {
		if code, rest, ok := answer.CutBlock(parts[0]); ok {
			signature, parts[0] = code, rest
		}
	}
	parts = slices.DeleteFunc(parts, func(p string) bool {
		p = strings.TrimSpace(p)
		return p == "" || p == "---"
	})
	return signature, strings.TrimSpace(strings.Join(parts, "\n\n"))
}
