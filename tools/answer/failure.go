package answer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/session"
	"lspi/tools/symbol"
)

// StepsFor returns the next steps of an error, chosen by its kind and facts, never by its words; at least one wherever
// the configuration leaves any tool that could help.
//
// The steps that the tool added come first, since the tool knows the case; then those of the kind. Of all of them those
// are removed that would write (an error is no moment to write unseen), would be refused by the configuration, or do
// not fit the tool's schema; then those that a trial shows to fail ([Call].FilterSteps). A step that would make the
// same call again is one in words. A model follows a step blindly, so a wrong step costs more than a missing one.
func (c *Call) StepsFor(e *contract.Error) []contract.NextStep {
	steps := c.steps
	// Want of files, memory or processes explains any error that it causes; the steps of the kind would
	// lead elsewhere.
	if short := shortageSteps(c, e); short != nil {
		return inWords(c, slices.DeleteFunc(short, c.Refuses))
	}
	if make := stepsByKind[e.Kind]; make != nil {
		// The capacity is cut to the length, so that append copies and c.steps stays as it is.
		steps = append(steps[:len(steps):len(steps)], make(c, e)...)
	}
	steps = slices.DeleteFunc(slices.Clone(steps), func(s contract.NextStep) bool {
		return writes(s) || !c.Runnable(s) || c.Refuses(s)
	})
	steps = inWords(c, c.withoutFailing(steps))
	if len(steps) == 0 {
		steps = []contract.NextStep{StatusStep("Look at the state of the servers and their last errors."), DoctorStep()}
		steps = slices.DeleteFunc(steps, c.Refuses) // a preset may leave out the status, too
	}
	return steps
}

// inWords returns steps with words in place of the call itself: what follows steps as they are would make the call that
// failed again and again.
func inWords(c *Call, steps []contract.NextStep) []contract.NextStep {
	for i, s := range steps {
		if Repeats(c, s) {
			steps[i] = contract.NextStep{Kind: contract.StepDoc, Message: s.Message}
		}
	}
	return steps
}

// Runnable reports whether a tool step would be accepted as it is: the tool exists, and its schema and
// its own check take the arguments. Steps of other kinds are for people and count as runnable.
func (c *Call) Runnable(s contract.NextStep) bool {
	if s.Kind != contract.StepTool {
		return true
	}
	t, err := c.Tools.Lookup(s.Tool)
	if err != nil {
		return false
	}
	raw, err := contract.Marshal(s.Arguments)
	return err == nil && t.Check(raw) == nil
}

// Refuses reports whether the configuration of the session (read-only, preset, allow, exclude) refuses
// a tool step.
func (c *Call) Refuses(s contract.NextStep) bool {
	if s.Kind != contract.StepTool {
		return false
	}
	t, err := c.Tools.Lookup(s.Tool)
	return err == nil && Refuses(&c.Session.Settings, t) != nil
}

// stepMaker makes the steps for errors of one kind. e has its facts in full length; any fact may be
// missing or of another type, because errors come from many places, so a maker reads each with a
// checked assertion. c.Tool is nil in errors from before the tool was known; [Call.Repeat] then answers
// in words.
type stepMaker func(c *Call, e *contract.Error) []contract.NextStep

// maxNamed bounds the tools of another MCP server that one step lists.
const maxNamed = 60

