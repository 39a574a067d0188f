package recall

import (
	"strings"

	"lspi/tools/recall/jsonl"
)

// What the messages of Gemini CLI and Qwen Code, which began as a copy of it, have in common.

// part is one part of a message.
type part struct {
	text text
	data bool // an image, or another file
}

func readPart(r *jsonl.Reader) (p part) {
	thought := false
	r.Object(func(name []byte) {
		switch string(name) {
		case "text":
			p.text = readText(r)
		case "thought":
			thought = r.Bool()
		case "inlineData", "fileData":
			p.data = true
		}
	})
	if thought {
		p.text = text{}
	}
	return p
}

// referenced begins the files that the client puts behind a request that names them with @.
const referenced = "--- Content from referenced files ---"

// injected are the beginnings of messages that the client writes in the user's name.
var injected = []string{"<session_context>", "<hook_context>", "<state_snapshot>"}

// typedParts returns what the user typed of the parts of a message; false when they typed nothing.
func typedParts(parts []text, images bool) (text, bool) {
	for i, p := range parts {
		if strings.TrimSpace(p.text) == referenced {
			parts = parts[:i]
			break
		}
	}
	t := joined(parts, "")
	t.text = strings.TrimSpace(t.text)
	for _, begin := range injected {
		if strings.HasPrefix(t.text, begin) {
			return text{}, false
		}
	}
	if t.text == "" && images {
		t.text = imageOnly
	}
	return t, t.text != ""
}
