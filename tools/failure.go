package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/edit"
)

// stepsFor are the next steps of an error, chosen by its kind and its facts, never by its words. Every error has one at
// least.
func (c *Call) stepsFor(e *contract.Error) []contract.NextStep {
	steps := c.steps
	if short := shortageSteps(c, e); short != nil {
		return slices.DeleteFunc(short, c.refuses)
	}
	if make := stepsByKind[e.Kind]; make != nil {
		steps = append(steps[:len(steps):len(steps)], make(c, e)...)
	}
	steps = slices.DeleteFunc(slices.Clone(steps), func(s contract.NextStep) bool {
		return agrees(s) || !c.runnable(s) || c.refuses(s)
	})
	steps = c.leadingSteps(steps)
	if len(steps) == 0 {
		steps = []contract.NextStep{statusStep("Look at the state of the servers and their last errors."), doctorStep()}
	}
	return steps
}

// runnable reports whether a tool step would be accepted as it is; other steps are for people.
func (c *Call) runnable(s contract.NextStep) bool {
	if s.Kind != contract.StepTool {
		return true
	}
	t, err := c.tools.Lookup(s.Tool)
	if err != nil {
		return false
	}
	raw, err := contract.Marshal(s.Arguments)
	return err == nil && t.check(raw) == nil
}

// refuses reports whether a tool step would be refused under this configuration.
func (c *Call) refuses(s contract.NextStep) bool {
	if s.Kind != contract.StepTool {
		return false
	}
	t, err := c.tools.Lookup(s.Tool)
	return err == nil && c.env.Settings.refuses(t) != nil
}

type stepMaker func(c *Call, e *contract.Error) []contract.NextStep