// stepsByKind has the steps of each kind of error. A kind that is not here gets the two steps that
// always help, see [Call.StepsFor]; a test holds that every kind of the contract has steps.
var stepsByKind = map[contract.Kind]stepMaker{
	contract.KindNoServerForExtension: func(c *Call, _ *contract.Error) []contract.NextStep {
		steps, alone := unservedSteps(c)
		if alone {
			return steps
		}
		// The four steps of the lspi guide, in its words and order.
		return append([]contract.NextStep{
			ToolStep("get_current_config",
				"Confirm the effective MCP config (workspace_root, allowed_roots, read_only, output caps)."),
			ToolStep("list_servers", "Confirm configured servers, extensions, and routing metadata."),
			StatusStep("Confirm server lifecycle status (running, last error, warmup)."),
			{Kind: contract.StepConfig,
				Message: "Add/verify `servers[].extensions` for this language, or pass a `file_path` " +
					"with the expected extension so routing can pick the correct server."},
		}, steps...)
	},
	contract.KindGitFailed: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{{Kind: contract.StepDoc,
			Message: "Give a revision that git log shows, or the change itself in edits."}}
	},
	contract.KindServerNotInstalled: installSteps,
	contract.KindCommandNotFound: func(c *Call, e *contract.Error) []contract.NextStep {
		return []contract.NextStep{{Kind: contract.StepConfig,
			Message: fmt.Sprintf("Correct `command` in line %v of %v, or remove it, so that "+
				"lspi looks for the program itself; then restart the host.", e.Facts["line"], e.Facts["file"])},
			ToolStep("list_servers", "See which servers are found and where."), DoctorStep()}
	},
	contract.KindRestricted: restrictedSteps,
	contract.KindConfigUntrusted: func(c *Call, e *contract.Error) []contract.NextStep {
		file, _ := e.Facts["file"].(string)
		return []contract.NextStep{{Kind: contract.StepDoc, Message: "Ask the user whether they trust " + c.Show(file) +
			". If so, they run lspi trust in their own terminal; do not run it for them."},
			ToolStep("list_servers", "See which servers there are without it.")}
	},
	contract.KindServerStartFailed: func(c *Call, e *contract.Error) []contract.NextStep {
		return append([]contract.NextStep{StatusStep("Read the end of the server's stderr.")}, installSteps(c, e)...)
	},
	contract.KindServerCrashed: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.Repeat("Repeat the call; lspi starts a new process.", nil),
			StatusStep("If it ends again, read the end of its stderr.")}
	},
	contract.KindSpecialFile: func(c *Call, e *contract.Error) []contract.NextStep {
		file, _ := e.Facts["file_path"].(string)
		return []contract.NextStep{{Kind: contract.StepDoc, Message: "Tell the user: " + c.Show(file) +
			" has to be removed, renamed or replaced by a regular file."},
			c.Repeat("Repeat the call when that is done.", nil)}
	},
	contract.KindMemoryLimit: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{{Kind: contract.StepConfig,
			Message: "Look for what makes the project so large (generated sources, links to devices, " +
				"copies of dependencies) and leave it out of the project; else the user may raise limits.max_server_memory_mb."},
			StatusStep("See how much memory the servers use.")}
	},
	contract.KindServerDisabled: func(_ *Call, e *contract.Error) []contract.NextStep {
		return []contract.NextStep{StatusStep("Read why it failed and when it will be tried again."),
			{Kind: contract.StepTool, Tool: "restart_server",
				Message:   "Start it again at once when the cause is fixed.",
				Arguments: map[string]any{"server_id": e.Facts["server_id"]}},
			DoctorStep()}
	},
	contract.KindStillIndexing: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.Repeat("Repeat the call; the server continues to load meanwhile.", nil),
			StatusStep("See how far it has come.")}
	},
	contract.KindProjectBroken: func(c *Call, e *contract.Error) []contract.NextStep {
		file, _ := e.Facts["file_path"].(string)
		return []contract.NextStep{DiagnosticsStep(file), c.Repeat("Repeat the call when the file has no error.", nil)}
	},
	contract.KindLoadFailed: func(c *Call, e *contract.Error) []contract.NextStep {
		id, _ := e.Facts["server_id"].(string)
		return []contract.NextStep{StatusStep("See what " + id + " said last."),
			c.Repeat("Repeat the call when the cause is fixed.", nil)}
	},
	contract.KindNotInBuild: positionSteps, // an outline needs no build
	contract.KindNoCompilationDB: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.Repeat("Repeat the call when the file exists.", nil)}
	},
	contract.KindUnresolvedName: func(c *Call, e *contract.Error) []contract.NextStep {
		file, _ := e.Facts["file_path"].(string)
		return []contract.NextStep{DiagnosticsStep(file),
			c.Repeat("Repeat the call when the errors of the file are fixed.", nil)}
	},
	contract.KindRequestTimeout: func(c *Call, e *contract.Error) []contract.NextStep {
		method, _ := e.Facts["method"].(string)
		// What the call itself allowed is the bound, and not the configuration.
		if given, _ := Object(c.Request.Arguments); given["wait_ms"] != nil &&
			(method == "" || e.Facts["limit_ms"] == nil) {
			return []contract.NextStep{c.Repeat("Repeat the call with more time.",
				map[string]any{"wait_ms": LongWait}), StatusStep("See whether the server is busy.")}
		}
		advice := "Raise mcp.call_timeout_ms, and the host's own limit for a call if that is lower."
		if method != "" && e.Facts["limit_ms"] != nil {
			advice = fmt.Sprintf("Raise servers[].request_timeout_overrides_ms.%q.", method)
		}
		return []contract.NextStep{c.Repeat("Repeat the call.", nil), StatusStep("See whether the server is busy."),
			{Kind: contract.StepConfig, Message: advice}}
	},
	contract.KindCancelled: func(c *Call, _ *contract.Error) []contract.NextStep {
		if c.Tool == nil { // of another MCP server, which may have begun with it
			return []contract.NextStep{{Kind: contract.StepDoc,
				Message: "Find out whether the call had an effect before it is made again."}}
		}
		return []contract.NextStep{c.Repeat("Repeat the call if the answer is still wanted.", nil)}
	},
	contract.KindCallInterrupted: interruptedSteps,
	contract.KindFileNotFound: func(c *Call, e *contract.Error) []contract.NextStep {
		var out []contract.NextStep
		for _, near := range AsStrings(e.Facts["closest"]) {
			out = append(out, c.Repeat("Use "+near+".", map[string]any{"file_path": near}))
		}
		switch {
		case e.Facts["link_to"] != nil:
			out = append(out, contract.NextStep{Kind: contract.StepDoc,
				Message: "Repair the link, or give the path of the right file."})
		case c.Workspace.Root != "":
			out = append(out, contract.NextStep{Kind: contract.StepDoc,
				Message: "Give file_path relative to the workspace root " + c.Workspace.Root + ", or absolute."})
		}
		return out
	},
	contract.KindOutsideWorkspace: func(c *Call, e *contract.Error) []contract.NextStep {
		if e.Facts["file_paths"] != nil { // of an edit, whose files nobody named in the call
			return []contract.NextStep{OutsideStep()}
		}
		return []contract.NextStep{
			ToolStep("get_current_config", "See which folders are allowed."),
			{Kind: contract.StepConfig,
				Message: "Start lspi with --workspace-root on the folder that holds the file, or add the folder " +
					"to `workspace_folders` of a trusted configuration. A call may ask about sources of dependencies once an answer has named them."},
		}
	},
	contract.KindSymbolNotFound:     symbolSteps,
	contract.KindAmbiguousSymbol:    candidateSteps,
	contract.KindPositionOutOfRange: positionSteps,
	contract.KindNotAnIdentifier:    positionSteps,
	contract.KindUnknownArgument: func(c *Call, e *contract.Error) []contract.NextStep {
		near, _ := e.Facts["closest"].(string)
		given, _ := Object(c.Request.Arguments)
		name, _ := e.Facts["argument"].(string)
		step := c.Repeat("Omit the argument.", map[string]any{name: nil})
		if near != "" && given[near] == nil {
			step = c.Repeat("Use "+near+".", map[string]any{name: nil, near: given[name]})
		}
		if c.Runnable(step) && !writes(step) {
			return []contract.NextStep{step}
		}
		// Something else is missing or wrong, too, or it would write.
		return append([]contract.NextStep{{Kind: contract.StepDoc, Message: step.Message}}, argumentSteps(c, e)...)
	},
	contract.KindMissingArgument: argumentSteps,
	contract.KindInvalidArgument: argumentSteps,
	contract.KindUnknownTool: func(c *Call, e *contract.Error) []contract.NextStep {
		near, _ := e.Facts["closest"].(string)
		if known := AsStrings(e.Facts["known"]); known != nil { // of another MCP server, whose tools may do anything
			message := "Its tools are: " + strings.Join(known[:min(len(known), maxNamed)], ", ") + "."
			if near != "" {
				message = "Use " + near + ". " + message
			}
			return []contract.NextStep{{Kind: contract.StepDoc, Message: message}}
		}
		if name, _ := e.Facts["tool"].(string); name != "" {
			if _, _, ok := session.ServerOf(name); ok { // lspi's own tools are no help
				return othersSteps(c, near)
			}
		}
		all := contract.NextStep{Kind: contract.StepDoc, Message: toolsInWords(c)}
		given, _ := Object(c.Request.Arguments)
		arguments := map[string]any{}
		for k, v := range given {
			arguments[k] = v
		}
		step := contract.NextStep{Kind: contract.StepTool, Message: "Use " + near + ".", Tool: near,
			Arguments: arguments}
		// Only a tool that reads is offered ready to run, and only where these arguments are right for it.
		if t, err := c.Tools.Lookup(near); err != nil || t.Class != Navigation && t.Class != Status &&
			t.Class != Recall || utf8.RuneCount(c.Request.Arguments) > MaxEcho || !c.Runnable(step) || c.Refuses(step) {
			return []contract.NextStep{all}
		}
		return []contract.NextStep{step, all}
	},
	contract.KindUnknownServer: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{ToolStep("list_servers", "See the ids of the servers.")}
	},
	contract.KindToolDisabled: func(c *Call, e *contract.Error) []contract.NextStep {
		if steps := neverPassedSteps(c); steps != nil {
			return steps
		}
		if e.Facts["tool"] == FeatureBinding { // no key brings it: the session has what it would give
			return []contract.NextStep{ToolStep("get_current_config", "See the workspace that this session has.")}
		}
		keys := "mcp.tools.allow or mcp.tools.exclude"
		if key, _ := e.Facts["key"].(string); key != "" {
			keys = key
		}
		return []contract.NextStep{
			ToolStep("get_current_config", "See which tools the configuration allows."),
			{Kind: contract.StepConfig, Message: "Change " + keys + "; the change counts without a restart."},
		}
	},
	contract.KindNotAllowedByPreset:   presetSteps,
	contract.KindMCPServerUnavailable: otherUnavailableSteps,
	contract.KindMCPServerTimeout: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{otherStatusStep(c, "See the state of the MCP server."),
			{Kind: contract.StepDoc,
				Message: "Find out whether the call had an effect before it is made again, or ask for less."}}
	},
	contract.KindMCPServerRefused: func(c *Call, e *contract.Error) []contract.NextStep {
		next := "Correct the call as the server's message says."
		if e.Facts["reason"] == "bad_answer" { // no argument mends that
			next = "Find out whether the call had an effect before it is made again, or use another tool: " +
				"the server's answer cannot be read."
		}
		return []contract.NextStep{otherStatusStep(c, "See the state of the MCP server."),
			{Kind: contract.StepDoc, Message: next}}
	},
	contract.KindReadOnly: func(c *Call, _ *contract.Error) []contract.NextStep {
		if steps := neverPassedSteps(c); steps != nil {
			return steps
		}
		s := &c.Session.Settings
		if s.ReadOnlyBy != "" {
			return []contract.NextStep{ToolStep("get_current_config", "See what is wrong with the configuration."),
				{Kind: contract.StepConfig,
					Message: "A person can correct the configuration file as the message says; the change counts without a restart."}}
		}
		message := "A person can start lspi with --read-write, in place of --read-only or --mode navigation if it has one " +
			"of these, or else set mcp.read_only = false in their own configuration."
		if readOnlyBy(s) != "" { // --read-write does not win over a preset
			message = "A person can set presets." + s.Preset.Name +
				".read_only = false, or choose another preset: lspi preset list shows them."
		}
		return []contract.NextStep{ToolStep("get_current_config", "See why lspi is read-only."),
			{Kind: contract.StepConfig, Message: message}}
	},
	contract.KindConfigInvalid: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{DoctorStep(),
			{Kind: contract.StepConfig,
				Message: "Correct the configuration file as the message says, then repeat the call."}}
	},
	contract.KindWorkspaceNotFound: func(_ *Call, e *contract.Error) []contract.NextStep {
		from, _ := e.Facts["from"].(string)
		return []contract.NextStep{{Kind: contract.StepConfig, Message: "The folder that " + from +
			" names does not exist: name one " +
			"that exists, or start lspi with --workspace-root on the folder of the project; then repeat the call."}}
	},
	contract.KindWorkspaceNotSet:     bindSteps,
	contract.KindWorkspaceNotMatched: bindSteps,
	contract.KindWorkspaceAlreadySet: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{ToolStep("get_current_config", "See the workspace that this session has."),
			{Kind: contract.StepConfig, Message: "For another workspace the host opens another MCP session."}}
	},
	contract.KindRequestUnsupported: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{StatusStep("See what each server offers."),
			{Kind: contract.StepDoc,
				Message: "Try another tool: find_references and search_workspace_symbols work with nearly every server."}}
	},
	contract.KindRequestFailed: func(c *Call, e *contract.Error) []contract.NextStep {
		if refused, _ := e.Facts["refused"].(bool); refused { // and would refuse again
			return c.refusedSteps(e)
		}
		return []contract.NextStep{StatusStep("Look at the server's state and the end of its stderr."),
			c.Repeat("Repeat the call.", nil)}
	},
	contract.KindResponseTooLarge: func(c *Call, e *contract.Error) []contract.NextStep {
		needed, _ := e.Facts["needed"].(int)
		return []contract.NextStep{c.WithRoom("Ask again with more room.", max(needed, session.DefaultMaxChars))}
	},
	contract.KindFileChanged: func(c *Call, _ *contract.Error) []contract.NextStep {
		return []contract.NextStep{c.PreviewStep("See what the edit would change now.")}
	},
	contract.KindProtectedPath: func(*Call, *contract.Error) []contract.NextStep {
		return []contract.NextStep{{Kind: contract.StepDoc,
			Message: "Nothing was changed. Tell the user which file would have to change and why; " +
				"the user may edit it, or set edit.protected in the user's own configuration of lspi."}}
	},
	contract.KindSessionNotFound:     sessionSteps,
	contract.KindAmbiguousSession:    sessionCandidateSteps,
	contract.KindNoDialog:            sessionSteps,
	contract.KindRequestNotFound:     requestSteps,
	contract.KindChatDataUnavailable: rereadSteps,
	contract.KindRecallUnavailable:   rereadSteps,
	contract.KindEditRejected:        rejectedSteps,
	contract.KindFileTooLarge:        alternativeFile,
	contract.KindFileUnreadable:      alternativeFile,
	contract.KindNotAFile:            notAFileSteps,
}

