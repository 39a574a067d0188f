package recall

import (
	"strings"

	"lspi/tools/recall/jsonl"
)

// claudeLine is what is taken from a line of a transcript.
type claudeLine struct {
	kind, subtype, time, cwd    string
	uuid, parent, logical, leaf string
	sidechain, notTyped         bool
	role, promptSource, origin  string
	parts                       []text // of a message that have text, without those of tools
	images, toolResult          bool
	tools                       []string // calls in it
	system                      string   // the begin of what a line of the client says
	attachment, commandMode     string
	queued                      []text
	queuedImages                bool
}

func readClaudeLine(r *jsonl.Reader) (l claudeLine) {
	r.Object(func(name []byte) {
		switch string(name) {
		case "type":
			l.kind = short(r)
		case "subtype":
			l.subtype = short(r)
		case "timestamp":
			l.time = short(r)
		case "cwd":
			l.cwd, _ = r.String(maxPath)
		case "uuid":
			l.uuid = short(r)
		case "parentUuid":
			l.parent = short(r)
		case "logicalParentUuid":
			l.logical = short(r)
		case "leafUuid":
			l.leaf = short(r)
		case "content":
			l.system = short(r)
		default:
			l.readMore(r, string(name))
		}
	})
	return l
}

// readMore takes the members that tell what was typed.
func (l *claudeLine) readMore(r *jsonl.Reader, name string) {
	switch name {
	case "isSidechain":
		l.sidechain = r.Bool()
	case "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly":
		l.notTyped = r.Bool() || l.notTyped
	case "toolUseResult", "sourceToolAssistantUUID":
		l.toolResult = l.toolResult || r.Kind() != 'n'
	case "promptSource":
		l.promptSource = short(r)
	case "origin":
		r.Object(func(name []byte) {
			if string(name) == "kind" {
				l.origin = short(r)
			}
		})
	case "message":
		r.Object(func(name []byte) {
			switch string(name) {
			case "role":
				l.role = short(r)
			case "content":
				l.parts, l.images = l.readContent(r)
			}
		})
	case "attachment":
		l.readAttachment(r)
	}
}

// readContent takes a text, or the texts of a list of blocks.
func (l *claudeLine) readContent(r *jsonl.Reader) (parts []text, images bool) {
	if r.Kind() == '"' {
		return []text{readText(r)}, false
	}
	r.Array(func() {
		switch b := readBlock(r); b.kind {
		case "text":
			parts = append(parts, b.text)
		case "image":
			images = true
		case "tool_result":
			l.toolResult = true
		case "tool_use":
			l.tools = append(l.tools, b.id)
		}
	})
	return parts, images
}

func (l *claudeLine) readAttachment(r *jsonl.Reader) {
	r.Object(func(name []byte) {
		switch string(name) {
		case "type":
			l.attachment = short(r)
		case "commandMode":
			l.commandMode = short(r)
		case "prompt":
			l.queued, l.queuedImages = l.readContent(r)
		}
	})
}

// request is what the user asks in this line: in a message of their own, or in one that they typed while a turn
// ran, which Claude Code attaches.
func (l *claudeLine) request() (text, bool) {
	switch {
	case l.notTyped, l.sidechain, l.toolResult, l.promptSource == "system", strings.Contains(l.origin, "notification"):
		return text{}, false
	case l.kind == "user" && (l.role == "user" || l.role == ""):
		return typed(l.parts, l.images)
	case l.kind == "attachment" && l.attachment == "queued_command" &&
		(l.commandMode == "" || l.commandMode == "prompt"):
		return typed(l.queued, l.queuedImages)
	}
	return text{}, false
}

// commandOutput begins the output of a command that Claude Code answers itself.
const commandOutput = "<local-command-stdout>"

// answersCommand reports whether the line has the output of such a command.
func (l *claudeLine) answersCommand() bool {
	if l.kind == "system" {
		return l.subtype == "local_command" && strings.HasPrefix(l.system, commandOutput)
	}
	return l.kind == "user" && len(l.parts) > 0 && strings.HasPrefix(l.parts[0].text, commandOutput)
}

// written begin texts that Claude Code wrote, although in a message of the user.
var written = []string{commandOutput, "<local-command-stderr>", "<local-command-caveat>", "<bash-stdout>",
	"<bash-stderr>", "<task-notification>", "[Request interrupted by user"}

// attached are elements that Claude Code puts before or beside what was typed.
var attached = []string{"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"}

// typed is what was typed of the parts of a message.
func typed(parts []text, images bool) (text, bool) {
	var kept []text
	for _, p := range parts {
		if p.text = withoutAttached(p.text); p.text != "" {
			kept = append(kept, p)
		}
	}
	t := joined(kept, "\n")
	for _, begin := range written {
		if strings.HasPrefix(t.text, begin) {
			return text{}, false
		}
	}
	t.text = asTyped(t.text)
	if t.text == "" && images {
		t.text = imageOnly
	}
	return t, t.text != ""
}

// withoutAttached is a text without the elements at its begin that were not typed.
func withoutAttached(s string) string {
	s = strings.TrimSpace(s)
	for i := 0; i < len(attached); i++ {
		rest, ok := strings.CutPrefix(s, "<"+attached[i]+">")
		if !ok {
			continue
		}
		_, behind, ok := strings.Cut(rest, "</"+attached[i]+">")
		if !ok {
			return ""
		}
		s, i = strings.TrimSpace(behind), -1
	}
	return s
}

// asTyped is a command as it was typed: /name and its arguments, or ! and a command of the shell.
func asTyped(s string) string {
	if strings.HasPrefix(s, "<command-name>") || strings.HasPrefix(s, "<command-message>") {
		if name := element(s, "command-name"); name != "" {
			return strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + element(s, "command-args"))
		}
	}
	if strings.HasPrefix(s, "<bash-input>") {
		return "!" + element(s, "bash-input")
	}
	return s
}

// element is what stands in the first element of a tag.
func element(s, tag string) string {
	_, rest, _ := strings.Cut(s, "<"+tag+">")
	inner, _, ok := strings.Cut(rest, "</"+tag+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(inner)
}
