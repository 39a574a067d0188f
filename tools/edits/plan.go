package edits

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/edit"
	"lspi/tools/answer"
)

// editPlan is the edits of one check_edit by file. Edits refer to the text on disk, which may change
// before a server tries them; so the plan keeps them as they were given, and [editPlan.Texts] resolves
// them anew each time.
type editPlan struct {
	c     *answer.Call
	Paths []string // in the order in which they were given
	edits map[string][]numberedEdit
	fresh map[string]bool // files that do not exist yet
}

// numberedEdit is an edit with its index in the arguments, for errors.
type numberedEdit struct {
	EditIn
	n int
}

// name returns how errors name an argument of the edit: edits[2].old_text.
func (e numberedEdit) name(field string) string { return fmt.Sprintf("edits[%d].%s", e.n, field) }

// whole reports whether the edit gives the whole text of its file.
func (e numberedEdit) whole() bool { return e.OldText == nil && e.Line == 0 }

// The bounds of one call.
const (
	maxEdits      = 200
	maxEditedFile = 20
)

// PlanEdits checks edits as far as the texts on disk allow now. It asks no server.
func PlanEdits(c *answer.Call, edits []EditIn) (*editPlan, error) {
	if len(edits) == 0 || len(edits) > maxEdits {
		return nil, answer.Invalid("edits", "must have 1 to %d items, not %d", maxEdits, len(edits))
	}
	p := &editPlan{c: c, edits: map[string][]numberedEdit{}, fresh: map[string]bool{}}
	// Every edit is checked before any file is read, so that a call with a wrong argument costs nothing.
	for n, in := range edits {
		e := numberedEdit{in, n}
		if err := e.Check(); err != nil {
			return nil, err
		}
		path, fresh, err := editedPath(c, e)
		if err != nil {
			return nil, err
		}
		// By the real path: two names of one file (a link) are one file, and their edits must not be tried apart.
		if p.edits[path] == nil {
			p.Paths = append(p.Paths, path)
		}
		p.edits[path], p.fresh[path] = append(p.edits[path], e), fresh
	}
	if len(p.Paths) > maxEditedFile {
		return nil, answer.Invalid("edits", "may change at most %d files, not %d", maxEditedFile, len(p.Paths))
	}
	// The result is not kept. An edit that does not fit its text is refused here, before a server is started.
	_, err := p.Texts(c.Workspace.Text, p.Paths)
	return p, err
}

// Check refuses an edit that has none of the three forms (old_text, a range, the whole file), or more
// than one.
func (e numberedEdit) Check() error {
	places := []struct {
		name  string
		value int
	}{{"line", e.Line}, {"character", e.Character}, {"end_line", e.EndLine}, {"end_character", e.EndCharacter}}
	given := 0
	for _, p := range places {
		if p.value > 0 {
			given++
		}
	}
	// More than one form would leave open which text is meant; a form that is given in half is most likely a mistake.
	switch {
	case e.OldText != nil && given > 0:
		return answer.Invalid(e.name("old_text"), "cannot be given together with a range")
	case e.OldText != nil && *e.OldText == "":
		return answer.Invalid(e.name("old_text"), "is empty; leave it out to give the whole file")
	case given > 0 && given < len(places):
		for _, p := range places {
			if p.value == 0 {
				return answer.Missing(e.name(p.name))
			}
		}
	}
	return nil
}

// editedPath returns the real path of the file that an edit changes. A file that does not exist is
// allowed only for an edit that gives the whole text, because the other forms refer to a text before;
// fresh is true then.
func editedPath(c *answer.Call, e numberedEdit) (path string, fresh bool, err error) {
	path, err = c.Path(e.FilePath)
	var failed *contract.Error
	if !errors.As(err, &failed) || failed.Kind != contract.KindFileNotFound || !e.whole() {
		return path, false, err
	}
	// The error carries the absolute path. Its folders may be links, and the file itself cannot be resolved,
	// because it does not exist.
	path, _ = failed.Facts["file_path"].(string)
	real, err := realParent(path)
	if err != nil {
		return "", false, contract.Errorf(contract.KindFileUnreadable,
			contract.Facts{"file_path": path, "reason": err.Error()},
			"finding the folder of %s: %w", c.Show(path), err)
	}
	// The question which server is asked comes later; here only the refusal counts.
	_, err = c.Routes(real) // refuses what lies outside by a link
	return real, true, err
}