// OutsideStep says what a person can do about an edit that would change files outside of the workspace.
// lspi never applies a part of such an edit: a rename that leaves uses behind breaks the build.
func OutsideStep() contract.NextStep {
	return contract.NextStep{Kind: contract.StepConfig,
		Message: "lspi does not apply this edit. To have all files changed, start lspi with " +
			"--workspace-root on a folder that holds them, or add their folders to `workspace_folders` of a trusted configuration, then preview " +
			"the change again. Otherwise make the change by hand, in the files of the workspace and in those outside."}
}

// DiagnosticsStep leads to the diagnostics of a project file; file is as answers show it.
func DiagnosticsStep(file string) contract.NextStep {
	return contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Message: "See what is wrong with " +
		file + ".",
		Arguments: map[string]any{"file_path": file}}
}

// refusedSteps are the steps after a server has refused a question. The same question would be refused
// again, so they ask another one about the same symbol, or the same about what the server names instead; its own
// message says why. nil while no tool is known.
func (c *Call) refusedSteps(e *contract.Error) []contract.NextStep {
	if c.Tool == nil {
		return nil
	}
	if at, ok := e.Facts["instead"].(contract.Facts); ok && len(c.TargetArguments()) > 0 {
		change := map[string]any{"apply": nil, "dry_run": nil}
		for name := range c.TargetArguments() {
			change[name] = nil
		}
		maps.Copy(change, at)
		return []contract.NextStep{c.Repeat("Preview the change of what it names instead.", change)}
	}
	if c.Tool.Choice != "" { // of what was chosen, mostly
		return []contract.NextStep{c.Repeat("See what else can be done there.",
			map[string]any{c.Tool.Choice: nil, "offset": nil})}
	}
	var out []contract.NextStep
	arguments := c.TargetArguments()
	for _, tool := range []struct{ name, message string }{
		{"hover", "See what the symbol is."}, {"find_references", "Find the uses of the symbol."},
	} {
		if len(arguments) > 0 && tool.name != c.Tool.Name {
			out = append(out, contract.NextStep{Kind: contract.StepTool, Tool: tool.name, Message: tool.message,
				Arguments: arguments})
		}
	}
	if len(out) == 0 {
		out = append(out, StatusStep("Look at the server's state and the end of its stderr."))
	}
	return out
}

