package edits

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/contract"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
)

// ApplyIn are the arguments of every tool that shows a change of files first and carries it out when
// the caller consents.
type ApplyIn struct {
	Apply     string            `json:"apply" enum:"if_safe"`
	DryRun    bool              `json:"dry_run" default:"true"`
	PreviewID string            `json:"preview_id"`
	Expected  map[string]string `json:"expected_before_sha256"`
	Diff      bool              `json:"diff" default:"false"` // unified diffs, and the digest of every file
	Backup    string            `json:"backup_suffix"`
	Offset    int               `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// Writes reports whether the call may write, and not only show.
func (in ApplyIn) Writes() bool { return !in.DryRun || in.Apply != "" }

// unseen reports whether the call applies an edit that it names by no preview, as calls of the original lspi do. Nobody
// has looked at it then, so that it is applied by the rules of if_safe.
func (in ApplyIn) unseen() bool { return !in.DryRun && in.PreviewID == "" && len(in.Expected) == 0 }

// maxBackupSuffix bounds the suffix of backups, in code points.
const maxBackupSuffix = 40

// CheckBackup refuses a suffix that would lead out of the folder of a file.
func CheckBackup(suffix string) error {
	if strings.ContainsAny(suffix, `/\`) || len([]rune(suffix)) > maxBackupSuffix ||
		strings.ContainsFunc(suffix, unicode.IsControl) {
		return answer.Invalid("backup_suffix", "must be a short ending of file names such as .orig, not %q",
			answer.CutText(suffix, maxBackupSuffix))
	}
	return nil
}

// ChangeOut is a change of files: a preview with the changes of each file, or what was done. Answers
// embed it, and write its fields by [ChangeOut.Shown] behind their own.
type ChangeOut struct {
	Applied    bool         `json:"applied"`
	NotApplied string       `json:"not_applied,omitempty"` // why apply: if_safe wrote nothing
	PreviewID  string       `json:"preview_id,omitempty"`  // of a preview: [edit.Plan.Digest]
	Totals     ChangeTotals `json:"totals,omitzero" schema:"object"`
	Files      []FileChange `json:"files,omitempty"`
	// Instead of totals and files, of a change of texts that was applied.
	Edits      int      `json:"edits,omitempty" schema:"-"`
	InComments int      `json:"in_comments,omitempty" schema:"-"`
	Paths      []string `json:"paths,omitempty" schema:"-"`
	// Of what was applied: errors that were not there before, and how many are gone.
	NewErrors  []diagnostics.InFile `json:"new_errors,omitempty" schema:"object"`
	ErrorsGone int                  `json:"errors_gone,omitempty" schema:"-"`
	Backups    map[string]string    `json:"backups,omitempty" schema:"-"`        // of files by their paths before
	FilesMore  int                  `json:"files_left_out,omitempty" schema:"-"` // that this answer does not name

	from, to int  // the files that are shown with their changes; from is where this page begins
	bare     bool // other files are not named
	digests  bool // the digests of each file are told
	short    bool // as [ChangeOut.shorten] makes it
}

// ChangeTotals count files, edits and lines of a whole change, those that are not shown included.
type ChangeTotals struct {
	Changed      int `json:"changed,omitempty"`
	Created      int `json:"created,omitempty"`
	Renamed      int `json:"renamed,omitempty"`
	Deleted      int `json:"deleted,omitempty"`
	Edits        int `json:"edits"`
	LinesAdded   int `json:"lines_added"`
	LinesRemoved int `json:"lines_removed"`
}

// FileChange is what happens to one file or folder.
type FileChange struct {
	FilePath     string `json:"file_path"`
	From         string `json:"from,omitempty"`
	Kind         string `json:"kind,omitempty"` // none when its text changes
	BeforeSHA256 string `json:"before_sha256,omitempty" schema:"-"`
	AfterSHA256  string `json:"after_sha256,omitempty" schema:"-"`
	Edits        int    `json:"edits,omitempty" schema:"-"` // where neither changes nor diff show them
	Folder       bool   `json:"folder,omitempty" schema:"-"`
	Contains     int    `json:"contains,omitempty" schema:"-"` // entries of a folder
	Binary       bool   `json:"binary,omitempty" schema:"-"`

	Changes []string `json:"changes,omitempty" pattern:"^\\d+(:\\d+ |-\\d+( |$)|\\+ )"`
	Diff    string   `json:"diff,omitempty"` // on request, and where changes would not be exact
}

// Previewed returns a plan as its preview shows it.
func Previewed(c *answer.Call, p *edit.Plan, in ApplyIn) ChangeOut {
	out := ChangeOut{digests: in.Diff, PreviewID: p.Digest(), Files: []FileChange{},
		Totals: ChangeTotals{p.Totals.Changed, p.Totals.Created, p.Totals.Renamed,
			p.Totals.Deleted, p.Totals.Edits, p.Totals.LinesAdded, p.Totals.LinesRemoved}}
	for i := range p.Files {
		out.Files = append(out.Files, previewedFile(c, &p.Files[i], in.Diff))
	}
	out.from = min(in.Offset, len(out.Files))
	out.to = len(out.Files)
	return out
}

// previewedFile returns one file of a preview, by its diff where that was asked for or is the only
// exact form.
func previewedFile(c *answer.Call, f *edit.File, diff bool) FileChange {
	one := FileChange{FilePath: c.Show(f.Path), Kind: string(f.Kind), Edits: len(f.Edits), Folder: f.Folder,
		Contains: f.Contains,
		Binary:   f.Binary, Diff: f.Diff}
	if f.From != "" {
		one.From = c.Show(f.From)
	}
	if f.Kind == edit.Change {
		one.Kind = ""
	}
	if diff {
		one.BeforeSHA256 = f.BeforeSHA256
		return one
	}
	// Strings are shorter than a diff; where they would not lead to the same bytes the diff stays.
	if lines, exact := changedLines(f.Diff); exact {
		one.Changes, one.Diff = lines, ""
	}
	return one
}

// OnlyCounts leaves out the changes of each file, for which their number stands, and all files but the first ones.
func (o *ChangeOut) OnlyCounts(files int) {
	for i := range o.Files {
		o.Files[i].Diff, o.Files[i].Changes = "", nil
	}
	if more := len(o.Files) - files; more > 0 {
		o.FilesMore, o.Files = more, o.Files[:files]
	}
	o.from, o.to = 0, 0
}

// absolute returns the given digests by absolute paths before the plan, as plans have them. A file that
// is renamed may be named by either of its paths.
func absolute(c *answer.Call, p *edit.Plan, given map[string]string) map[string]string {
	from := map[string]string{}
	for i := range p.Files {
		if f := &p.Files[i]; f.From != "" {
			from[f.Path] = f.From
		}
	}
	// a renamed to b, and b to c: "b" means the file that is b now, and not the one that will be.
	for i := range p.Files { // which has the name now means itself
		if f := &p.Files[i]; f.Kind != edit.Create {
			delete(from, cmp.Or(f.From, f.Path))
		}
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		path := PathNamed(c, name)
		out[cmp.Or(from[path], path)] = given[name]
	}
	return out
}

// PathNamed returns the absolute path that an answer shows by this name.
func PathNamed(c *answer.Call, name string) string { return c.AbsolutePath(name) }

// ChangeFields are the fields of a ChangeOut as they are written.
type ChangeFields ChangeOut

// Short reports whether the answer is the short one of an applied change of texts, which says what was
// done and repeats nothing.
func (o *ChangeOut) Short() bool { return o.short }

// Shown returns the fields with the changes of the window only.
func (o ChangeOut) Shown() ChangeFields {
	p := ChangeFields(o)
	if o.short {
		p.Totals, p.Files, p.Edits = ChangeTotals{}, nil, o.Totals.Edits
		for i := range o.Files[:min(len(o.Files), maxPaths)] {
			p.Paths = append(p.Paths, o.Files[i].FilePath)
		}
		p.FilesMore += len(o.Files) - len(p.Paths)
		return p
	}
	p.Files = slices.Clone(o.Files)
	for i := range p.Files {
		f := &p.Files[i]
		// Files outside of the window are named without their changes; the number of edits stands for
		// these.
		if i < o.from || i >= o.to {
			f.Diff, f.Changes = "", nil
		} else if f.Diff != "" || f.Changes != nil {
			f.Edits = 0
		}
	}
	if o.bare && !o.Applied {
		p.FilesMore = len(p.Files) - (o.to - o.from)
		p.Files = p.Files[o.from:o.to]
	}
	return p
}

// A preview that is too large loses changes, file by file from the last, then the names of the other files; the answer
// of an applied change loses files.

// ShedSnippets keeps the changes, since they are what the host consents to, and drops the lines of new errors.
func (o *ChangeOut) ShedSnippets() bool {
	return DropPreviews(o.NewErrors)
}

// DropPreviews removes the lines of code from diagnostics, and reports whether there were any.
func DropPreviews(files []diagnostics.InFile) (had bool) {
	for _, f := range files {
		for i := range f.Diagnostics {
			had = f.Diagnostics[i].DropPreview() || had
		}
	}
	return had
}

// Size counts the answer without any changes as the first item: that is an answer, too.
func (o *ChangeOut) Size() int { return 1 + o.to - o.from }

// First returns the answer with n items.
func (o ChangeOut) First(n int) ChangeOut {
	n = max(n-1, 0)
	if o.Applied {
		o.FilesMore = len(o.Files) - n
		o.Files = o.Files[:n]
	}
	o.to = o.from + n
	return o
}

// Terse leaves out the files that have no room for their changes.
func (o *ChangeOut) Terse() bool {
	had := o.bare
	o.bare = true
	return !had
}

// Steps lead to the changes that n items left out.
func (o *ChangeOut) Steps(c *answer.Call, n int) []contract.NextStep {
	n = max(n-1, 0)
	switch {
	case o.Applied || o.from >= len(o.Files):
		return nil
	case n == 0:
		// Not even those of the first file fit, so that another page would not help.
		f := &o.Files[o.from]
		room := utf8.RuneCountInString(f.Diff) + utf8.RuneCountInString(strings.Join(f.Changes, "12")) + 4*c.Limit()
		return []contract.NextStep{c.WithRoom("Ask again with more room to see the changes.", room)}
	}
	return []contract.NextStep{c.Repeat("See the changes that were left out.", map[string]any{"offset": o.from + n})}
}

// Summary says what is, or was, done.
func (o *ChangeOut) Summary() string {
	verb := "would change"
	if o.Applied {
		verb = "changed"
	}
	if o.NotApplied != "" {
		return fmt.Sprintf("Nothing was changed: %s.", o.NotApplied)
	}
	return fmt.Sprintf("%s %s %s; +%d -%d lines.", answer.Counted(o.Totals.Edits, "edit"), verb,
		answer.Counted(len(o.Files), "file"), o.Totals.LinesAdded, o.Totals.LinesRemoved)
}

// Tell writes what happens to each file, with its changes, and what came of it.
func (o *ChangeOut) Tell(s *answer.Sheet) {
	shown := o.Shown()
	if o.PreviewID != "" {
		s.Line(0, "preview_id %s", o.PreviewID)
	}
	if o.NotApplied != "" {
		s.Line(0, "not applied: %s", o.NotApplied)
	}
	for i := range shown.Files {
		shown.Files[i].Tell(s)
	}
	s.List(0, "changed", shown.Paths)
	TellApplied(s, shown.FilesMore, shown.NewErrors, shown.ErrorsGone, shown.Backups)
}

// TellApplied writes what only an applied change has.
func TellApplied(s *answer.Sheet, more int, errors []diagnostics.InFile, gone int, backups map[string]string) {
	if more > 0 {
		s.Line(0, "… and %d more files", more)
	}
	if len(errors) > 0 {
		s.Line(0, "New errors")
		diagnostics.Tell(s, errors)
	}
	if gone > 0 {
		s.Line(0, "%s gone", answer.Counted(gone, "error"))
	}
	for _, file := range slices.Sorted(maps.Keys(backups)) {
		s.Line(0, "backup of %s: %s", file, backups[file])
	}
}

// maxPaths bounds the files that the short answer names.
const maxPaths = 5

// Tell writes what happens to the file, then its changes.
func (f *FileChange) Tell(s *answer.Sheet) {
	text := cmp.Or(f.Kind, string(edit.Change)) + " " + f.FilePath
	if f.From != "" {
		text += " from " + f.From
	}
	if f.Folder {
		text += fmt.Sprintf(" (folder of %d)", f.Contains)
	}
	if f.Binary {
		text += " (binary)"
	}
	for _, digest := range []struct{ name, value string }{{"before_sha256", f.BeforeSHA256},
		{"after_sha256", f.AfterSHA256}} {
		if digest.value != "" {
			text += " " + digest.name + " " + digest.value
		}
	}
	if f.Edits > 0 {
		text += ", " + answer.Counted(f.Edits, "edit")
	}
	s.Line(0, "%s", text)
	for _, change := range f.Changes {
		s.Block(change)
	}
	if f.Diff != "" {
		s.Diff(f.Diff)
	}
}
