package answer

import (
	"strings"

	"lspi/contract"
)

// The steps of errors about the session of a host, and about lspi's own process.

// maxBindings bounds the workspaces that are offered.
const maxBindings = 5

// bindSteps are the steps for a session over HTTP that has no workspace yet: bind_workspace with each
// workspace that the folder of the call may mean, or with the only one that is known. A folder outside
// of all known ones is for the user to allow: a host must not open any folder of the machine by naming
// it.
func bindSteps(_ *Call, e *contract.Error) []contract.NextStep {
	offered := AsStrings(e.Facts["candidates"])
	known := AsStrings(e.Facts["known"])
	if e.Kind == contract.KindWorkspaceNotSet && len(known) == 1 {
		offered = known
	}
	var out []contract.NextStep
	for _, root := range offered[:min(len(offered), maxBindings)] {
		out = append(out, contract.NextStep{Kind: contract.StepTool, Tool: "bind_workspace",
			Arguments: map[string]any{"cwd": root},
			Message:   "If this is the project, choose it."})
	}
	if e.Kind == contract.KindWorkspaceNotSet {
		out = append(out, contract.NextStep{Kind: contract.StepDoc,
			Message: "Call bind_workspace with the absolute path of the project's folder as cwd, then repeat the call."})
	}
	if len(offered) == 0 {
		out = append(out, contract.NextStep{Kind: contract.StepConfig,
			Message: "A folder outside of the known ones is the user's to allow: ask them to add it to " +
				"`daemon.http_roots` of their own configuration, then call bind_workspace again."})
	}
	return out
}

// interruptedSteps are the steps when the process of lspi ended during a call. The journal of edits
// tells what the call had changed by then ("nothing", "part", or not known); only where it changed
// nothing may the call be repeated without a look at the files.
func interruptedSteps(c *Call, e *contract.Error) []contract.NextStep {
	files := AsStrings(e.Facts["files"])
	switch e.Facts["changed"] {
	case "nothing":
		if c.Tool.Class != Write && c.Tool.Class != DryRun {
			return []contract.NextStep{c.Repeat("Make the same call again.", nil)}
		}
		return []contract.NextStep{{Kind: contract.StepDoc, Message: "Make the same call again."},
			c.PreviewStep("Or see first what it would do; this changes nothing.")}
	case "part":
		out := []contract.NextStep{{Kind: contract.StepDoc,
			Message: "Read these files, or their diff in version control, and mend them before you repeat the call: " +
				strings.Join(files, ", ") + "."}}
		if len(files) > 0 {
			out = append(out, contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
				Message:   "See what is wrong with them.",
				Arguments: map[string]any{"file_paths": files}})
		}
		return out
	}
	if c.Tool == nil { // of another MCP server
		return []contract.NextStep{{Kind: contract.StepDoc,
			Message: "Find out whether the call had an effect before you make it again."}}
	}
	return []contract.NextStep{{Kind: contract.StepDoc,
		Message: "Do not repeat the call before you have seen, by reading the files or their diff in " +
			"version control, whether the edit was made."},
		c.PreviewStep("See what the edit would still change; this changes nothing.")}
}