var stepsByKind = map[contract.Kind]stepMaker{
	contract.KindNoServerForExtension: func(*Call, *contract.Error) []contract.NextStep {
		// The four steps of the lspi guide, in its words and order.
		return []contract.NextStep{
			toolStep("get_current_config", "Confirm the effective MCP config (workspace_root, allowed_roots, read_only, output caps)."),
			toolStep("list_servers", "Confirm configured servers, extensions, and routing metadata."),
			statusStep("Confirm server lifecycle status (running, last error, warmup)."),
			{Kind: contract.StepConfig, Message: "Add/verify `servers[].extensions` for this language, or pass a `file_path` " +
				"with the expected extension so routing can pick the correct server."},
		}
	},
	contract.KindServerNotInstalled: installSteps,
	contract.KindCommandNotFound: func(c *Call, e *contract.Error) []contract.NextStep {
		return []contract.NextStep{{Kind: contract.StepConfig, Message: fmt.Sprintf("Correct `command` in line %v of %v, or take it out, so that "+
			"lspi looks for the program itself; then restart the host.", e.Facts["line"], e.Facts["file"])},
			toolStep("list_servers", "See which servers are found and where."), doctorStep()}
	},
	contract.KindRestricted: restrictedSteps,
	contract.KindServerStartFailed: func(c *Call, e *contract.Error) []contract.NextStep {
		return append([]contract.NextStep{statusStep("Read the end of the server's stderr.")}, installSteps(c, e)...)
	},
	contract.KindServerCrashed: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.repeat("Repeat the call; a new process is started.", nil),
			statusStep("If it ends again, read the end of its stderr.")}
	},
	contract.KindSpecialFile: func(c *Call, e *contract.Error) []contract.NextStep {
		file, _ := e.Facts["file_path"].(string)
		return []contract.NextStep{{Kind: contract.StepDoc, Message: "Tell the user: " + c.show(file) + " has to be removed, renamed or replaced by a regular file."},
			c.repeat("Repeat the call when that is done.", nil)}
	},
	contract.KindMemoryLimit: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{{Kind: contract.StepConfig, Message: "Look for what makes the project so large (generated sources, links to devices, " +
			"copies of dependencies) and leave it out of the project; else the user may raise limits.max_server_memory_mb."},
			statusStep("See what memory the servers have.")}
	},
	contract.KindServerDisabled: func(_ *Call, e *contract.Error) []contract.NextStep {
		return []contract.NextStep{statusStep("Read why it failed and when it will be tried again."),
			{Kind: contract.StepTool, Tool: "restart_server", Message: "Start it again at once when the cause is fixed.",
				Arguments: map[string]any{"server_id": e.Facts["server_id"]}},
			doctorStep()}
	},
	contract.KindStillIndexing: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.repeat("Repeat the call; the server goes on loading meanwhile.", nil),
			statusStep("See how far it has come.")}
	},
	contract.KindProjectBroken: func(c *Call, e *contract.Error) []contract.NextStep {
		file, _ := e.Facts["file_path"].(string)
		return []contract.NextStep{diagnosticsStep(file), c.repeat("Repeat the call when the file is in order.", nil)}
	},
	contract.KindLoadFailed: func(c *Call, e *contract.Error) []contract.NextStep {
		id, _ := e.Facts["server_id"].(string)
		return []contract.NextStep{statusStep("See what " + id + " said last."), c.repeat("Repeat the call when the cause is fixed.", nil)}
	},
	contract.KindNotInBuild: positionSteps, // an outline needs no build
	contract.KindNoCompilationDB: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.repeat("Repeat the call when the file is there.", nil)}
	},
	contract.KindUnresolvedName: func(c *Call, e *contract.Error) []contract.NextStep {
		file, _ := e.Facts["file_path"].(string)
		return []contract.NextStep{diagnosticsStep(file), c.repeat("Repeat the call when the errors of the file are fixed.", nil)}
	},
	contract.KindRequestTimeout: func(c *Call, e *contract.Error) []contract.NextStep {
		method, _ := e.Facts["method"].(string)
		advice := "Raise mcp.call_timeout_ms, and the host's own limit for a call if that is lower."
		if method != "" {
			advice = fmt.Sprintf("Raise servers[].request_timeout_overrides_ms.%q.", method)
		}
		return []contract.NextStep{c.repeat("Repeat the call.", nil), statusStep("See whether the server is busy."),
			{Kind: contract.StepConfig, Message: advice}}
	},
	contract.KindCancelled: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.repeat("Repeat the call if the answer is still wanted.", nil)}
	},
	contract.KindFileNotFound: func(c *Call, e *contract.Error) []contract.NextStep {
		var out []contract.NextStep
		for _, near := range asStrings(e.Facts["closest"]) {
			out = append(out, c.repeat("Use "+near+".", map[string]any{"file_path": near}))
		}
		switch {
		case e.Facts["link_to"] != nil:
			out = append(out, contract.NextStep{Kind: contract.StepDoc, Message: "Repair the link, or give the path of the file that is meant."})
		case c.env.Settings.Workspace != "":
			out = append(out, contract.NextStep{Kind: contract.StepDoc,
				Message: "Give file_path relative to the workspace root " + c.env.Settings.Workspace + ", or absolute."})
		}
		return out
	},
	contract.KindOutsideWorkspace: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{
			toolStep("get_current_config", "See which folders are allowed."),
			{Kind: contract.StepConfig, Message: "Start lspi with --workspace-root on the folder that holds the file, or add the folder " +
				"to `workspace_folders` of a trusted configuration. Sources of dependencies can be asked about once an answer named them."},
		}
	},
	contract.KindNotAFilePath: func(c *Call, e *contract.Error) []contract.NextStep {
		given, _ := e.Facts["file_path"].(string)
		for _, path := range []string{given, strings.TrimLeft(given, "/")} { // file:///a.go for a.go of the workspace
			if _, err := c.path(path); err == nil {
				return []contract.NextStep{c.repeat("Use the plain path.", map[string]any{"file_path": path})}
			}
		}
		return []contract.NextStep{{Kind: contract.StepDoc, Message: "Give the plain path of a file of the workspace " + c.env.Settings.Workspace +
			", relative to it or absolute."}}
	},
	contract.KindSymbolNotFound:     symbolSteps,
	contract.KindAmbiguousSymbol:    candidateSteps,
	contract.KindPositionOutOfRange: positionSteps,
	contract.KindNotAnIdentifier:    positionSteps,
	contract.KindUnknownArgument: func(c *Call, e *contract.Error) []contract.NextStep {
		near, _ := e.Facts["closest"].(string)
		given, _ := object(c.request.Arguments)
		name, _ := e.Facts["argument"].(string)
		step := c.repeat("Leave it out.", map[string]any{name: nil})
		if near != "" && given[near] == nil {
			step = c.repeat("Use "+near+".", map[string]any{name: nil, near: given[name]})
		}
		if c.runnable(step) && !agrees(step) {
			return []contract.NextStep{step}
		}
		// Something else is missing or wrong, too, or it would write.
		return append([]contract.NextStep{{Kind: contract.StepDoc, Message: step.Message}}, argumentSteps(c, e)...)
	},
	contract.KindMissingArgument: argumentSteps,
	contract.KindInvalidArgument: argumentSteps,
	contract.KindUnknownTool: func(c *Call, e *contract.Error) []contract.NextStep {
		return []contract.NextStep{{Kind: contract.StepDoc, Message: "The tools are: " + strings.Join(c.tools.Names(&c.env.Settings), ", ") + "."}}
	},
	contract.KindUnknownServer: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{toolStep("list_servers", "See the ids of the servers.")}
	},
	contract.KindToolDisabled: func(_ *Call, e *contract.Error) []contract.NextStep {
		keys := "mcp.tools.allow or mcp.tools.exclude"
		if key, _ := e.Facts["key"].(string); key != "" {
			keys = key
		}
		return []contract.NextStep{
			toolStep("get_current_config", "See which tools the configuration allows."),
			{Kind: contract.StepConfig, Message: "Change " + keys + " and restart the host."},
		}
	},
	contract.KindReadOnly: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{
			toolStep("get_current_config", "See why lspi is read-only."),
			{Kind: contract.StepConfig, Message: "A person can start lspi with --read-write or set mcp.read_only = false in their own configuration."},
		}
	},
	contract.KindConfigInvalid: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{doctorStep(),
			{Kind: contract.StepConfig, Message: "Correct the configuration file as the message says, then repeat the call."}}
	},
	contract.KindWorkspaceNotFound: func(_ *Call, e *contract.Error) []contract.NextStep {
		from, _ := e.Facts["from"].(string)
		return []contract.NextStep{{Kind: contract.StepConfig, Message: "The folder that " + from + " named is not there: name one " +
			"that exists, or start lspi with --workspace-root on the folder of the project; then repeat the call."}}
	},
	contract.KindRequestUnsupported: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{statusStep("See what each server offers."),
			{Kind: contract.StepDoc, Message: "Another tool may do: find_references and search_workspace_symbols work with nearly every server."}}
	},
	contract.KindRequestFailed: func(c *Call, e *contract.Error) []contract.NextStep {
		if refused, _ := e.Facts["refused"].(bool); refused { // and would refuse again
			return c.refusedSteps()
		}
		return []contract.NextStep{statusStep("Look at the server's state and the end of its stderr."), c.repeat("Repeat the call.", nil)}
	},
	contract.KindResponseTooLarge: func(c *Call, e *contract.Error) []contract.NextStep {
		needed, _ := e.Facts["needed"].(int)
		return []contract.NextStep{c.withRoom("Ask again with more room.", max(needed, DefaultMaxChars))}
	},
	contract.KindFileChanged: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.previewStep("See what would be changed now.")}
	},
	contract.KindProtectedPath: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{{Kind: contract.StepDoc, Message: "Nothing was changed. Tell the user which file would have to change and why; " +
			"the user may edit it, or set edit.protected in the user's own configuration of lspi."}}
	},
	contract.KindEditRejected:   rejectedSteps,
	contract.KindFileTooLarge:   alternativeFile,
	contract.KindFileUnreadable: alternativeFile,
	contract.KindNotAFile:       alternativeFile,
}