// ToolStep is a step that calls a tool without arguments.
func ToolStep(tool, message string) contract.NextStep {
	return contract.NextStep{Kind: contract.StepTool, Message: message, Tool: tool, Arguments: map[string]any{}}
}

// StatusStep leads to get_server_status.
func StatusStep(message string) contract.NextStep { return ToolStep("get_server_status", message) }

// DoctorStep leads to lspi doctor, for whoever has a shell.
func DoctorStep() contract.NextStep {
	return contract.NextStep{Kind: contract.StepCommand, Message: "Check the set-up from a shell.",
		Command: "lspi doctor --json"}
}

// installSteps are the steps for a server that is not installed. A server that is installed inside an
// untrusted workspace counts as not installed: lspi runs no program of a stranger's repository. There
// the user's trust comes first.
func installSteps(_ *Call, e *contract.Error) []contract.NextStep {
	var out []contract.NextStep
	if e.Facts["untrusted"] != nil { // it is installed, in the workspace
		out = append(out, AskUserStep())
	}
	commands := AsStrings(e.Facts["install"])
	for _, command := range commands[:min(len(commands), MaxInstalls)] {
		out = append(out, contract.NextStep{Kind: contract.StepCommand, Message: "Install it.", Command: command})
	}
	if hint, _ := e.Facts["install_hint"].(string); len(commands) == 0 && hint != "" {
		out = append(out, contract.NextStep{Kind: contract.StepDoc, Message: hint})
	}
	return append(out, ToolStep("list_servers", "See which servers are found and where."), DoctorStep())
}

