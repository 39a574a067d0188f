package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"lspi/internal/source"
)

// The separators between the id of a server and the name of its tool: the one of the listed name, and the other one
// that is understood.
const (
	separator      = "__"
	otherSeparator = ":"
)

// hostPrefix is the longest that hosts put before the names of lspi's tools (Claude Code 2.1.197, Codex CLI 0.169.0),
// and maxName the longest name, with it, that they pass on to their models.
const (
	hostPrefix = "mcp__lspi__"
	maxName    = 64
)

// strange are the characters that hosts refuse in the name of a tool.
var strange = source.LazyRegexp(`[^a-zA-Z0-9_-]`)

// Exposed returns a server's name for a tool or a prompt as it is listed behind ID__: every character outside
// [a-zA-Z0-9_-] becomes "_", and a name that would be longer than [maxName], with its id and [hostPrefix], keeps its
// beginning and ends in 8 digits of its SHA-256, so that it is the same in every session. An exposed name stays as it
// is.
func Exposed(id, name string) string {
	clean := strange.ReplaceAllString(name, "_")
	if room := maxName - len(hostPrefix+id+separator); len(clean) > room {
		sum := sha256.Sum256([]byte(name))
		digest := hex.EncodeToString(sum[:4])
		clean = clean[:max(0, room-len(digest)-1)] + "_" + digest
	}
	return clean
}

// ServerTool returns the name under which the tool of another MCP server is listed: ID__tool.
func ServerTool(id, tool string) string { return id + separator + Exposed(id, tool) }

// Listed returns the name under which a tool is listed that is given as ID__tool or ID:tool, also with the server's own
// name for it. Patterns (* and ?) and names of lspi's own tools stay, but for the separator.
func Listed(name string) string {
	id, tool, ok := ServerOf(name)
	switch {
	case !ok:
		return name
	case strings.ContainsAny(tool, "*?["):
		return id + separator + tool
	}
	return ServerTool(id, tool)
}

// ServerOf splits the name of another server's tool, in any spelling, at its first separator into the server's id and
// the rest; ok is false for a name of another form.
func ServerOf(name string) (id, tool string, ok bool) {
	at, length := strings.Index(name, separator), len(separator)
	if colon := strings.Index(name, otherSeparator); colon >= 0 && (at < 0 || colon < at) {
		at, length = colon, len(otherSeparator)
	}
	if at <= 0 || at+length == len(name) {
		return "", "", false
	}
	return name[:at], name[at+length:], true
}
