package config

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxHostFile bounds a host's own record, in bytes: Claude Code keeps histories beside it.
const maxHostFile = 64 << 20

// hostRecord is where a host remembers which folders its user trusts. Records are read and never written; what is not in the
// known form counts as nothing.
type hostRecord struct {
	name string
	path func(getenv func(string) string, home string) string
	// read gives each folder with whether it is trusted; below says that folders within count, too.
	read func(content []byte) []hostTrust
}

type hostTrust struct {
	path    string
	trusted bool
	below   bool
}

// hostRecords, with where their forms are from:
//
// Codex: config.toml of $CODEX_HOME, else ~/.codex, [projects."/path"] trust_level = "trusted" or "untrusted"
// (openai/codex, core/src/config/edit.rs; openai/codex#19426: entries are for one folder and not for those in it).
//
// Claude Code: .claude.json of $CLAUDE_CONFIG_DIR, else of the home folder, projects."/path".hasTrustDialogAccepted, which the
// dialog of 2.1 writes for the root of the repository (anthropics/claude-code#9113, #12737).
//
// gemini-cli: ~/.gemini/trustedFolders.json or $GEMINI_CLI_TRUSTED_FOLDERS_PATH, an object of "/path": "TRUST_FOLDER",
// "TRUST_PARENT" or "DO_NOT_TRUST", each for what is in it as well (google-gemini/gemini-cli,
// packages/cli/src/config/trustedFolders.ts; docs/trusted-folders.md).
var hostRecords = []hostRecord{
	{"Codex", func(getenv func(string) string, home string) string {
		return filepath.Join(folderOr(getenv("CODEX_HOME"), filepath.Join(home, ".codex")), "config.toml")
	}, readCodex},
	{"Claude Code", func(getenv func(string) string, home string) string {
		return filepath.Join(folderOr(getenv("CLAUDE_CONFIG_DIR"), home), ".claude.json")
	}, readClaude},
	{"gemini-cli", func(getenv func(string) string, home string) string {
		return folderOr(getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH"), filepath.Join(home, ".gemini", "trustedFolders.json"))
	}, readGemini},
}

func folderOr(given, def string) string {
	if filepath.IsAbs(given) {
		return given
	}
	return def
}

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
		if json.Unmarshal(raw, &p) == nil && p.Accepted { // false is what stands there before the question
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

// withoutComments drops lines that are comments as a whole, which is all that people write into such files.
func withoutComments(content []byte) []byte {
	var b strings.Builder
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}

// says is what the host's user said about a folder: the nearest entry counts. known is false when there is none. Entries for
// the whole file system or the home folder say nothing of what is in these.
func (h hostRecord) says(getenv func(string) string, home, workspace, root string) (trusted, known bool, file string) {
	file = h.path(getenv, home)
	if within(workspace, file) && !within(workspace, home) {
		return false, false, file // the repository's own word
	}
	content, err := readRecord(file)
	if err != nil {
		return false, false, file
	}
	best := ""
	for _, t := range h.read(content) {
		path, err := filepath.EvalSymlinks(t.path)
		if err != nil || !filepath.IsAbs(t.path) {
			continue
		}
		wide := path == filepath.Dir(path) || path == home
		if (path == root || t.below && !wide && within(path, root)) && len(path) >= len(best) {
			if path == best { // two entries of one folder: the one that denies
				trusted = trusted && t.trusted
			} else {
				trusted = t.trusted
			}
			best, known = path, true
		}
	}
	return trusted, known, file
}

// readRecord reads a regular file that only the user can have written.
func readRecord(path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxHostFile {
		return nil, errors.New("not a file of a record's size")
	}
	if err := onlyUserWrites(real); err != nil {
		return nil, err
	}
	f, err := os.Open(real)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxHostFile))
}