// symbolSteps are the steps for a name that was not found: candidates of the same name, then names that
// are close, then the same name in the whole workspace, and a search. At most three close names are offered. Where
// the name exists with another kind, the only step repeats the call with that kind.
func symbolSteps(c *Call, e *contract.Error) []contract.NextStep {
	out := candidateSteps(c, e)
	if kinds := AsStrings(e.Facts["kinds"]); len(kinds) > 0 {
		return []contract.NextStep{c.Repeat("Retry with the "+kinds[0]+".", map[string]any{"symbol_kind": kinds[0]})}
	}
	name, _ := e.Facts["symbol_name"].(string)
	_, inFile := e.Facts["file_path"]
	// A qualified name may be right and only the file wrong.
	elsewhere := inFile && len(symbol.Components(name)) > 1
	for _, near := range AsStrings(e.Facts["closest"]) {
		if e.Facts["closest_line"] == nil && near == name {
			continue // which is the call that failed
		}
		message := "Use " + near + "."
		if inFile && symbol.EndsWith(symbol.Components(name), symbol.Components(near)) { // the qualifier differs
			message = "Use " + near + ", which is another symbol than " + name + "."
			if elsewhere {
				out, elsewhere = append(out, c.wholeWorkspace(name)), false
			}
		}
		change := map[string]any{"symbol_name": near}
		if given, _ := Object(c.Request.Arguments); given["query"] != nil { // by which the name was given
			change = map[string]any{"query": near}
		}
		if line, ok := e.Facts["closest_line"].(int); ok {
			message = fmt.Sprintf("Use %s, which is in line %d.", near, line)
			change["line"], change["character"] = line, nil
		}
		out = append(out, c.Repeat(message, change))
		if len(out) == 3 {
			break
		}
	}
	if elsewhere && len(out) == 0 {
		out = append(out, c.wholeWorkspace(name))
	}
	given, _ := Object(c.Request.Arguments)
	if has(given["scope"]) {
		out = append(out, c.Repeat("Look in the whole workspace.", map[string]any{"scope": nil}))
	}
	search := map[string]any{"query": symbol.LastComponent(name)}
	if string(given["match"]) == `"regex"` {
		search = map[string]any{"query": name, "match": "regex"}
	}
	return append(out, contract.NextStep{Kind: contract.StepTool, Tool: "search_workspace_symbols",
		Message: "Search for the name in the whole workspace.", Arguments: search})
}

