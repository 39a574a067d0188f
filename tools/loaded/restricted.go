package loaded

import (
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
)

// In a workspace that is not trusted servers run none of its code (build scripts, plugins, macros). An answer may lack
// what that code would have made, so it says which code was not run, where the answer may lack something for it.

// methodDiagnostic stands for every way of asking for diagnostics.
const methodDiagnostic = "textDocument/diagnostic"

// Restricted warns of code of an untrusted workspace that was not run, where the answer may lack
// something for it. s may be nil. References and renames are left to [audit.Uses], which looks at places.
func Restricted(c *answer.Call, s *lsp.Snapshot, method string) {
	if s == nil {
		return
	}
	switch {
	case c.Diagnoses():
		method = methodDiagnostic
	// A tool whose answer is about the whole project loses the same as implementations, whatever request it was
	// made of.
	case c.IsOfWholeProject() && method != lsp.MethodReferences:
		method = lsp.MethodImplementation
	case method == lsp.MethodReferences, method == lsp.MethodRename:
		return
	}
	WarnNotRun(c, s, lsp.Withheld(s.Server, method))
}

// WarnNotRun warns that code was not run; files hold the name at places that may be uses. It does nothing
// without runs.
func WarnNotRun(c *answer.Call, s *lsp.Snapshot, runs []spec.ProjectRun, files ...string) {
	if len(runs) == 0 {
		return
	}
	var what, loss []string
	for _, r := range runs {
		what, loss = append(what, r.What), append(loss, r.Loss)
	}
	facts := contract.Facts{"server_id": s.ID(), "not_run": what}
	message := fmt.Sprintf("%s does not run %s of this workspace, which is not trusted; the answer may lack %s", s.ID(),
		strings.Join(what, " or "), strings.Join(loss, " and "))
	if len(files) > 0 {
		facts["files"] = files
		message += "; the name also occurs at other places, such as in " + files[0]
	}
	WarnRestricted(c, facts, message)
}

// WarnRestricted warns of what is missing because the workspace is not trusted. The first warning of a
// session also says why it is not, and has the step to ask the user.
func WarnRestricted(c *answer.Call, facts contract.Facts, message string) {
	first := answer.NotYetTold(c, "restricted")
	if t := c.Session.Settings.Trust; first && t != nil {
		message += " (" + t.Why + ")"
	}
	c.Warn(contract.WarnRestricted, facts, message)
	if first { // behind the warning, which is then shown before those that have no step
		answer.WillTell(c, "restricted", string(contract.WarnRestricted), message)
		c.Step(answer.AskUserStep())
	}
}

// IsOff reports whether a server is not started here, and warns of it when it only checks and is
// installed. For one that also navigates the question itself fails and says so.
func IsOff(c *answer.Call, sp *spec.Spec) bool {
	off := sp.Off()
	if off == "" {
		return false
	}
	if !sp.Roles.Has(spec.RoleNavigation) && answer.Program(c, sp) != "" {
		WarnRestricted(c, contract.Facts{"server_id": sp.ID, "not_run": []string{sp.Title}},
			fmt.Sprintf("%s is not started, because this workspace is not trusted: %s", sp.Title, off))
	}
	return true
}
