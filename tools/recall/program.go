package recall

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Client is a program that writes transcripts.
type Client string

const (
	// Codex is Codex CLI, and what shares its sessions folder (its editor extension and its app).
	Codex Client = "codex"
	// Claude is Claude Code.
	Claude Client = "claude"
	// VSCode is the chat of VS Code, of its Insiders, and of VSCodium.
	VSCode Client = "vscode"
	// Copilot is Copilot CLI.
	Copilot Client = "copilot"
	// Gemini is Gemini CLI.
	Gemini Client = "gemini"
	// Qwen is Qwen Code.
	Qwen Client = "qwen"
	// Opencode is opencode.
	Opencode Client = "opencode"
	// Other is a client whose transcripts are not known.
	Other Client = "other"
)

// program is what is known of the transcripts of one client. Versions are those against which the row was held: by
// TestTranscripts of package hosts with the program itself, or by its public source where that is said.
type program struct {
	client Client
	title  string // in answers
	// hosts are the beginnings of clientInfo.name by which the client introduces itself over MCP.
	hosts  []string
	folder func(Folders) string
	// below are the folders of transcripts in that folder. For Codex the second one is the archive.
	below []string
	// into decides whether a subfolder is looked at, by its path below one of those.
	into func(dir string) bool
	// session returns the id of a session by the path of its file; for Gemini CLI, whose files have the beginning of the
	// id, that. It is nil for Codex, whose threads may have several files.
	session func(name string) (id string, ok bool)
	// lists lists the sessions in the folders.
	lists  func(ctx context.Context, p *program, folders []string, all *listing) error
	format *format
}

var programs = []*program{
	// 0.169.0.
	{client: Codex, title: "Codex CLI", hosts: []string{"codex-mcp-client"},
		folder: func(f Folders) string { return f.Codex }, below: []string{"sessions", "archived_sessions"},
		into: depth(3), lists: listCodex, format: codexFormat},
	// 2.1.197.
	{client: Claude, title: "Claude Code", hosts: []string{"claude-code"},
		folder: func(f Folders) string { return f.Claude }, below: []string{"projects"}, into: depth(1),
		session: claudeName, lists: listFilesOf, format: claudeFormat},
	// By source: microsoft/vscode, chatSessionStore.ts, and mcpServerRequestHandler.ts for the name. Cursor keeps its
	// chats in a database of another form.
	{client: VSCode, title: "VS Code", hosts: []string{"visual studio code", "vscodium", "code - oss"},
		folder: func(f Folders) string { return f.VSCode }, below: vscodeFolders,
		into: func(dir string) bool { return within(dir, "*", "chatSessions") }, session: vscodeName, lists: listFilesOf, format: vscodeFormat},
	// 1.0.102.
	{client: Copilot, title: "Copilot CLI", hosts: []string{"copilot-cli"},
		folder: func(f Folders) string { return f.Copilot }, below: []string{"session-state"}, into: depth(1),
		session: copilotName, lists: listFilesOf, format: copilotFormat},
	// 0.61.0. In deeper folders are sub-agents.
	{client: Gemini, title: "Gemini CLI", hosts: []string{"gemini-cli-mcp-client"},
		folder: func(f Folders) string { return f.Gemini }, below: []string{"tmp"},
		into: func(dir string) bool { return within(dir, "*", "chats") }, session: geminiName, lists: listFilesOf, format: geminiFormat},
	// 0.24.4. It adds the name of its entry for the server to that of the host.
	{client: Qwen, title: "Qwen Code", hosts: []string{"qwen-cli-mcp-client"},
		folder: func(f Folders) string { return f.Qwen }, below: []string{"projects"},
		into: func(dir string) bool { return within(dir, "*", "chats", "archive") }, session: qwenName, lists: listFilesOf,
		format: qwenFormat},
	// 1.18.33; the files in storage are of versions before its database: see opencodeFormat.
	{client: Opencode, title: "opencode", hosts: []string{"opencode"},
		folder: func(f Folders) string { return f.Opencode }, below: []string{"storage", "."},
		into: func(dir string) bool { return within(dir, "session", "*") }, session: opencodeName, lists: listOpencode,
		format: opencodeFormat},
}

// depth returns a program.into for all folders down to a depth.
func depth(most int) func(dir string) bool {
	return func(dir string) bool { return strings.Count(dir, "/") < most }
}

// within reports whether a path leads along the names, of which "*" is any.
func within(dir string, names ...string) bool {
	parts := strings.Split(dir, "/")
	if len(parts) > len(names) {
		return false
	}
	for i, part := range parts {
		if names[i] != "*" && names[i] != part {
			return false
		}
	}
	return true
}

// programOf returns the row of a client.
func programOf(c Client) *program {
	return programs[slices.IndexFunc(programs, func(s *program) bool { return s.client == c })]
}

// ClientOf returns the client with a clientInfo.name: [Other] for an unknown name, "" for no name.
func ClientOf(name string) Client {
	if name == "" {
		return ""
	}
	name = strings.ToLower(name)
	for _, s := range programs {
		if slices.ContainsFunc(s.hosts, func(host string) bool { return strings.HasPrefix(name, host) }) {
			return s.client
		}
	}
	return Other
}

// folders returns the folders of transcripts, absolute; none when the client is left out.
func (s *program) folders(f Folders) (out []string) {
	at := s.folder(f)
	if at == "" {
		return nil
	}
	for _, name := range s.below {
		out = append(out, filepath.Join(at, filepath.FromSlash(name)))
	}
	return out
}

// listFilesOf lists one session for each file that has one. Where a client that went over from documents to lines
// kept both files of a session, the lines count: they are the newer ones.
func listFilesOf(ctx context.Context, s *program, folders []string, all *listing) error {
	var failed []error
	for _, folder := range folders {
		byName := map[string]listed{}
		failed = append(failed, listFiles(ctx, folder, s.into, func(f found) {
			id, ok := s.session(f.name)
			key := strings.TrimSuffix(strings.TrimSuffix(f.name, ".jsonl"), ".json")
			if before, twice := byName[key]; ok && (!twice || before.document()) {
				byName[key] = listed{found: f, client: s.client, id: id}
			}
		}))
		for _, l := range byName {
			all.sessions = append(all.sessions, l)
		}
	}
	return errors.Join(failed...)
}

// Looked is where the transcripts of one client were looked for.
type Looked struct {
	Client Client
	// Title is the name of the client for people.
	Title string
	// Folders are those that exist, absolute; none when the client has left nothing here.
	Folders []string
}

// looked returns where the transcripts of a client were looked for; "" is all clients that are not left out.
func (s *Store) looked(client Client) (out []Looked) {
	for _, src := range programs {
		folders := src.folders(s.folders)
		if client != "" && client != src.client || len(folders) == 0 {
			continue
		}
		one := Looked{Client: src.client, Title: src.title}
		for _, folder := range folders {
			if _, err := os.Stat(folder); err == nil {
				one.Folders = append(one.Folders, folder)
			}
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b Looked) int { return cmp.Compare(len(b.Folders), len(a.Folders)) })
	return out
}