// wholeWorkspace is the step that looks for a name in the whole workspace instead of in one file.
func (c *Call) wholeWorkspace(name string) contract.NextStep {
	return c.Repeat("Retry with the "+name+" of the workspace, wherever it is declared.",
		map[string]any{"file_path": nil, "line": nil, "character": nil})
}

// candidateSteps repeat the call at each of the places that an ambiguous name may mean, five at most.
// What said the name is taken out of the arguments: the position alone is exact.
func candidateSteps(c *Call, e *contract.Error) []contract.NextStep {
	candidates, _ := e.Facts["candidates"].([]Candidate)
	var out []contract.NextStep
	for _, k := range candidates {
		out = append(out, c.Repeat("Retry with "+k.SymbolName+" at "+fmt.Sprintf("%s:%d", k.FilePath, k.Line)+".",
			map[string]any{
				"file_path": k.FilePath, "line": k.Line, "character": k.Character, "symbol_name": nil,
				"symbol_kind": nil,
				"query":       nil, "match": nil, "scope": nil, "index": nil,
			}))
		if len(out) == 5 {
			break
		}
	}
	return out
}

// toolsInWords lists lspi's own tools that this session may call.
func toolsInWords(c *Call) string {
	names := c.Tools.Names(&c.Session.Settings)
	if len(names) == 0 {
		return "The preset in use, or the configuration, leaves in none of lspi's own tools."
	}
	return "The tools are: " + strings.Join(names, ", ") + "."
}