// realParent returns the path with the links of its existing folders resolved. Without this a new file
// below a link could be written outside of the workspace. A link that leads nowhere is an error,
// because where it will lead is not known.
func realParent(path string) (string, error) {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		// Lstat finds what EvalSymlinks cannot follow: something of that name is there, so it is a link to nowhere.
		if _, broken := os.Lstat(dir); broken == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return "", err // a link that leads nowhere, too
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// existing returns the first of the paths that exists; "" when none does.
func (p *editPlan) existing(paths []string) string {
	for _, path := range paths {
		if !p.fresh[path] {
			return path
		}
	}
	return ""
}

// count sets the numbers of edits of an applied plan to those that the caller gave: the plan itself
// counts pieces of the difference.
func (p *editPlan) count(applied *edit.Plan, out *ChangeOut) {
	out.Totals.Edits = 0
	for i := range out.Files {
		edits := len(p.edits[applied.Files[i].Path])
		out.Totals.Edits += edits
		if out.Files[i].Edits > 0 {
			out.Files[i].Edits = edits
		}
	}
}

// textChange is one replacement, in bytes of the text before.
type textChange struct {
	start, end int
	text       string
	n          int // of the edit
}

// Texts resolves the edits of files against what load returns for them now.
func (p *editPlan) Texts(load func(path string) (*source.Text, error), paths []string) (map[string]*EditedText, error) {
	out := map[string]*EditedText{}
	for _, path := range paths {
		// A new file replaces nothing: its edit gives the whole text.
		before := source.New(path, "")
		if !p.fresh[path] {
			var err error
			if before, err = load(path); err != nil {
				return nil, err
			}
		}
		t, err := p.edited(before, p.edits[path])
		if err != nil {
			return nil, err
		}
		out[path] = t
	}
	return out, nil
}

// edited applies edits to a text. All of them refer to the text before and never to the result of one
// another, so their order in the arguments does not matter, and two that touch the same bytes are
// refused. Two insertions at one place are both kept, in the order of the arguments.
func (p *editPlan) edited(before *source.Text, edits []numberedEdit) (*EditedText, error) {
	shown := p.c.Show(before.Path)
	// What is shown of such a text is not what is on disk, so that an edit of it would change bytes that nobody has
	// seen.
	if !before.Valid {
		return nil, p.rejected(before, "not_utf8", "%s is not UTF-8, so its text cannot be given exactly", shown)
	}
	var changes []textChange
	for _, e := range edits {
		// The others would refer to a text that is gone with this one.
		if e.whole() && len(edits) > 1 {
			return nil, p.rejected(before, "overlap", "edits[%d] replaces all of %s, which other edits change as well",
				e.n, shown)
		}
		c, err := p.change(before, e)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	// The sort is stable for the sake of insertions at the same offset.
	slices.SortStableFunc(changes, func(a, b textChange) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, c := range changes {
		// Edits that share bytes have no common result; which of them is meant is for the caller to say.
		if c.start < at {
			return nil, p.rejected(before, "overlap", "edits[%d] changes text of %s that another edit changes as well",
				c.n, shown)
		}
		b.WriteString(before.Content()[at:c.start])
		b.WriteString(c.text)
		at = c.end
	}
	b.WriteString(before.Content()[at:])
	return &EditedText{Before: before, After: source.New(before.Path, b.String())}, nil
}

// change finds the bytes that an edit replaces. Line ends of the new text become those of the file, as
// they do when it is written: otherwise the servers would be shown another text than the one that lands
// on disk.
func (p *editPlan) change(before *source.Text, e numberedEdit) (textChange, error) {
	content := before.Content()
	e.NewText = edit.WithLineEndOf(content, e.NewText) // as when it is written
	switch {
	case e.OldText != nil:
		// Answers show texts with plain line ends; the host gives back what it was shown.
		old := answer.AsInText(content, *e.OldText)
		e.OldText = &old
		at, err := p.once(before, e)
		return textChange{at, at + len(old), e.NewText, e.n}, err
	case e.Line > 0:
		start, err := before.Offset(contract.Position{Line: e.Line, Character: e.Character})
		if err != nil {
			return textChange{}, err
		}
		end, err := before.Offset(contract.Position{Line: e.EndLine, Character: e.EndCharacter})
		if err == nil && end < start {
			err = answer.Invalid(e.name("end_line"), "lies before the beginning of the range")
		}
		return textChange{start, end, e.NewText, e.n}, err
	}
	// The edit gives the whole text. A new text without a byte order mark does not remove that of the file.
	start := 0
	if strings.HasPrefix(content, byteOrderMark) && !strings.HasPrefix(e.NewText, byteOrderMark) {
		start = len(byteOrderMark) // the mark stays
	}
	return textChange{start, len(content), e.NewText, e.n}, nil
}

// byteOrderMark is U+FEFF, with which some files begin.
const byteOrderMark = "\ufeff"

// once returns where old_text stands in the file; it has to occur exactly once.
func (p *editPlan) once(before *source.Text, e numberedEdit) (int, error) {
	at := StandsAt(before.Content(), *e.OldText)
	if len(at) == 1 {
		return at[0], nil
	}
	return 0, NotOnce(fmt.Sprintf("old_text of edits[%d]", e.n), p.c.Show(before.Path), before, *e.OldText, at)
}

// StandsAt returns the offsets at which a text stands in another one, overlapping ones too.
func StandsAt(content, old string) (at []int) {
	for from := 0; ; {
		i := strings.Index(content[from:], old)
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		// The search goes on one character later, not behind the hit: "aa" stands twice in "aaa", and which one is
		// meant is not certain.
		_, size := utf8.DecodeRuneInString(content[from+i:])
		from += i + size
	}
}

// NotOnce is the error for a text that has to stand in a file exactly once and stands at these offsets.
func NotOnce(what, shown string, t *source.Text, old string, at []int) *contract.Error {
	rejected := func(reason, format string, args ...any) *contract.Error {
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"file_path": shown, "reason": reason}, format,
			args...)
	}
	// An edit of the first of several places would often hit the wrong one, and silently.
	if len(at) > 1 {
		lines := linesOf(t, at)
		err := rejected("occurs_more_than_once", "%s occurs %d times in %s, in lines %s", what, len(at), shown,
			strings.Trim(fmt.Sprint(lines), "[]"))
		err.Facts["lines"] = lines
		return err
	}
	content := t.Content()
	// The text would occur with the line ends of the file: the error says so instead of "does not occur".
	if strings.Contains(content, "\r\n") && strings.Contains(content, strings.ReplaceAll(old, "\n", "\r\n")) {
		return rejected("line_ends", "%s does not occur in %s, whose lines end with \\r\\n", what, shown)
	}
	err := rejected("not_found", "%s does not occur in %s", what, shown)
	// Most texts that do not occur differ in white space, or are from an older state: the lines help to find what
	// is there now.
	if lines := linesOf(t, similar(content, old)); len(lines) > 0 {
		err.Message += fmt.Sprintf("; its first line occurs in lines %s", strings.Trim(fmt.Sprint(lines), "[]"))
		err.Facts["lines"] = lines
	}
	return err
}

// maxLinesShown bounds the lines that an error names.
const maxLinesShown = 20

// linesOf returns the lines of the first offsets, each line once.
func linesOf(t *source.Text, offsets []int) []int {
	lines := []int{}
	for _, at := range offsets[:min(len(offsets), maxLinesShown)] {
		lines = append(lines, t.PositionAt(at).Line)
	}
	return slices.Compact(lines)
}

// similar returns where the first line of a text that is not blank stands, whatever surrounds it.
func similar(content, old string) (at []int) {
	first := ""
	for line := range strings.Lines(old) {
		// Without the white space around it: wrong indentation is the most frequent reason why a text does not occur.
		if first = strings.TrimSpace(line); first != "" {
			break
		}
	}
	if first == "" {
		return nil
	}
	for from := 0; len(at) < maxLinesShown; {
		i := strings.Index(content[from:], first)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + len(first)
	}
	return at
}

// rejected is the error for an edit that does not fit its text; it names the file as the host knows it.
func (p *editPlan) rejected(t *source.Text, reason, format string, args ...any) *contract.Error {
	return contract.Errorf(contract.KindEditRejected, contract.Facts{"file_path": p.c.Show(t.Path), "reason": reason},
		format, args...)
}
