package setup

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"lspi/internal/source"
)

// HookSet says which events of a host run lspi hook.
type HookSet string

// The sets of events.
const (
	NoHooks     HookSet = ""
	ChangeHooks HookSet = "changes" // after a change of files, and at the start of a session
	AllHooks    HookSet = "all"     // also before a turn ends, and after searches and reads
)

// hookTable is a row about the hooks of a host: where it reads them, and in which words.
type hookTable struct {
	user    func(Place) string // the user's file, absolute
	project string             // the file in a project, relative, with slashes; "" for none
	// own: the file is lspi's alone. Else others have hooks in it, and it is edited.
	own func(t hookTable, command string, set HookSet) string
	// strict: the host reads JSON without comments.
	strict bool
	events []hookEvent
	second int    // one second in the host's unit of time
	after  string // one sentence for the user on what the host still needs; "" for nothing
}

// hookEvent is an event of a host with the tools for which it is wanted.
type hookEvent struct {
	name string
	// Patterns over the names of tools, alternatives of words. "" stands for no pattern: the event is of no tool.
	changes  string // tools that change files
	searches string // tools that search and read; only in AllHooks
	all      bool   // the event itself is only in AllHooks
}

// hookLimit is how long a host waits for lspi hook, in seconds. lspi answers within 1.5 s by its own budget.
const hookLimit = 5

// matcher returns the pattern of the event for a set; ok is false when the set does not have the event.
func (e hookEvent) matcher(set HookSet) (pattern string, ok bool) {
	switch {
	case e.all && set != AllHooks:
		return "", false
	case set == AllHooks && e.searches != "":
		return e.changes + "|" + e.searches, true
	}
	return e.changes, true
}

// The sentences for hookTable.after.
const (
	codexAfter  = "Codex runs the hooks once you trust them: type /hooks in Codex."
	geminiAfter = "gemini-cli shows the hooks under /hooks."
)

// hookTables has the hosts that run commands after a tool, with their formats. All but opencode have the event as JSON
// on stdin of lspi hook.
var hookTables = map[string]hookTable{
	// Read in Claude Code 2.1.197, and tried: hooks of settings.json, seconds. A command that ends with another status
	// than 0 is PostToolUseFailure there, and may have changed files as well.
	"claude": {user: orVariable("CLAUDE_CONFIG_DIR", ".claude", "settings.json"), project: ".claude/settings.json",
		strict: true, second: 1, events: []hookEvent{
			{name: "PostToolUse", changes: "Edit|MultiEdit|Write|NotebookEdit|Bash", searches: "Grep|Read"},
			{name: "PostToolUseFailure", changes: "Bash"}, {name: "SessionStart"}, {name: "Stop", all: true}}},
	// Read in Codex 0.169.0, and tried: hooks.json beside config.toml, seconds. Its shell is called Bash there, and
	// is what it searches with.
	"codex": {user: orVariable("CODEX_HOME", ".codex", "hooks.json"), project: ".codex/hooks.json", strict: true,
		second: 1, after: codexAfter, events: []hookEvent{
			{name: "PostToolUse", changes: "apply_patch|Edit|Write|Bash"},
			{name: "SessionStart"}, {name: "Stop", all: true}}},
	// docs/hooks/reference.md of gemini-cli 0.61.0, and tried: hooks of settings.json, milliseconds.
	"gemini": {user: inHome(".gemini", "settings.json"), project: ".gemini/settings.json", second: 1000,
		after: geminiAfter, events: []hookEvent{
			{name: "AfterTool", changes: "write_file|replace|run_shell_command",
				searches: "grep_search|search_file_content|read_file"},
			{name: "SessionStart"}, {name: "AfterAgent", all: true}}},
	// features/hooks.md of qwen-code 0.24.4, and tried: Claude Code's events and seconds, with its own names of tools.
	"qwen": {user: inHome(".qwen", "settings.json"), project: ".qwen/settings.json", second: 1, events: []hookEvent{
		{name: "PostToolUse", changes: "edit|write_file|notebook_edit|run_shell_command",
			searches: "grep_search|read_file"},
		{name: "PostToolUseFailure", changes: "run_shell_command"}, {name: "SessionStart"}, {name: "Stop", all: true}}},
	// docs.github.com, hooks reference, and tried with Copilot CLI 1.0.102: a file of its own in a folder of hooks. With
	// names of events in PascalCase the events have the same members as Claude Code's.
	"copilot": {user: orVariable("COPILOT_HOME", ".copilot", filepath.Join("hooks", "lspi.json")),
		project: ".github/hooks/lspi.json", own: copilotHooks, second: 1, events: []hookEvent{
			{name: "PostToolUse", changes: "create|edit|str_replace_editor|apply_patch|bash|powershell",
				searches: "grep|rg|view"},
			{name: "SessionStart"}, {name: "Stop", all: true}}},
	// opencode.ai/docs/plugins, and tried: a module in a folder of plugins.
	"opencode": {user: inConfig("opencode", "plugins", "lspi.js"), project: ".opencode/plugins/lspi.js",
		own: opencodePlugin, events: []hookEvent{
			{name: "PostToolUse", changes: "edit|write|multiedit|patch|apply_patch|bash", searches: "grep|read"}}},
}

