package edit

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/source"
)

// Options say how an edit becomes a plan.
type Options struct {
	// Roots are the folders in which files may be changed, absolute.
	Roots []string
	// Protected are the places in the roots that may not be changed, or only with a confirmation.
	Protected Protected
	// Encoding is the unit in which the edit counts characters on a line.
	Encoding source.Encoding
	// IgnoresMark says that positions in the edit do not count a byte order mark at the start of a text.
	IgnoresMark bool
	// DropGone drops edits of files that do not exist, instead of refusing the whole edit: for servers that keep the
	// symbols of deleted files.
	DropGone bool
	// Seen checks, for each file whose text changes, that the text on disk is the one that the server's edit is
	// about. version is the one that the server named; nil when it named none. An error of Seen ends the plan. A nil
	// Seen accepts all.
	Seen func(path, content string, version *int32) error
	// Label returns the name of a file in its diff; nil takes the absolute path.
	Label func(path string) string

	real []string // Roots without symbolic links
}

// Totals count what a plan does.
type Totals struct {
	// These four count files and folders. A renamed file whose text changes counts as renamed.
	Changed int `json:"changed,omitempty"`
	Created int `json:"created,omitempty"`
	Renamed int `json:"renamed,omitempty"`
	Deleted int `json:"deleted,omitempty"`

	Edits        int `json:"edits,omitempty"`
	LinesAdded   int `json:"lines_added,omitempty"`
	LinesRemoved int `json:"lines_removed,omitempty"`
}

// Plan is all that an edit will do. It does not change any more, and nothing on disk has changed yet.
type Plan struct {
	Files       []File       // sorted by path
	Outside     []string     // paths outside of the roots that the edit would change; such a plan is not applied
	Confirm     []string     // paths whose change the user has to confirm ([Protected])
	Annotations []Annotation // that a file refers to, sorted by ID
	Totals      Totals

	id        string
	roots     []string            // links resolved
	shown     func(string) string // [Options.shown]
	label     func(string) string // [Options.Label]; nil when there is none
	steps     []step
	originals []original
}

// original is a file, link or folder on disk that the plan changes.
type original struct {
	path   string // links resolved
	digest string // when it was planned
	swap   bool   // its text changes
	folder bool
}

