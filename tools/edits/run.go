package edits

import (
	"context"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/diagnostics"
)

// In are the arguments of check_edit.
type In struct {
	Edits      []EditIn `json:"edits" required:"true"`
	Severities []string `json:"severities" default:"[\"error\",\"warning\"]" enum:"error,warning,information,hint"`
	MaxResults int      `json:"max_results" default:"100" min:"1" max:"500"`
	Offset     int      `json:"offset" default:"0" min:"0"`
	Wait       string   `json:"wait" default:"errors" enum:"errors,all"`
	WaitMS     int      `json:"wait_ms" default:"1000" min:"100"`

	ApplyIfClean bool              `json:"apply_if_clean" default:"false"`
	PreviewID    string            `json:"preview_id"`
	Expected     map[string]string `json:"expected_before_sha256"`
	Backup       string            `json:"backup_suffix"`
	answer.Caps
}

// EditIn is one edit. Which of its three forms it has follows from what is given: old_text, a range, or
// neither for the whole file.
type EditIn struct {
	FilePath     string  `json:"file_path" required:"true"`
	OldText      *string `json:"old_text"`
	NewText      string  `json:"new_text" required:"true"`
	Line         int     `json:"line" min:"1"`
	Character    int     `json:"character" min:"1"`
	EndLine      int     `json:"end_line" min:"1"`
	EndCharacter int     `json:"end_character" min:"1"`
}

// waitAll is the value of wait with which nothing is left pending, as in get_diagnostics.
const waitAll = "all"

// Run answers check_edit: what the edits change in what the servers report, without a change on disk
// unless the edits are clean and apply_if_clean asks for it.
func Run(ctx context.Context, c *answer.Call, in In) (*Out, error) {
	plan, err := PlanEdits(c, in.Edits)
	if err == nil {
		err = mayApply(c, plan, in)
	}
	if err != nil {
		return nil, err
	}
	groups, err := serverGroups(c, plan)
	if err != nil {
		return nil, err
	}
	// The servers are independent of each other, so they are asked at the same time; d is guarded by its own lock.
	// One error for each group: a server that fails must not hide what the others found.
	errs := make([]error, len(groups))
	var d difference
	if in.Wait != waitAll && !in.ApplyIfClean { // what was not looked at is not applied
		d.forUsers = time.Duration(in.WaitMS) * time.Millisecond
	}
	answer.Parallel(len(groups), 0, func(i int) { errs[i] = compareAt(ctx, c, groups[i], plan, &d) })
	if err := groupErrors(c, groups, errs); err != nil {
		return nil, err
	}
	// These two need what all servers said: a server that failed keeps the edits from being applied, and the
	// readers on disk are found by the texts that were compared.
	d.failed = slices.ContainsFunc(errs, func(err error) bool { return err != nil })
	d.readers = diskReaders(c, plan, &d)
	// With one server its name on every finding would be noise.
	if len(groups) > 1 { // each finding says whose it is
		c.AnsweredByMany()
	}
	// The decision to apply comes last, because it reads the warnings that the steps above left on the call.
	out := d.answer(c, in, plan)
	if in.ApplyIfClean {
		err = applyCompared(ctx, c, groups, plan, &d, in.Backup, out)
	} else {
		offerApply(c, plan, &d)
	}
	if err != nil {
		return nil, err
	}
	out.close(c)
	return out, nil
}

// serverGroups returns the servers to ask, each with the edited files that it is shown. All edits of
// one process are tried together: a declaration that one edit renames and its use that another edit
// renames would each be an error alone. The servers are those that get_diagnostics asks, so that the
// two tools agree on what an error is.
//
// A file without a server is skipped with a warning while another file has one; the warning also keeps
// the edits from being applied. There is at least one group when the error is nil.
func serverGroups(c *answer.Call, plan *editPlan) (diagnostics.Groups, error) {
	var groups diagnostics.Groups
	var first error
	for _, path := range plan.Paths {
		routes, err := diagnostics.InstalledRoutes(c, path, spec.RoleDiagnostics)
		if err != nil {
			// Kept for the case that no file has a server: then it is the error of the call.
			if first == nil {
				first = err
			}
			if len(plan.Paths) > 1 {
				c.Warn(contract.WarnFileSkipped, contract.Facts{"file_path": c.Show(path),
					"reason": answer.AsError(err).Kind}, answer.AsError(err).Message)
			}
			continue
		}
		for _, r := range routes {
			// The key names a process. One process may serve several roots, and then it must see all edits at once.
			groups.Add(path, r, func(have router.Route) bool { return have.Key() == r.Key() })
		}
	}
	if len(groups) == 0 {
		return nil, first
	}
	return groups, nil
}

// groupErrors returns the error of a comparison of which nothing came; a part that failed is a warning.
func groupErrors(c *answer.Call, groups diagnostics.Groups, errs []error) error {
	if err := answer.ErrorOfAll(errs); err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			ask.PartFailed(c, groups[i].Routes[0].Spec.ID, err)
		}
	}
	return nil
}
