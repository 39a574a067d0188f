package wire

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/uri"

	"lspi/internal/source"
)

// A server on another machine, in a container or behind a mount calls the files of this machine by other paths. The
// connection translates them in both directions, so that nobody else has to know: in every string that is a file URI,
// the keys of objects too (WorkspaceEdit.changes), and in every one that is an absolute path inside of a pair
// (rootPath, settings, the arguments of commands). Text stays as it is, whatever it says.
//
// A file URI outside of all pairs is a file of the other machine alone, and here another file may have its path. So it
// gets a scheme of its own, and its own name again on the way back. The same goes for a file of this machine.
const (
	farScheme  = "far"  // of a file of the server's machine, as lspi sees it
	nearScheme = "near" // of a file of this machine, as the server sees it
)

// IsFar reports whether a URI is that of a file which the server's machine alone has.
func IsFar(uri string) bool { return strings.HasPrefix(uri, farScheme+"://") }

// texts are the members of LSP (3.18) whose strings are shown to somebody, typed or written into a file.
var texts = map[string]bool{
	"text": true, "newText": true, "insertText": true, "textEditText": true, "value": true, "contents": true,
	"documentation": true, "message": true, "label": true, "labelDetails": true, "title": true, "detail": true,
	"description": true, "tooltip": true, "filterText": true, "sortText": true, "newName": true, "placeholder": true,
	"query": true, "name": true, "containerName": true, "signature": true, "code": true, "source": true,
}

// translator rewrites the messages of one connection.
type translator struct{ pairs source.PathPairs }

// sent is a message of lspi as the server shall read it; received is one of the server as lspi shall.
func (t translator) sent(message []byte) []byte {
	return translated(message, t.pairs.Remote, nearScheme, farScheme)
}

func (t translator) received(message []byte) []byte {
	return translated(message, t.pairs.Here, farScheme, nearScheme)
}

// translated is a message with its paths given other names by of. What has none gets the scheme stays, and what came
// with the scheme back is a file again. A message that is no JSON is returned as it is, for the reader to judge.
func translated(message []byte, of func(string) (string, bool), stays, back string) []byte {
	in := jsontext.NewDecoder(bytes.NewBuffer(message), jsonOptions...)
	var out []byte
	members := make([]string, 1, 16) // the member whose value each open object or array is in
	done := 0
	for {
		kind := in.PeekKind()
		if kind != '"' {
			token, err := in.ReadToken()
			if err != nil {
				break // the end, or no JSON
			}
			switch token.Kind() {
			case '{', '[':
				members = append(members, members[len(members)-1])
			case '}', ']':
				members = members[:len(members)-1]
			}
			continue
		}
		raw, err := in.ReadValue()
		if err != nil {
			break
		}
		holder, length := in.StackIndex(in.StackDepth())
		isName := holder == '{' && length%2 == 1
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			continue
		}
		if isName {
			members[len(members)-1] = string(text)
		} else if texts[members[len(members)-1]] {
			continue
		}
		now, changes := renamed(string(text), of, stays, back)
		if !changes {
			continue
		}
		end := int(in.InputOffset())
		out = append(out, message[done:end-len(raw)]...)
		if out, err = jsontext.AppendQuote(out, now); err != nil {
			return message
		}
		done = end
	}
	if done == 0 {
		return message
	}
	return append(out, message[done:]...)
}

// renamed is the other name of a string; changes is false where it has none, or names no file.
func renamed(text string, of func(string) (string, bool), stays, back string) (now string, changes bool) {
	if rest, ok := strings.CutPrefix(text, back+"://"); ok {
		return "file://" + rest, true
	}
	if strings.HasPrefix(text, "/") {
		return of(text)
	}
	rest, ok := strings.CutPrefix(text, "file://")
	if !ok {
		return "", false
	}
	address, fragment, cut := strings.Cut(text, "#")
	u, err := uri.Parse(address)
	if err != nil || !u.IsFile() {
		return "", false
	}
	if there, ok := of(u.FsPath()); ok {
		if now = string(uri.File(there)); cut {
			now += "#" + fragment
		}
		return now, true
	}
	return stays + "://" + rest, true
}