// Plan reads the files and applies the edit to a model of them, in its order. It writes nothing. Files outside of the
// roots are neither read nor changed; they are listed in Plan.Outside, and such a plan is never applied. Its errors
// are edit_rejected with a [Reason] when the edit cannot be applied as it is written, file_unreadable and
// file_too_large, and protected_path.
func (e *Edit) Plan(opts Options) (*Plan, error) {
	for _, r := range opts.Roots {
		real, err := filepath.EvalSymlinks(r)
		if err != nil {
			return nil, unreadable(r, err)
		}
		opts.real = append(opts.real, real)
	}
	id := make([]byte, 8)
	rand.Read(id)
	t := &tree{opts: &opts, id: hex.EncodeToString(id), nodes: map[string]*node{}}
	if err := t.applyOperations(e.operations); err != nil {
		return nil, err
	}
	p := &Plan{id: t.id, roots: opts.real, shown: opts.shown, label: opts.Label, Outside: t.outside}
	t.finish(p)
	for _, s := range p.steps { // the journal is JSON, which cannot hold other names
		if !utf8.ValidString(s.Path) || !utf8.ValidString(s.From) {
			return nil, rejected(ReasonNotAFile, "", "the server's edit names %q, which is not UTF-8", s.Path)
		}
	}
	for _, n := range t.all {
		if err := p.add(t, n); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.Files, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	slices.Sort(p.Outside)
	for _, path := range t.confirm {
		p.Confirm = append(p.Confirm, opts.shown(path))
	}
	slices.Sort(p.Confirm)
	p.annotate(e.annotations)
	return p, nil
}

// shown returns a path with its links resolved by the root as the caller named it.
func (o *Options) shown(path string) string {
	for i, r := range o.real {
		if rel, ok := source.RelativeTo(r, path); ok {
			return filepath.Join(o.Roots[i], rel)
		}
	}
	return path
}

func (o *Options) labelOf(path string) string {
	if o.Label == nil {
		return path
	}
	return o.Label(path)
}

// applyOperations applies the operations in order. Edits of texts that follow each other form one group, whose parts
// are read together (see tree.merge).
func (t *tree) applyOperations(operations []operation) error {
	var group []operation
	for i, op := range operations {
		if op.verb != verbText {
			if err := t.applyOperation(op); err != nil {
				return err
			}
			continue
		}
		group = append(group, op)
		if i+1 < len(operations) && operations[i+1].verb == verbText {
			continue
		}
		if err := t.changeAll(group); err != nil {
			return err
		}
		group = nil
	}
	return nil
}

// changeAll applies a group of text edits, file by file. The same edits under two names of a file (a link and the
// file) count once.
func (t *tree) changeAll(group []operation) error {
	parts := map[string][]operation{}
	var order []string
	for _, op := range group {
		path, err := t.real(op.path, true)
		if err != nil {
			return err
		}
		if err := t.guard(op.path, path); err != nil {
			return err
		}
		if !t.inside(path) {
			continue
		}
		if parts[path] == nil {
			order = append(order, path)
		}
		if !slices.ContainsFunc(parts[path], func(o operation) bool {
			return o.path != op.path && slices.Equal(o.edits, op.edits)
		}) {
			parts[path] = append(parts[path], op)
		}
	}
	for _, path := range order {
		if err := t.editText(path, parts[path][0].path, parts[path]); err != nil {
			return err
		}
	}
	return nil
}

// finish puts the steps in order and fills in what is known only at the end. Swaps come first: they need only the
// paths that are on disk, and an earlier move would change those.
func (t *tree) finish(p *Plan) {
	for _, n := range t.all {
		if n.origin != "" && n.before != "" && (n.swapped() || n.renamed || n.deleted) {
			p.originals = append(p.originals, original{n.origin, n.before, n.swapped(), n.folder})
		}
		if n.swapped() {
			aux := t.aux(n.origin)
			p.steps = append(p.steps, step{Kind: stepSwap, Path: n.origin, Aux: aux, Stage: aux, Before: n.before,
				node: n})
		}
	}
	p.steps = append(p.steps, t.steps...)
	for i := range p.steps {
		s := &p.steps[i]
		switch s.Kind {
		case stepSwap, stepPlace:
			s.text, s.After = s.node.text, DigestText(s.node.text)
			for _, earlier := range p.steps[:i] {
				s.Aux = earlier.carry(s.Aux) // that of a swap stays: no step that moves comes before it
			}
		case stepMove, stepRemove:
			if !s.node.folder {
				s.Before = s.node.digestNow()
			}
		}
		s.node = nil
	}
}

// add appends the File of a node that the plan changes; none for a node that was only looked at.
func (p *Plan) add(t *tree, n *node) error {
	f := File{Path: p.shown(n.path), Annotations: n.notes, Folder: n.folder, Contains: n.contains}
	if n.origin != "" && n.origin != n.path && !n.deleted {
		f.From = p.shown(n.origin)
	}
	switch {
	case n.deleted && n.origin != "" && (!n.folder || n.removed):
		f.Kind, f.Path = Delete, p.shown(n.origin)
		p.Totals.Deleted++
	case n.deleted || n.folder && !n.renamed:
		return nil
	case n.origin == "":
		f.Kind = Create
		p.Totals.Created++
	case n.renamed:
		f.Kind = Rename
		p.Totals.Renamed++
	case n.swapped():
		f.Kind = Change
		p.Totals.Changed++
	default:
		return nil
	}
	if n.folder {
		f.BeforeSHA256 = n.entries
		p.Files = append(p.Files, f)
		return nil
	}
	f.BeforeSHA256 = n.before
	if f.Kind != Delete {
		f.AfterSHA256 = n.digestNow()
	}
	if err := f.describe(t, n); err != nil {
		return err
	}
	p.Totals.Edits += len(f.Edits)
	p.count(f.Diff)
	p.Files = append(p.Files, f)
	return nil
}

// count adds the lines of a diff to the totals.
func (p *Plan) count(diff string) {
	_, diff, _ = strings.Cut(diff, "\n")
	_, diff, _ = strings.Cut(diff, "\n") // the two lines with the names
	for line := range strings.Lines(diff) {
		switch line[0] {
		case '+':
			p.Totals.LinesAdded++
		case '-':
			p.Totals.LinesRemoved++
		}
	}
}

// annotate lists the annotations that files refer to. An ID that the server has not explained is listed with nothing
// but the ID.
func (p *Plan) annotate(all map[string]Annotation) {
	used := map[string]bool{}
	for _, f := range p.Files {
		for _, id := range f.Annotations {
			used[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(used)) {
		a := all[id]
		a.ID = id
		p.Annotations = append(p.Annotations, a)
	}
}

// Digest identifies what a plan does: 16 hex digits over all files before and after it, by their absolute paths.
// Every process computes the same one as long as the files and the edit are the same.
func (p *Plan) Digest() string {
	var all []byte
	for i := range p.Files {
		f := &p.Files[i]
		all = fmt.Appendf(all, "%q %q %q %q %q\n", f.Kind, f.From, f.Path, f.BeforeSHA256, f.AfterSHA256)
	}
	for _, path := range p.Outside {
		all = fmt.Appendf(all, "%q\n", path)
	}
	return DigestText(string(all))[:16]
}

// AgreeTo compares the [Plan.Digest] of a preview with that of the plan; another one is a file_changed error. The
// error does not have the plan's digest: with it, an agent could apply what it has not seen.
func (p *Plan) AgreeTo(digest string) error {
	if strings.EqualFold(digest, p.Digest()) {
		return nil
	}
	return contract.Errorf(contract.KindFileChanged, contract.Facts{"expected": digest},
		"preview_id %.20s is not of this edit of the files as they are now: a file changed since the preview, or the edit is another one", digest)
}

// Found returns the digests of what the plan found on disk, by the paths before the plan.
func (p *Plan) Found() map[string]string {
	out := map[string]string{}
	for i := range p.Files {
		if f := &p.Files[i]; f.BeforeSHA256 != "" {
			out[f.pathBefore()] = f.BeforeSHA256
		}
	}
	return out
}

// Agree compares the digests of a preview, by path, with those of the plan. expected must have every file that has a
// BeforeSHA256, under its path before the plan. Its errors are missing_argument with the facts argument and
// file_paths for missing files, file_changed for another digest, and invalid_argument for a file that the plan does
// not change.
func (p *Plan) Agree(expected map[string]string) error {
	missing := []string{}
	known := map[string]bool{}
	for i := range p.Files {
		f := &p.Files[i]
		if f.BeforeSHA256 == "" {
			continue
		}
		path := f.pathBefore()
		known[path] = true
		given, ok := expected[path]
		if !ok {
			missing = append(missing, path)
		} else if !strings.EqualFold(given, f.BeforeSHA256) {
			return changed(path, given, f.BeforeSHA256)
		}
	}
	if len(missing) > 0 {
		return contract.Errorf(contract.KindMissingArgument,
			contract.Facts{"argument": "expected_before_sha256", "file_paths": missing},
			"expected_before_sha256 lacks %d of the files that the edit changes, the first is %s", len(missing),
			missing[0])
	}
	for path := range expected {
		if !known[path] {
			return contract.Errorf(contract.KindInvalidArgument,
				contract.Facts{"argument": "expected_before_sha256", "reason": "the edit does not change " + path},
				"expected_before_sha256 names %s, which the edit does not change", path)
		}
	}
	return nil
}
