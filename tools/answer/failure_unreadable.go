package answer

import (
	"errors"
	"fmt"
	"io/fs"

	"lspi/contract"
)

// The steps of errors about files that cannot be read.

func alternativeFile(c *Call, e *contract.Error) []contract.NextStep {
	if e.Facts["files"] != nil { // others than the one that was asked about
		return []contract.NextStep{c.Repeat("Repeat the call when that is fixed.", nil)}
	}
	root := ToolStep("get_current_config", "See the workspace root that paths are relative to.")
	if errors.Is(e, fs.ErrPermission) {
		file, _ := e.Facts["file_path"].(string)
		return []contract.NextStep{rightsStep(c, file, ", or the path of another file"), root}
	}
	return []contract.NextStep{{Kind: contract.StepDoc, Message: "Give the path of a readable source file."}, root}
}

// rereadSteps follow a transcript that could not be read: its client may have been replacing it, unless the system
// does not let this user read it.
func rereadSteps(c *Call, e *contract.Error) []contract.NextStep {
	others := ListSessionsStep("See which sessions can be read.")
	if errors.Is(e, fs.ErrPermission) {
		path := ""
		if pe := (*fs.PathError)(nil); errors.As(e, &pe) {
			path = pe.Path
		}
		return []contract.NextStep{rightsStep(c, path, ""), others, {Kind: contract.StepDoc, Message: askUserForTask}}
	}
	return []contract.NextStep{c.Repeat("Repeat the call.", nil), others}
}

// rightsStep is what to do about a path that the system does not let this user read; path is "" when it is not
// known, and more follows the advice. Another call of the same would fail in the same way.
func rightsStep(c *Call, path, more string) contract.NextStep {
	what := "it"
	if path != "" {
		what = c.Show(path)
	}
	return contract.NextStep{Kind: contract.StepDoc,
		Message: fmt.Sprintf(
			"The user that runs lspi has no right to read %s, or to enter a folder on its path: that right has to be given%s.", what, more)}
}