// diagnosticsStep shows what is wrong with a project file.
func diagnosticsStep(file string) contract.NextStep {
	return contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Message: "See what is wrong with " + file + ".",
		Arguments: map[string]any{"file_path": file}}
}

// refusedSteps follow what the server refuses: the words in its message say why, another question may do.
func (c *Call) refusedSteps() []contract.NextStep {
	if c.tool == nil {
		return nil
	}
	if c.tool.Name == "code_actions" { // of one action, mostly
		return []contract.NextStep{c.repeat("See what else can be done there.", map[string]any{"action": nil, "offset": nil})}
	}
	var out []contract.NextStep
	arguments := c.targetArguments()
	for _, tool := range []struct{ name, message string }{
		{"hover", "See what the symbol is."}, {"find_references", "Find the uses of the symbol."},
	} {
		if len(arguments) > 0 && tool.name != c.tool.Name {
			out = append(out, contract.NextStep{Kind: contract.StepTool, Tool: tool.name, Message: tool.message, Arguments: arguments})
		}
	}
	if len(out) == 0 {
		out = append(out, statusStep("Look at the server's state and the end of its stderr."))
	}
	return out
}

func toolStep(tool, message string) contract.NextStep {
	return contract.NextStep{Kind: contract.StepTool, Message: message, Tool: tool, Arguments: map[string]any{}}
}

