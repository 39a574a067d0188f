package fixes

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/edits"
)

// Format is the kind by which a call formats, beside the kinds of code actions of LSP.
const Format = "format"

const (
	maxRounds  = 8
	firstPart  = 16 // files of the first atomic edit of a round; more when comparing their errors is quick
	maxPartOf  = 50
	quickWrite = 3 * time.Second
	// what is left of a call's time for the answer, and, while a round is written, for the way back of its last part
	answerReserve = 3 * time.Second
	writeReserve  = 12 * time.Second
)

// Question says what is to be done in which files.
type Question struct {
	Given  string          // a file, a folder or a glob, as the caller wrote it
	Kind   string          // [Format], quickfix or a kind below it, or a kind of a source action
	Rule   string          // of quick fixes: the code of the diagnostics, or a part of their message
	Title  string          // of quick fixes: the title of the fix, or a part of it; "" takes what the server prefers
	Within *contract.Range // of formatting one file; nil for all of it
	edits.ApplyIn
}

// work is a call while it is answered.
type work struct {
	c      *answer.Call
	q      Question
	files  []string // to look at, sorted
	all    int      // with those before the offset of the call
	single bool     // the caller named the one file itself
	routes map[string][]router.Route
	// projects are the files of each root of a server, in the part that was asked about or not
	projects map[router.Key]map[string][]string
	until    time.Time // when no further file is begun

	changes map[string]*change // of the round
	again   bool               // fixes of the round wait for the next one
	looked  map[string]bool
	late    []string            // not looked at in this round
	left    map[string][]string // files by the reason why something is left in them
	passed  map[string][]string // files that the call does not mean, by the reason
	dropped map[string]bool     // files that are not changed, whatever servers want

	asked     []string     // the servers that were
	has       bool         // a server says that it has the kind, or had something of it
	failed    error        // of the first server that could not be asked
	lacking   []*spec.Spec // servers that do not do this
	announced []string     // the kinds that these say they have
}

// Run does what is asked for in all files, or shows what it would do.
func Run(ctx context.Context, c *answer.Call, q Question) (*Out, error) {
	if err := edits.CheckBackup(q.Backup); err != nil {
		return nil, err
	}
	w := &work{c: c, q: q, routes: map[string][]router.Route{}, projects: map[router.Key]map[string][]string{},
		looked: map[string]bool{}, left: map[string][]string{}, passed: map[string][]string{}, dropped: map[string]bool{}}
	if err := w.find(ctx); err != nil {
		return nil, err
	}
	applies := q.Apply != "" || !q.DryRun && q.PreviewID == "" && len(q.Expected) == 0
	w.until = time.Now().Add(w.patience(ctx, applies))
	if err := w.gather(ctx, w.files); err != nil {
		return nil, err
	}
	switch {
	case w.single && q.Kind == Format:
		return w.one(ctx)
	case applies:
		return w.rounds(ctx)
	}
	return w.show(ctx)
}

// patience is how long files may be looked at before what was found is written or shown.
func (w *work) patience(ctx context.Context, applies bool) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Hour
	}
	left := time.Until(deadline)
	if applies {
		return left * 2 / 5
	}
	return left - answerReserve
}

// source reports whether a source action is asked for, and not quick fixes.
func (w *work) source() bool { return Below(w.q.Kind, "source") }

// byDiagnostics reports whether what servers offer goes by their diagnostics.
func (w *work) byDiagnostics() bool {
	return w.q.Kind != Format && !Below(w.q.Kind, "source.organizeImports")
}

// from is the first file to look at. With diffs the offset is that of the page of changes.
func (w *work) from() int {
	if w.q.Diff {
		return 0
	}
	return w.q.Offset
}

// leave notes why something is left in a file.
func (w *work) leave(path, why string) {
	if !slices.Contains(w.left[why], path) {
		w.left[why] = append(w.left[why], path)
	}
}

// pass notes why a file is not among those that the call means.
func (w *work) pass(path, why string) { w.passed[why] = append(w.passed[why], path) }

// drop leaves a file as it is, in all rounds.
func (w *work) drop(path, why string) {
	w.leave(path, why)
	w.dropped[path] = true
	delete(w.changes, path)
}

// leaveAside drops what a careful reader of a change would be warned of: among many files nobody looks at one.
func (w *work) leaveAside() {
	for _, path := range slices.Sorted(maps.Keys(w.changes)) {
		if w.dropped[path] {
			delete(w.changes, path)
			continue
		}
		if w.changes[path].after() == w.changes[path].text {
			delete(w.changes, path)
			continue
		}
		if w.single {
			continue
		}
		plan, err := edits.PlanTexts(w.c, w.texts(path))
		if err != nil {
			w.drop(path, answer.AsError(err).Message)
			continue
		}
		other := w.c.Nested(w.c.Tool, w.c.Request)
		if edits.PlanFacts(other, &edits.Proposed{Planned: &lsp.Planned{Plan: plan}}) && len(other.Warnings()) == 0 {
			continue
		}
		why := "lspi may not write it"
		if said := other.Warnings(); len(said) > 0 {
			why = strings.TrimPrefix(said[0].Message, w.c.Show(path)+" ")
		}
		w.drop(path, why)
	}
}