// positionSteps lead to the outline of the file.
func positionSteps(c *Call, e *contract.Error) []contract.NextStep {
	file, _ := e.Facts["file_path"].(string)
	return []contract.NextStep{{Kind: contract.StepTool, Tool: "get_document_symbols",
		Message: "See the symbols of the file with their lines.", Arguments: map[string]any{"file_path": file}}}
}

// argumentSteps say which arguments the tool takes, in the order of its schema. Without a known tool
// the call itself was malformed, so the step shows the form of tools/call.
func argumentSteps(c *Call, _ *contract.Error) []contract.NextStep {
	if c.Tool == nil {
		return []contract.NextStep{{Kind: contract.StepDoc,
			Message: `Give params as {"name": TOOL, "arguments": {…}}. ` + toolsInWords(c)}}
	}
	names := c.Tool.Input.PropertyOrder
	message := c.Tool.Name + " takes: " + strings.Join(names, ", ") + "."
	if slices.Contains(names, "symbol_name") {
		message += " Name a symbol by file_path with symbol_name, with line and symbol_name, or with line and character; or by " +
			"symbol_name alone."
	}
	return []contract.NextStep{{Kind: contract.StepDoc, Message: message}}
}

// textReasons are the reasons of a rejected edit that lie in the text or range that the host gave, and
// not in what a server proposed. Reading the file again cures them.
var textReasons = []string{"not_found", "occurs_more_than_once", string(edit.ReasonOverlap)}