func statusStep(message string) contract.NextStep { return toolStep("get_server_status", message) }

func doctorStep() contract.NextStep {
	return contract.NextStep{Kind: contract.StepCommand, Message: "Check the set-up from a shell.", Command: "lspi doctor --json"}
}

func installSteps(_ *Call, e *contract.Error) []contract.NextStep {
	var out []contract.NextStep
	commands := asStrings(e.Facts["install"])
	for _, command := range commands[:min(len(commands), maxInstalls)] {
		out = append(out, contract.NextStep{Kind: contract.StepCommand, Message: "Install it.", Command: command})
	}
	if hint, _ := e.Facts["install_hint"].(string); len(out) == 0 && hint != "" {
		out = append(out, contract.NextStep{Kind: contract.StepDoc, Message: hint})
	}
	return append(out, toolStep("list_servers", "See which servers are found and where."), doctorStep())
}

func symbolSteps(c *Call, e *contract.Error) []contract.NextStep {
	out := candidateSteps(c, e)
	if kinds := asStrings(e.Facts["kinds"]); len(kinds) > 0 {
		return []contract.NextStep{c.repeat("Retry with the "+kinds[0]+".", map[string]any{"symbol_kind": kinds[0]})}
	}
	name, _ := e.Facts["symbol_name"].(string)
	_, inFile := e.Facts["file_path"]
	elsewhere := inFile && len(components(name)) > 1
	for _, near := range asStrings(e.Facts["closest"]) {
		message := "Use " + near + "."
		if inFile && endsWith(components(name), components(near)) { // the qualifier differs
			message = "Use " + near + ", which is another symbol than " + name + "."
			if elsewhere {
				out, elsewhere = append(out, c.wholeWorkspace(name)), false
			}
		}
		change := map[string]any{"symbol_name": near}
		if line, ok := e.Facts["closest_line"].(int); ok {
			message = fmt.Sprintf("Use %s, which is in line %d.", near, line)
			change["line"], change["character"] = line, nil
		}
		out = append(out, c.repeat(message, change))
		if len(out) == 3 {
			break
		}
	}
	if elsewhere && len(out) == 0 {
		out = append(out, c.wholeWorkspace(name))
	}
	return append(out, contract.NextStep{Kind: contract.StepTool, Tool: "search_workspace_symbols",
		Message: "Search for the name in the whole workspace.", Arguments: map[string]any{"query": lastComponent(name)}})
}

// wholeWorkspace is the step that looks for a name everywhere instead of in one file.
func (c *Call) wholeWorkspace(name string) contract.NextStep {
	return c.repeat("Retry with the "+name+" of the workspace, wherever it is declared.",
		map[string]any{"file_path": nil, "line": nil, "character": nil})
}

func candidateSteps(c *Call, e *contract.Error) []contract.NextStep {
	candidates, _ := e.Facts["candidates"].([]candidate)
	var out []contract.NextStep
	for _, k := range candidates {
		out = append(out, c.repeat("Retry with "+k.SymbolName+" at "+fmt.Sprintf("%s:%d", k.FilePath, k.Line)+".", map[string]any{
			"file_path": k.FilePath, "line": k.Line, "character": k.Character, "symbol_name": nil, "symbol_kind": nil,
		}))
		if len(out) == 5 {
			break
		}
	}
	return out
}

func positionSteps(c *Call, e *contract.Error) []contract.NextStep {
	file, _ := e.Facts["file_path"].(string)
	return []contract.NextStep{{Kind: contract.StepTool, Tool: "get_document_symbols",
		Message: "See the symbols of the file with their lines.", Arguments: map[string]any{"file_path": file}}}
}

func argumentSteps(c *Call, _ *contract.Error) []contract.NextStep {
	if c.tool == nil {
		return []contract.NextStep{{Kind: contract.StepDoc,
			Message: `Give params as {"name": TOOL, "arguments": {…}}. The tools are: ` + strings.Join(c.tools.Names(&c.env.Settings), ", ") + "."}}
	}
	names := c.tool.Input.PropertyOrder
	message := c.tool.Name + " takes: " + strings.Join(names, ", ") + "."
	if slices.Contains(names, "symbol_name") {
		message += " A symbol is given by file_path with symbol_name, line and symbol_name, or line and character; or by " +
			"symbol_name alone."
	}
	return []contract.NextStep{{Kind: contract.StepDoc, Message: message}}
}

