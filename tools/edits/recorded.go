package edits

import (
	"slices"

	"lspi/lsp/edit"
)

// Recorded returns an applied change from its record in the journal, for a call whose process ended
// before it answered. The errors that it brought are missing: nobody compared them. brief makes the
// answer of a change of texts short, as [ShowOrApply] does.
func Recorded(o edit.CallOutcome, brief bool) ChangeOut {
	t := o.Totals
	out := ChangeOut{Applied: true, Files: []FileChange{}, Backups: o.Backups,
		Totals: ChangeTotals{t.Changed, t.Created, t.Renamed, t.Deleted, t.Edits, t.LinesAdded, t.LinesRemoved}}
	for _, f := range o.Files {
		one := FileChange{FilePath: f.Label, From: f.FromLabel, Edits: f.Edits, Folder: f.Folder, Contains: f.Contains,
			Binary: f.Binary}
		if f.Kind != edit.Change {
			one.Kind = string(f.Kind)
		}
		out.Files = append(out.Files, one)
	}
	out.to = len(out.Files)
	out.short = brief && !slices.ContainsFunc(o.Files, func(f edit.ChangedFile) bool { return f.Kind != edit.Change })
	return out
}