// rejectedSteps are the steps after an edit that was not applied, by its reason. Reasons about the
// host's own edit are cured by reading the file again, reasons of the disk by a person, reasons of the
// server by a new preview.
func rejectedSteps(c *Call, e *contract.Error) []contract.NextStep {
	reason, _ := e.Facts["reason"].(string)
	if reason == "line_ends" {
		return []contract.NextStep{{Kind: contract.StepDoc,
			Message: `The lines of the file end with \r\n: repeat the call with \r\n for each \n ` +
				"of the text, or give the range by line, character, end_line and end_character."}}
	}
	if slices.Contains(textReasons, reason) { // of the host's edit, not of a server's
		return []contract.NextStep{{Kind: contract.StepDoc,
			Message: "Read the file again. Give the text exactly as in the file, with enough " +
				"around it that it occurs only once, or the range by line, character, end_line and end_character."}}
	}
	advice := map[edit.Reason]string{
		edit.ReasonNotUTF8:         "lspi edits UTF-8 only: convert the file, or change it with another tool; then repeat the call.",
		edit.ReasonReadOnly:        "Make the file writable if it is meant to be changed, then repeat the call.",
		edit.ReasonHardLinks:       "Replace the file with a copy that has no other hard link (cp, then mv over it), then repeat the call.",
		edit.ReasonWriteFailed:     "Every file is as it was. Remove the cause (space, rights), then repeat the call.",
		edit.ReasonRollbackFailed:  "Remove the cause (space, rights); the next call puts everything back first.",
		edit.ReasonUnfinishedEdits: "Remove the cause that the message names (space, rights); the next call finishes the earlier edit.",
		edit.ReasonNoJournal:       "Start lspi with HOME or XDG_STATE_HOME set to a folder that can be written.",
	}[edit.Reason(reason)]
	var out []contract.NextStep
	if advice != "" {
		out = append(out, contract.NextStep{Kind: contract.StepDoc, Message: advice})
	}
	switch edit.Reason(reason) {
	case edit.ReasonNotSeen, edit.ReasonMisplaced, edit.ReasonBadRange:
		out = append(out, c.PreviewStep("Preview the change again; lspi then asks the server again."))
	}
	switch {
	case reason == NotTrusted:
		out = append(out, AskUserStep())
	case len(out) == 0:
		out = c.refusedSteps(e)
	}
	return out
}

// AsStrings returns a fact that is a list of strings; nil for any other value, a missing one too.
func AsStrings(v any) []string {
	s, _ := v.([]string)
	return s
}

// AsError gives every error its place in the closed list of kinds. An error that no layer below has
// classified is a defect of lspi, so it becomes an internal error and not a guess at what it may be.
func AsError(err error) *contract.Error {
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

// MaxErrorText bounds the message of an error, in code points. Servers put stack traces into theirs.
const MaxErrorText = 1200

// MaxFact bounds one fact as text beside a message, in code points; the JSON has it in full.
const MaxFact = 400

// Candidate is one of several symbols that a name may mean. Line and Character are 1-based, of the name
// itself, so that a call with them hits exactly this symbol.
type Candidate struct {
	SymbolName string         `json:"symbol_name"`
	Kind       lsp.SymbolKind `json:"kind"`
	FilePath   string         `json:"file_path"`
	Line       int            `json:"line"`
	Character  int            `json:"character"`
}

// MaxInstalls bounds the ways to install a server that are shown.
const MaxInstalls = 2

// NotTrusted is the reason of a rejected rename in a workspace that is not trusted: the server runs
// restricted (no build scripts, no macros), so uses in code that these generate may be missing.
const NotTrusted = "restricted"

// AskUserStep has the model ask the user whether they trust the workspace. It is no command: trust is the user's to
// give, and a repository may try to talk a model into it.
func AskUserStep() contract.NextStep {
	return contract.NextStep{Kind: contract.StepDoc, Message: askUser}
}

// restrictedSteps are the steps for a server that does not start because the workspace is not trusted.
func restrictedSteps(*Call, *contract.Error) []contract.NextStep {
	return []contract.NextStep{AskUserStep(),
		StatusStep("See which servers run in this workspace, and what they do not do.")}
}

// askUser is what a model does about a workspace that is not trusted. The command is for the user to know and not a
// step of the model's: what grants trust is never one.
const askUser = "Ask the user whether they trust this repository. If so, they run lspi trust in their own terminal; do not run it for them."