// textReasons are why a text that the host gave does not lead to a place.
var textReasons = []string{"not_found", "occurs_more_than_once", "line_ends", "not_utf8", string(edit.ReasonOverlap)}

// rejectedSteps follow an edit that is not applied, by its reason.
func rejectedSteps(c *Call, e *contract.Error) []contract.NextStep {
	reason, _ := e.Facts["reason"].(string)
	if slices.Contains(textReasons, reason) { // of the host's edit, not of a server's
		return []contract.NextStep{{Kind: contract.StepDoc, Message: "Read the file again. Give the text exactly as it stands there, with as much " +
			"around it as makes it occur once, or the range by line, character, end_line and end_character."}}
	}
	advice := map[edit.Reason]string{
		edit.ReasonReadOnly:        "Make the file writable if it is meant to be changed, then repeat the call.",
		edit.ReasonHardLinks:       "Replace the file with a copy that has no other hard link (cp, then mv over it), then repeat the call.",
		edit.ReasonWriteFailed:     "Every file is as it was. Remove the cause (space, rights), then repeat the call.",
		edit.ReasonRollbackFailed:  "Remove the cause (space, rights); the next call puts everything back before anything else.",
		edit.ReasonUnfinishedEdits: "Remove the cause that the message names (space, rights); the next call finishes the earlier edit.",
		edit.ReasonNoJournal:       "Start lspi with HOME or XDG_STATE_HOME set.",
	}[edit.Reason(reason)]
	var out []contract.NextStep
	if advice != "" {
		out = append(out, contract.NextStep{Kind: contract.StepDoc, Message: advice})
	}
	switch edit.Reason(reason) {
	case edit.ReasonNotSeen, edit.ReasonMisplaced, edit.ReasonBadRange:
		out = append(out, c.previewStep("Preview the change again; the server is asked again."))
	}
	switch {
	case reason == notTrusted:
		out = append(out, askUserStep())
	case len(out) == 0:
		out = c.refusedSteps()
	}
	return out
}

func alternativeFile(c *Call, e *contract.Error) []contract.NextStep {
	if e.Facts["files"] != nil { // others than the one that was asked about
		return []contract.NextStep{c.repeat("Repeat the call when that is fixed.", nil)}
	}
	return []contract.NextStep{{Kind: contract.StepDoc, Message: "Give the path of a readable source file."},
		toolStep("get_current_config", "See the workspace root that paths are relative to.")}
}

func asStrings(v any) []string {
	s, _ := v.([]string)
	return s
}

// asError gives every error its place in the closed list.
func asError(err error) *contract.Error {
	var e *contract.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return contract.Errorf(contract.KindRequestTimeout, nil, "the call ran out of time: %w", err)
	case errors.Is(err, context.Canceled):
		return contract.Errorf(contract.KindCancelled, nil, "the call was cancelled: %w", err)
	}
	return contract.Errorf(contract.KindPanic, nil, "%w", err)
}

const maxErrorText = 1200

const maxFact = 400

// candidate is one of several symbols that a name may mean.
type candidate struct {
	SymbolName string         `json:"symbol_name"`
	Kind       lsp.SymbolKind `json:"kind"`
	FilePath   string         `json:"file_path"`
	Line       int            `json:"line"`
	Character  int            `json:"character"`
}

// maxInstalls bounds the ways to install a server that are shown.
const maxInstalls = 2

// notTrusted is the reason for which a rename is rejected that may lack uses in code which a workspace that is not trusted has.
const notTrusted = "restricted"

func askUserStep() contract.NextStep {
	return contract.NextStep{Kind: contract.StepDoc, Message: askUser}
}

// restrictedSteps are for a server that is not started because the workspace is not trusted.
func restrictedSteps(*Call, *contract.Error) []contract.NextStep {
	return []contract.NextStep{askUserStep(),
		statusStep("See which servers run in this workspace, and what they do not do.")}
}

// askUser is what a model does about a workspace that is not trusted. The command is for the user to know and not a step of
// the model's: what grants trust is never one.
const askUser = "Ask the user whether they trust this repository. If so they run lspi trust in a terminal of theirs; do not run it for them."
