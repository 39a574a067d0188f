package recall

import (
	"strings"

	"lspi/tools/recall/jsonl"
)

// claudeLine is what is taken from one line of a transcript; fields that the line lacks are zero.
type claudeLine struct {
	treeLine
	logical, leaf              string
	sidechain, notTyped        bool // of a sub-agent; written by the client in the user's name
	role, promptSource, origin string
	parts                      []text   // of a message that have text, without those of tools
	images, toolResult         bool     // the message has images; it is the result of a tool
	tools                      []string // ids of the calls in it
	system                     string   // how the text of a line of the client begins
	attachment, commandMode    string
	queued                     []text
	queuedImages               bool
}

// readClaudeLine reads the members that tell a request from everything else, and skips the others
// unread.
func readClaudeLine(r *jsonl.Reader) (l claudeLine) {
	r.Object(func(name []byte) {
		if l.treeLine.read(r, string(name)) {
			return
		}
		switch string(name) {
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

// readMore reads the members that tell what the user typed from what the client wrote.
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

// readContent reads the content of a message, which is a text or a list of blocks.
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

// requestIn returns what the user asks in this line: in a message of their own, or in one typed while a
// turn ran, which Claude Code attaches as a queued_command. Results of tools, notifications, and what
// the client injects stand in messages of the user too and are told apart by their marks.
func (l *claudeLine) requestIn() (text, bool) {
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

// written are the beginnings of texts that Claude Code wrote, although they stand in a message of the
// user.
var written = []string{commandOutput, "<local-command-stderr>", "<local-command-caveat>", "<bash-stdout>",
	"<bash-stderr>", "<task-notification>", "[Request interrupted by user"}

// attached are the elements that Claude Code puts before what was typed.
var attached = []string{"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"}

// typed returns what the user typed of the parts of a message; false when they typed nothing. A message
// with nothing but images counts, as [imageOnly].
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

// withoutAttached returns a text without the attached elements at its beginning. An element without an
// end takes all of it.
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

// asTyped returns a command as the user typed it: "/name arguments", or "!" and a command of the shell.
// Claude Code writes both as elements.
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

// element returns the content of the first element with a tag; "" for none, or one without an end.
func element(s, tag string) string {
	_, rest, _ := strings.Cut(s, "<"+tag+">")
	inner, _, ok := strings.Cut(rest, "</"+tag+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(inner)
}
