package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"lspi/contract"
)

// encode finishes an envelope and writes it as JSON: messages become one line each, and characters that
// are invisible or control a terminal are shown as \u{…}, with a warning that says so.
func encode(e contract.Envelope) (contract.Envelope, []byte, error) {
	e = withPlainMessages(e)
	raw, err := contract.Marshal(e)
	if err != nil {
		return e, nil, err
	}
	out, n := contract.EscapeJSON(raw)
	if n == 0 {
		return e, out, nil
	}
	e.Warnings = append(e.Warnings[:len(e.Warnings):len(e.Warnings)],
		contract.Warning{Kind: contract.WarnHiddenCharacters,
			Facts: contract.Facts{"total": n}, Message: hiddenCharacters(n)})
	// Written again, since the warning belongs into it.
	if raw, err = contract.Marshal(e); err == nil {
		raw, _ = contract.EscapeJSON(raw)
	}
	return e, raw, err
}

// hiddenCharacters is the message of the warning about n characters.
func hiddenCharacters(n int) string {
	which := fmt.Sprintf("%d characters that are invisible or control how text is displayed are shown", n)
	if n == 1 {
		which = "1 character that is invisible or controls how text is displayed is shown"
	}
	return which +
		` as \u{…}; the files hold the text itself, and paths, names and old_text may be given back as they are shown`
}

// withPlainMessages returns an envelope whose messages are one line each, so that nothing that they
// quote from a file or a server can begin a line. Error and lists are copied where they change: the
// call may be written again.
func withPlainMessages(e contract.Envelope) contract.Envelope {
	if e.Error != nil && contract.OneLine(e.Error.Message) != e.Error.Message {
		copied := *e.Error
		copied.Message = contract.OneLine(copied.Message)
		e.Error = &copied
	}
	e.Warnings = withPlain(e.Warnings, func(w *contract.Warning) *string { return &w.Message })
	e.NextSteps = withPlain(e.NextSteps, func(s *contract.NextStep) *string { return &s.Message })
	return e
}

// withPlain returns a list in which one text of each item is one line; the list itself when all texts
// are already.
func withPlain[T any](list []T, text func(*T) *string) []T {
	out := list
	for i := range list {
		plain := contract.OneLine(*text(&list[i]))
		if plain == *text(&list[i]) {
			continue
		}
		if &out[0] == &list[0] {
			out = append([]T{}, list...)
		}
		*text(&out[i]) = plain
	}
	return out
}

// encodedArguments returns the arguments of a step as JSON within a text. Escapes of JSON decode to the
// very characters, so arguments stay exact although they are shown escaped.
func encodedArguments(arguments map[string]any) []byte {
	raw, _ := contract.Marshal(arguments)
	raw, _ = contract.EscapeJSON(raw)
	return raw
}

// AsInText returns what an argument means in a text: itself where the text has it, else what an answer
// showed as \u{…}. The literal reading comes first, because a file may hold the escape itself.
func AsInText(content, given string) string {
	if strings.Contains(content, given) {
		return given
	}
	return contract.Unescape(given)
}

// AbsolutePath returns the clean absolute path that an argument names, as a path or a file:// URI. Where it does not
// exist, the argument may be a path as an answer showed it, file:///a.go for a.go of the workspace, or begin with the
// name of a root; that file is taken if it exists.
func (c *Call) AbsolutePath(given string) string {
	if plain, ok := FileURI(given); ok {
		if given = plain; !exists(given) && exists(c.underWorkspace(strings.TrimLeft(plain, `/\`))) {
			given = strings.TrimLeft(plain, `/\`)
		}
	}
	path, meant := c.underWorkspace(given), contract.Unescape(given)
	if meant != given && !exists(path) {
		if other := c.underWorkspace(meant); exists(other) {
			return other
		}
		if named := inNamedRoot(c, meant); exists(named) {
			return named
		}
	}
	if named := inNamedRoot(c, given); named != "" {
		return named
	}
	return path
}

// inNamedRoot returns what a path means that begins with the name of a root (mixed/go/x.go), where the workspace has
// nothing of that name and the root has the folder; "" for any other path.
func inNamedRoot(c *Call, given string) string {
	for _, path := range c.Workspace.InRoots(given) {
		if exists(filepath.Dir(path)) {
			return path
		}
	}
	return ""
}

// underWorkspace returns the absolute path of a path that may be relative to the workspace.
func (c *Call) underWorkspace(given string) string {
	path := filepath.FromSlash(given)
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Workspace.Root, path)
	}
	return filepath.Clean(path)
}

// exists reports whether something of that name is there, also a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// UnescapeNames returns the arguments with the names of symbols as the project has them, where the call
// gives them as an answer showed them. No language allows a brace in a name, so \u{…} cannot be meant
// literally there; nor is it a pattern that Go's regexp knows.
func UnescapeNames(arguments json.RawMessage) json.RawMessage {
	if !bytes.Contains(arguments, []byte(`u{`)) {
		return arguments
	}
	given, err := Object(arguments)
	if err != nil {
		return arguments
	}
	changed := maps.Clone(given)
	for _, argument := range []string{"symbol_name", "query"} {
		var name string
		if json.Unmarshal(given[argument], &name) == nil && contract.Unescape(name) != name {
			changed[argument], _ = contract.Marshal(contract.Unescape(name)) // of a string
		}
	}
	raw, err := contract.Marshal(changed)
	if err != nil {
		return arguments
	}
	return raw
}
