package answer

import (
	"errors"
	"fmt"
	"io/fs"

	"lspi/contract"
)

// The steps of errors about files that cannot be read.

// alternativeFile are the steps for a file that cannot be read, is too large, or is no file.
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

// rereadSteps are the steps for a transcript that could not be read. A repeat helps when its client was
// just replacing the file; it does not when the system refuses the read, or the file is gone.
func rereadSteps(c *Call, e *contract.Error) []contract.NextStep {
	others := ListSessionsStep("See which sessions can be read.")
	if errors.Is(e, fs.ErrPermission) {
		path := ""
		if pe := (*fs.PathError)(nil); errors.As(e, &pe) {
			path = pe.Path
		}
		return []contract.NextStep{rightsStep(c, path, ""), others, {Kind: contract.StepDoc, Message: askUserForTask}}
	}
	if errors.Is(e, fs.ErrNotExist) {
		return []contract.NextStep{others, {Kind: contract.StepDoc, Message: askUserForTask}}
	}
	return []contract.NextStep{c.Repeat("Repeat the call.", nil), others}
}

// rightsStep says which right the user that runs lspi lacks. path is "" when it is not known; more ends
// the sentence. It is no repeat: nothing has changed by then.
func rightsStep(c *Call, path, more string) contract.NextStep {
	what := "it"
	if path != "" {
		what = c.Show(path)
	}
	return contract.NextStep{Kind: contract.StepDoc,
		Message: fmt.Sprintf(
			"The user that runs lspi has no right to read %s, or to enter a folder on its path: that right has to be given%s.", what, more)}
}
