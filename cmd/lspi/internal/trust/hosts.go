package trust

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"lspi/internal/source"
)

// maxHostFile bounds the file of a host, in bytes: Claude Code keeps histories in the same file.
const maxHostFile = 64 << 20

// hostRecord is the file in which another MCP host remembers which folders its user trusts. lspi only reads it; one in
// an unknown form is ignored.
type hostRecord struct {
	name string
	path func(user User) string
	read func(content []byte) []hostTrust
}

// hostTrust is what a record says about one folder.
type hostTrust struct {
	path    string
	trusted bool
	below   bool // it also says so about the folders below
}

// hostRecords are the known hosts. Their forms are from these sources:
//
// Codex: config.toml of $CODEX_HOME, else ~/.codex, [projects."/path"] trust_level = "trusted" or "untrusted"
// (openai/codex, core/src/config/edit.rs; openai/codex#19426: entries are for one folder and not for those in it).
//
// Claude Code: .claude.json of $CLAUDE_CONFIG_DIR, else of the home folder,
// projects."/path".hasTrustDialogAccepted, which the dialog of 2.1 writes for the root of the repository
// (anthropics/claude-code#9113, #12737).
//
// gemini-cli: ~/.gemini/trustedFolders.json or $GEMINI_CLI_TRUSTED_FOLDERS_PATH, an object of "/path": "TRUST_FOLDER",
// "TRUST_PARENT" or "DO_NOT_TRUST", each for what is in it as well (google-gemini/gemini-cli,
// packages/cli/src/config/trustedFolders.ts; docs/trusted-folders.md).
var hostRecords = []hostRecord{
	{"Codex", func(user User) string {
		return filepath.Join(folderOr(user.Env("CODEX_HOME"), filepath.Join(user.HomeDir(), ".codex")), "config.toml")
	}, readCodex},
	{"Claude Code", func(user User) string {
		return filepath.Join(folderOr(user.Env("CLAUDE_CONFIG_DIR"), user.HomeDir()), ".claude.json")
	}, readClaude},
	{"gemini-cli", func(user User) string {
		return folderOr(user.Env("GEMINI_CLI_TRUSTED_FOLDERS_PATH"), filepath.Join(user.HomeDir(), ".gemini",
			"trustedFolders.json"))
	}, readGemini},
}

// folderOr returns given if it is an absolute path, else def.
func folderOr(given, def string) string {
	if filepath.IsAbs(given) {
		return given
	}
	return def
}

// The readers below return what a record says; a record that cannot be decoded says nothing, so that another host's
// broken or changed file never stops lspi.

func readCodex(content []byte) (out []hostTrust) {
	var c struct {
		Projects map[string]struct {
			TrustLevel string `toml:"trust_level"`
		} `toml:"projects"`
	}
	if _, err := toml.Decode(string(content), &c); err != nil {
		return nil
	}
	for path, p := range c.Projects {
		if p.TrustLevel == "trusted" || p.TrustLevel == "untrusted" {
			out = append(out, hostTrust{path: path, trusted: p.TrustLevel == "trusted"})
		}
	}
	return out
}

func readClaude(content []byte) (out []hostTrust) {
	var c struct {
		Projects map[string]json.RawMessage `json:"projects"`
	}
	if json.Unmarshal(content, &c) != nil {
		return nil
	}
	for path, raw := range c.Projects {
		var p struct {
			Accepted bool `json:"hasTrustDialogAccepted"`
		}
		if json.Unmarshal(raw, &p) == nil && p.Accepted { // false only says that the user was not asked yet
			out = append(out, hostTrust{path: path, trusted: true})
		}
	}
	return out
}

func readGemini(content []byte) (out []hostTrust) {
	var folders map[string]json.RawMessage
	if json.Unmarshal(withoutComments(content), &folders) != nil {
		return nil
	}
	for path, raw := range folders {
		var level string
		_ = json.Unmarshal(raw, &level)
		switch level {
		case "TRUST_FOLDER":
			out = append(out, hostTrust{path: path, trusted: true, below: true})
		case "TRUST_PARENT":
			out = append(out, hostTrust{path: filepath.Dir(path), trusted: true, below: true})
		case "DO_NOT_TRUST":
			out = append(out, hostTrust{path: path, below: true})
		}
	}
	return out
}

// withoutComments removes lines that hold only a comment. Other comments are not expected in these files.
func withoutComments(content []byte) []byte {
	var b strings.Builder
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}

// says returns what the host's user said about the folder root: the entry of the nearest folder decides; known is false
// when there is none. An entry for the whole file system or the home folder counts for that folder alone. file is the
// record.
func (h hostRecord) says(user User, workspace, root string) (trusted, known bool, file string) {
	file = h.path(user)
	if source.Within(workspace, file) && !source.Within(workspace, user.HomeDir()) {
		return false, false, file // the repository could have brought it
	}
	content, err := readRecord(file)
	if err != nil {
		return false, false, file
	}
	nearest := ""
	for _, t := range h.read(content) {
		path, err := filepath.EvalSymlinks(t.path)
		if err != nil || !filepath.IsAbs(t.path) {
			continue
		}
		wide := path == filepath.Dir(path) || path == user.HomeDir()
		if path != root && (!t.below || wide || !source.Within(path, root)) || len(path) < len(nearest) {
			continue
		}
		// Of two entries for one folder, the one that denies trust counts.
		trusted = t.trusted && (trusted || path != nearest)
		nearest, known = path, true
	}
	return trusted, known, file
}

// readRecord reads a record; one that somebody else could have written is an error.
func readRecord(path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if err := OnlyUserWrites(real); err != nil {
		return nil, err
	}
	return ReadFile(real, maxHostFile)
}
