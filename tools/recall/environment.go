package recall

import "path/filepath"

// Environment is what the environment variables of a session tell of transcripts. The shared process
// serves sessions whose environments differ from its own, so each question brings that of its session.
type Environment struct {
	Folders
	// ClaudeSessionID is for [Hints].
	ClaudeSessionID string
}

// EnvironmentOf reads the variables with getenv; home is the user's home folder, "" when there is none.
// A variable without an absolute path leaves its client out: nobody here knows to which folder the
// client takes it relative.
//
// Claude Code 2.1.197 gives a server all of its environment. Codex CLI 0.169.0 gives CODEX_HOME only
// when env_vars of its own configuration names it.
func EnvironmentOf(getenv func(string) string, home string) Environment {
	e := Environment{Folders: Folders{Codex: folder(getenv("CODEX_HOME"), home, ".codex"),
		Claude: folder(getenv("CLAUDE_CONFIG_DIR"), home, ".claude")}}
	if getenv("CLAUDECODE") == "1" {
		e.ClaudeSessionID = getenv("CLAUDE_CODE_SESSION_ID")
	}
	return e
}

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