// texts are changes of files as an edit.
func (w *work) texts(paths ...string) (out []edit.TextChange) {
	for _, path := range paths {
		ch := w.changes[path]
		out = append(out, edit.TextChange{Path: path, Before: ch.text, After: ch.after()})
	}
	return out
}

// changed are the files that the round changes, those of one server together.
func (w *work) changed() []string {
	paths := slices.Sorted(maps.Keys(w.changes))
	slices.SortStableFunc(paths, func(a, b string) int {
		return strings.Compare(w.changes[a].route.Spec.ID+"\x00"+w.changes[a].route.Root,
			w.changes[b].route.Spec.ID+"\x00"+w.changes[b].route.Root)
	})
	return paths
}

// proposed is the change of some files of one server. The errors of all servers of these files are compared, and the
// first of them, which knows the project, tells who uses what changes.
func (w *work) proposed(ctx context.Context, c *answer.Call, paths []string) (*edits.Proposed, error) {
	plan, err := edits.PlanTexts(c, w.texts(paths...))
	if err != nil {
		return nil, err
	}
	ch := &edits.Proposed{Planned: &lsp.Planned{Plan: plan}, Layout: w.q.Kind == Format &&
		!slices.ContainsFunc(plan.Files, func(f edit.File) bool { return !layoutAlone(&f) })}
	for _, path := range paths {
		for _, r := range w.routes[path] {
			if !slices.ContainsFunc(ch.Servers, func(have router.Route) bool { return have.Key() == r.Key() }) {
				ch.Servers = append(ch.Servers, r)
			}
		}
	}
	return ch, nil
}

// one is the answer for the one file that is formatted.
func (w *work) one(ctx context.Context) (*Out, error) {
	out := w.out()
	defer w.close(out)
	if len(w.changes) == 0 {
		for why := range w.left {
			w.c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Message: "See the errors of the file.",
				Arguments: map[string]any{"file_path": w.c.Show(w.files[0])}})
			return nil, contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "not_formatted",
				"file_path": w.c.Show(w.files[0])}, "%s was not formatted: %s", w.c.Show(w.files[0]), why)
		}
		out.nothing()
		return out, nil
	}
	ch, err := w.proposed(ctx, w.c, w.files)
	if err != nil {
		return nil, err
	}
	w.answeredBy(out, ch)
	out.ChangeOut, err = edits.ShowOrApply(ctx, w.c, ch, w.q.ApplyIn)
	return out, err
}

// layoutAlone reports whether a file keeps all its words and signs, in a language where the formatter alone decides
// about the white space between them.
func layoutAlone(f *edit.File) bool {
	return lang.Of(f.Path).ID != "python" && slices.Equal(signs(f.Old), signs(f.New))
}

// signs are the words and the other signs of a text, without white space.
func signs(text string) (out []string) {
	for _, field := range strings.Fields(text) {
		from := 0
		for at, c := range field {
			if !source.IsLetter(c) {
				out = append(out, field[min(from, at):at], string(c))
				from = at + len(string(c))
			}
		}
		out = append(out, field[min(from, len(field)):])
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// silences reports whether an edit only adds comments: it keeps the checker from telling.
func silences(f *edit.File) bool {
	sign := lang.CommentSign(f.Path)
	return sign != "" && !slices.ContainsFunc(f.Edits, func(r edit.Replacement) bool {
		was, now := r.Old, r.New
		for was != "" && now != "" && was[0] == now[0] {
			was, now = was[1:], now[1:]
		}
		for was != "" && now != "" && was[len(was)-1] == now[len(now)-1] {
			was, now = was[:len(was)-1], now[:len(now)-1]
		}
		return was != "" || !strings.HasPrefix(strings.TrimSpace(now), sign)
	})
}

// kindsThere says which kinds the servers of the files have.
func (w *work) kindsThere() string {
	kinds := slices.DeleteFunc(slices.Clone(w.announced), func(kind string) bool {
		return !Below(kind, "quickfix") && !Below(kind, "source")
	})
	slices.Sort(kinds)
	if kinds = slices.Compact(kinds); len(kinds) == 0 {
		return "Its actions are those of a place: ask with file_path of a file and line."
	}
	return "For many files it has " + strings.Join(kinds, ", ") +
		"; quickfix needs diagnostic, the code of a rule as get_diagnostics tells it."
}
