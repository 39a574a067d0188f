package recall

import "path/filepath"

// Environment is what the environment of a session tells of transcripts. The shared process serves sessions that
// were started with others than its own, so that each question has that of its session.
type Environment struct {
	Folders
	// ClaudeSessionID is for [Hints].
	ClaudeSessionID string
}

// EnvironmentOf reads the variables of an environment; home is its home folder, "" when there is none. A variable
// that names no absolute path leaves its client out: relative to which folder the client takes it nobody here
// knows. Codex CLI 0.169.0 gives a server that it starts CODEX_HOME only where env_vars of its own configuration
// names that; Claude Code 2.1.197 gives it all that it has.
func EnvironmentOf(getenv func(string) string, home string) Environment {
	e := Environment{Folders: Folders{Codex: folder(getenv("CODEX_HOME"), home, ".codex"),
		Claude: folder(getenv("CLAUDE_CONFIG_DIR"), home, ".claude")}}
	if getenv("CLAUDECODE") == "1" {
		e.ClaudeSessionID = getenv("CLAUDE_CODE_SESSION_ID")
	}
	return e
}

// folder is what a variable names, else the folder of a name in the home folder; "" when that is no absolute path.
func folder(named, home, name string) string {
	if named == "" {
		named = filepath.Join(home, name)
	}
	if !filepath.IsAbs(named) {
		return ""
	}
	return filepath.Clean(named)
}
