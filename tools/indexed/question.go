package indexed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/index"
)

// Question is one question to the indexes of a workspace, from [Open] to Close.
type Question struct {
	c      *answer.Call
	why    *ask.Unserved
	tables []*index.Table
	states map[*index.Table]*index.State // by those that were asked for
	used   []*index.Table                // that have given something
	texts  map[string]*source.Text       // nil for a file that cannot be read
	stale  []string                      // files of places that the disk does not have
}

// grace is what a question may take where the time of the call ended while a server loaded.
const grace = 3 * time.Second

// Answer returns the answer of a tool: what run, which asks servers, has found, or where no server answers what by
// finds in the indexes. It is run's own where there is no index, or the index does not know either.
func Answer[Out any](ctx context.Context, c *answer.Call, given string, run func() (*Out, error),
	by func(ctx context.Context, c *answer.Call, q *Question) (*Out, error)) (*Out, error) {
	began := c.Checkpoint()
	out, err := run()
	why := ask.NoServer(c, err)
	if why == nil || errors.Is(context.Cause(ctx), context.Canceled) {
		return out, err
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
	}
	// Its warnings and steps are those of the answer only if the answer is taken.
	n := c.Nested(c.Tool, c.Request)
	n.ClaimComplete()
	q, refused := open(ctx, n, given, why)
	defer q.close()
	if refused != nil && err != nil {
		err = withRefused(err, refused)
	}
	if len(q.tables) == 0 {
		return out, err
	}
	found, failed := by(ctx, n, q)
	if failed != nil {
		// A name that means several symbols is an answer; whatever else the index does not know, the server's error
		// says more.
		if answer.AsError(failed).Kind == contract.KindAmbiguousSymbol && err != nil {
			return nil, failed
		}
		return out, err
	}
	// What a server has read so far is newer than an index that is not proven.
	if why.Partial && n.Claim() != contract.Complete && !longer(found, out) {
		return out, err
	}
	c.Restore(began)
	answer.Adopt(c, n)
	answer.AdoptWindows(c, n, "")
	c.AnsweredByMany() // none of them
	return found, nil
}

// listed is an answer that lists places.
type listed interface{ Places() []string }

// longer reports whether an answer has more in it than another one, and all places of it.
func longer(found, than any) bool {
	a, sized := found.(interface{ Size() int })
	b, _ := than.(interface{ Size() int })
	if !sized || b == nil || a.Size() <= b.Size() {
		return false
	}
	all, lists := found.(listed)
	some, _ := than.(listed)
	if !lists || some == nil {
		return true
	}
	has := map[string]bool{}
	for _, place := range all.Places() {
		has[place] = true
	}
	return !slices.ContainsFunc(some.Places(), func(place string) bool { return !has[place] })
}

// withRefused is an error with the reason why an index that is there does not answer.
func withRefused(err error, refused error) error {
	var e *contract.Error
	if !errors.As(err, &e) {
		return err
	}
	copied := *e
	copied.Message += "; " + refused.Error()
	return &copied
}

// open opens the indexes that may answer, as far as they can be; refused is why one of them cannot. given is the
// argument file_path, or "".
func open(ctx context.Context, c *answer.Call, given string, why *ask.Unserved) (q *Question, refused error) {
	q = &Question{c: c, why: why, states: map[*index.Table]*index.State{}, texts: map[string]*source.Text{}}
	if c.Workspace.Table == nil || c.Workspace.Root == "" {
		return q, nil
	}
	path := ""
	if given != "" {
		path = c.AbsolutePath(given)
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	for _, f := range files(c, path) {
		t, err := index.Open(ctx, c.Session.Settings.Index.Cache, f)
		var e *index.Refused
		switch {
		case errors.As(err, &e):
			refused = fmt.Errorf("%s is not used: %s", c.Show(f.Path), e.Why)
		case err != nil && !errors.Is(err, os.ErrNotExist):
			refused = fmt.Errorf("%s is not used: %w", c.Show(f.Path), err)
		case err == nil:
			q.tables = append(q.tables, t)
		}
	}
	return q, refused
}

func (q *Question) close() {
	for _, t := range q.tables {
		_ = t.Close() // it was read
	}
}

// files returns the indexes of a workspace that are there: those that the configuration names, those beside its
// projects, and lspi's own. path is a file whose project's index is looked for, too, or "".
func files(c *answer.Call, path string) []index.File {
	settings := c.Session.Settings.Index
	in := index.Place{Cache: settings.Cache, Files: settings.Files, Commit: settings.Commit,
		Allowed: c.Workspace.Table.Allowed()}
	for _, tree := range c.Workspace.Trees() {
		in.Roots = append(in.Roots, tree)
		for dir := filepath.Dir(path); path != "" && source.Within(tree, dir) && dir != tree; dir = filepath.Dir(dir) {
			in.Roots = append(in.Roots, dir)
		}
		j := c.Workspace.Pool.Journal(tree)
		if j == nil {
			continue
		}
		for _, file := range j.Choose(index.Name, func(p string) bool { return projectFile[filepath.Base(p)] }) {
			in.Roots = append(in.Roots, filepath.Dir(file))
		}
	}
	return in.Find()
}

// projectFile are the names of files beside which an index may be.
var projectFile = func() map[string]bool {
	of := map[string]bool{index.Name: true}
	for _, i := range index.Indexers {
		for _, mark := range i.Marks {
			of[mark] = true
		}
	}
	return of
}()

// answers reports whether an index may answer about a file. Where the servers are there and do not know what is asked,
// only code that none of them has: of another repository, or of a language whose server is missing.
func (q *Question) answers(path string) bool {
	if !q.why.Unknown || q.c.Workspace.Table.RootOf(path) == "" {
		return true
	}
	routes, err := q.c.Workspace.Table.Route(q.c.Workspace.Process.Files, path)
	return err != nil || len(routes) == 0 || !slices.ContainsFunc(routes, func(r router.Route) bool {
		return answer.Program(q.c, r.Spec) != ""
	})
}

// diskText returns the text of a file on disk; nil when it cannot be read.
func (q *Question) diskText(t *index.Table, path string) *source.Text {
	if text, known := q.texts[path]; known {
		return text
	}
	text, err := q.c.Workspace.Text(path)
	if err != nil && q.c.Workspace.Table.RootOf(path) == "" && !source.Within(q.c.Workspace.Root, t.Path) {
		// Of another repository, whose index the user's configuration names.
		text, err = q.c.Workspace.Process.Texts.Load(path, source.NewReach(t.Root))
	}
	if err != nil {
		text = nil
	}
	q.texts[path] = text
	return text
}

// document returns the index that has a file, and the file; nil when none has it.
func (q *Question) document(ctx context.Context, path string) (*index.Table, *index.Document, error) {
	if !q.answers(path) {
		return nil, nil, nil
	}
	for _, t := range q.tables {
		if d, err := t.Document(ctx, path); err != nil || d != nil {
			return t, d, err
		}
	}
	return nil, nil, nil
}

// use notes that an index has given something.
func (q *Question) use(t *index.Table) {
	if !slices.Contains(q.used, t) {
		q.used = append(q.used, t)
	}
}

// notFound is the error of a symbol that no index has.
func notFound(name, path string) error {
	return contract.Errorf(contract.KindSymbolNotFound, contract.Facts{"symbol_name": name, "file_path": path},
		"no index has %s", strings.TrimSpace(name+" "+path))
}
