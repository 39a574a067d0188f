package recall

import (
	"cmp"
	"path/filepath"
	"runtime"
)

// Environment is what the environment variables of a session tell of transcripts. The shared process
// serves sessions whose environments differ from its own, so each question brings that of its session.
type Environment struct {
	Folders
	// SessionIDs are the sessions in which clients started the process. After /clear in Claude Code, which starts no
	// process anew, it is the session before. A host that was started in the shell of another has the variables of both.
	SessionIDs map[Client]string
}

// EnvironmentOf reads the variables with getenv; home is the user's home folder, "" when there is none.
// A variable without an absolute path leaves its client out: nobody here knows to which folder the
// client takes it relative.
//
// Claude Code 2.1.197, Copilot CLI 1.0.102 and Qwen Code 0.24.4 give a server all of their environment, with the
// session. Gemini CLI 0.61.0 keeps variables whose names look like secrets. Codex CLI 0.169.0 gives CODEX_HOME only
// when env_vars of its own configuration names it.
func EnvironmentOf(getenv func(string) string, home string) Environment {
	e := Environment{SessionIDs: map[Client]string{}, Folders: Folders{
		Codex:    folder(getenv("CODEX_HOME"), home, ".codex"),
		Claude:   folder(getenv("CLAUDE_CONFIG_DIR"), home, ".claude"),
		VSCode:   vscodeHome(getenv, home, runtime.GOOS),
		Copilot:  folder(getenv("COPILOT_HOME"), home, ".copilot"),
		Gemini:   folder("", cmp.Or(getenv("GEMINI_CLI_HOME"), home), ".gemini"),
		Qwen:     folder(cmp.Or(getenv("QWEN_RUNTIME_DIR"), getenv("QWEN_HOME")), home, ".qwen"),
		Opencode: filepath.Join(folder(getenv("XDG_DATA_HOME"), home, ".local/share"), "opencode")}}
	if !filepath.IsAbs(e.Opencode) {
		e.Opencode = ""
	}
	for client, variable := range sessionVariables {
		if id := getenv(variable); id != "" {
			e.SessionIDs[client] = id
		}
	}
	if getenv("CLAUDECODE") != "1" {
		delete(e.SessionIDs, Claude)
	}
	return e
}

// sessionVariables have the id of the session in which a client started a process (the versions of [programs]).
var sessionVariables = map[Client]string{Claude: "CLAUDE_CODE_SESSION_ID", Copilot: "COPILOT_AGENT_SESSION_ID",
	Qwen: "QWEN_CODE_SESSION_ID"}

// folder returns what a variable names, else the folder name in the home folder; "" when that is no
// absolute path.
func folder(named, home, name string) string {
	if named == "" {
		named = filepath.Join(home, name)
	}
	if !filepath.IsAbs(named) {
		return ""
	}
	return filepath.Clean(named)
}

// vscodeHome returns [Folders.VSCode] on a system (userDataPath.ts; --user-data-dir is not known here).
func vscodeHome(getenv func(string) string, home, system string) string {
	for _, name := range []string{"VSCODE_PORTABLE", "VSCODE_APPDATA"} {
		if named := getenv(name); named != "" {
			return folder(named, "", "")
		}
	}
	switch system {
	case "windows":
		return folder(getenv("APPDATA"), home, filepath.Join("AppData", "Roaming"))
	case "darwin":
		return folder("", home, filepath.Join("Library", "Application Support"))
	}
	return folder(getenv("XDG_CONFIG_HOME"), home, ".config")
}