// HookFile returns the file in which a host reads hooks; "" when it has none for the scope.
func (p Place) HookFile(h *Host, s Scope) string {
	t, ok := hookTables[h.Name]
	switch {
	case !ok:
	case s == User && filepath.IsAbs(p.User.HomeDir()):
		return t.user(p)
	case s == Project && t.project != "" && p.Project != "":
		return filepath.Join(p.Project, filepath.FromSlash(t.project))
	}
	return ""
}

// HasHooks reports whether the host runs commands after a tool.
func (h *Host) HasHooks() bool {
	_, ok := hookTables[h.Name]
	return ok
}

// AfterHooks returns one sentence on what the host needs before it runs the hooks; "" for nothing.
func (h *Host) AfterHooks() string { return hookTables[h.Name].after }

// hookCommand returns the command line that a host runs for an event.
func hookCommand(program string, h *Host) string {
	return (&Entry{Command: program, Args: []string{"hook", h.Name}}).Line()
}

// ours matches a command line that runs lspi hook, by its name or path.
var ours = source.LazyRegexp(`(^|[/\\"' ])lspi(\.exe)?["']? hook( |$)`)

// group returns the hooks of one event as Claude Code, Codex, gemini-cli and qwen-code write them.
func (t hookTable) group(command, matcher string) string {
	head := ""
	if matcher != "" {
		head = "\n  \"matcher\": " + quoted(matcher) + ","
	}
	return fmt.Sprintf(
		"{%s\n  \"hooks\": [\n    {\n      \"type\": \"command\",\n"+
			"      \"command\": %s,\n      \"timeout\": %d\n    }\n  ]\n}",
		head, quoted(command), hookLimit*t.second)
}

// hooksFile returns a whole file of hooks in the form that [hookTable.group] has.
func (t hookTable) hooksFile(command string, set HookSet) string {
	var events []string
	for _, e := range t.events {
		if matcher, ok := e.matcher(set); ok {
			events = append(events, quoted(e.name)+": [\n  "+indent(t.group(command, matcher), "  ")+"\n]")
		}
	}
	return "{\n  \"hooks\": {\n    " + indent(strings.Join(events, ",\n"), "    ") + "\n  }\n}\n"
}

// indent puts a unit before each line but the first.
func indent(text, unit string) string { return strings.ReplaceAll(text, "\n", "\n"+unit) }

// copilotHooks returns Copilot's file of hooks.
func copilotHooks(t hookTable, command string, set HookSet) string {
	var events []string
	for _, e := range t.events {
		matcher, ok := e.matcher(set)
		if !ok {
			continue
		}
		head := ""
		if matcher != "" {
			head = "\n        \"matcher\": " + quoted(matcher) + ","
		}
		events = append(events, fmt.Sprintf(
			"    %s: [\n      {\n        \"type\": \"command\",%s\n        \"bash\": %s,\n        \"powershell\": %s,\n"+
				"        \"timeoutSec\": %d\n      }\n    ]",
			quoted(e.name), head, quoted(command), quoted(command), hookLimit))
	}
	return "{\n  \"version\": 1,\n  \"hooks\": {\n" + strings.Join(events, ",\n") + "\n  }\n}\n"
}

//go:embed opencode.js
var opencodeText string

// opencodePlugin returns the module that calls lspi hook after a tool of opencode, which has no commands as hooks.
func opencodePlugin(t hookTable, command string, set HookSet) string {
	pattern, _ := t.events[0].matcher(set)
	return strings.NewReplacer("COMMAND", quoted(command), "TOOLS", "/^("+pattern+")$/", "LIMIT",
		fmt.Sprint(hookLimit*1000)).Replace(opencodeText)
}

// shownHooks returns what a person would write into an empty file of a host.
func shownHooks(h *Host, command string, set HookSet) string {
	t := hookTables[h.Name]
	if t.own != nil {
		return t.own(t, command, set)
	}
	return t.hooksFile(command, set)
}

// HookSets returns the words for lspi setup --hooks.
func HookSets() []string { return []string{string(ChangeHooks), string(AllHooks)} }

// hookLine returns the command with which a host runs lspi hook here.
func (p Place) hookLine(h *Host) string { return hookCommand(p.ProgramFor(h), h) }
