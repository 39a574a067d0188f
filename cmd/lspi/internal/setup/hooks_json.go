package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// The file of a host's hooks is an object "hooks" with a list for each event, whose items have a list "hooks" of
// commands. Files belong to their users: an edit adds, replaces or removes the items of lspi and leaves all others byte
// for byte.

// hooksKey is the key of the object of all hooks.
const hooksKey = "hooks"

// editHooks returns the text with the hooks of lspi for a set, and the keys that it added: hooksKey, or names of
// events. Hooks of lspi that are there stay as their user left them unless they run another command or set is AllHooks.
func (t hookTable) editHooks(text []byte, command string, set HookSet) (after []byte, added []string, err error) {
	f := jsonObject{strict: t.strict}
	if blank(text) {
		return []byte(t.hooksFile(command, set)), []string{hooksKey}, nil
	}
	for _, e := range t.events {
		matcher, ok := e.matcher(set)
		if !ok {
			continue
		}
		var key string
		if text, key, err = f.putHook(text, e.name, t.group(command, matcher), command, set == AllHooks); err != nil {
			return nil, nil, err
		}
		if key != "" && !slices.Contains(added, hooksKey) {
			added = append(added, key)
		}
	}
	return text, added, nil
}

// putHook returns the text with an item for an event, and the outermost key that it added; "" when the event has a
// list.
func (f jsonObject) putHook(text []byte, event, item, command string, replace bool) ([]byte, string, error) {
	root, err := f.parse(text)
	if err != nil {
		return nil, "", err
	}
	unit := indentOf(text)
	item = strings.ReplaceAll(item, "  ", unit)
	n := member(root.Value.(*hujson.Object), hooksKey)
	if n < 0 {
		return apply(text, insertMember(text, &root, unit, hooksKey, func(in string) string {
			return "{\n" + in + unit + quoted(event) + ": [\n" + in + unit + unit +
				indent(item, in+unit+unit) + "\n" + in + unit + "]\n" + in + "}"
		})...), hooksKey, nil
	}
	holder := &root.Value.(*hujson.Object).Members[n].Value
	events, ok := holder.Value.(*hujson.Object)
	if !ok {
		return nil, "", notThis(text, holder, hooksKey, "object")
	}
	if n = member(events, event); n < 0 {
		return apply(text, insertMember(text, holder, unit, event, func(in string) string {
			return "[\n" + in + unit + indent(item, in+unit) + "\n" + in + "]"
		})...), event, nil
	}
	value := &events.Members[n].Value
	list, ok := value.Value.(*hujson.Array)
	if !ok {
		return nil, "", notThis(text, value, hooksKey+"."+event, "list")
	}
	i := slices.IndexFunc(list.Elements, func(v hujson.Value) bool { return len(commandsOf(v)) > 0 })
	switch {
	case i < 0:
		return apply(text, insertElement(text, value, unit, item)...), "", nil
	case replace && onlyCommand(list.Elements[i]):
		v := list.Elements[i]
		if sameJSON(v, item) {
			return text, "", nil
		}
		return apply(text, splice{v.StartOffset, v.EndOffset, indent(item, lineIndent(text, v.StartOffset))}), "", nil
	}
	var all []splice
	for _, v := range commandsOf(list.Elements[i]) {
		if v.Value.(hujson.Literal).String() != command {
			all = append(all, splice{v.StartOffset, v.EndOffset, quoted(command)})
		}
	}
	return apply(text, all...), "", nil
}

func notThis(text []byte, v *hujson.Value, key, kind string) error {
	return fmt.Errorf("line %d: %q is no %s; mend the file, then run lspi setup again",
		1+bytes.Count(text[:v.StartOffset], []byte("\n")), key, kind)
}

// sameJSON reports whether a value means the same as a text.
func sameJSON(v hujson.Value, text string) bool {
	var a, b any
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), &a) == nil && json.Unmarshal([]byte(text), &b) == nil && reflect.DeepEqual(a, b)
}

// commandsOf returns the command lines of lspi hook in an item of an event.
func commandsOf(item hujson.Value) (out []hujson.Value) {
	for _, hook := range hooksOf(item) {
		o, _ := hook.Value.(*hujson.Object)
		if o == nil {
			continue
		}
		if i := member(o, "command"); i >= 0 {
			if l, ok := o.Members[i].Value.Value.(hujson.Literal); ok && ours.MatchString(l.String()) {
				out = append(out, o.Members[i].Value)
			}
		}
	}
	return out
}

// hooksOf returns the commands of an item of an event.
func hooksOf(item hujson.Value) []hujson.Value {
	o, _ := item.Value.(*hujson.Object)
	if o == nil {
		return nil
	}
	i := member(o, hooksKey)
	if i < 0 {
		return nil
	}
	list, _ := o.Members[i].Value.Value.(*hujson.Array)
	if list == nil {
		return nil
	}
	return list.Elements
}

// onlyCommand reports whether an item has the command of lspi and no other.
func onlyCommand(item hujson.Value) bool {
	return len(hooksOf(item)) == 1 && len(commandsOf(item)) == 1
}

// insertElement returns the edits that put an element at the end of a list.
func insertElement(text []byte, holder *hujson.Value, unit, element string) []splice {
	list := holder.Value.(*hujson.Array)
	open := lineIndent(text, holder.StartOffset)
	if len(list.Elements) == 0 {
		last := holder.EndOffset - 1
		if before := bytes.TrimRight(text[:last], " \t\r\n"); bytes.ContainsRune(text[len(before):last], '\n') {
			return []splice{{len(before), len(before), "\n" + open + unit + indent(element, open+unit)}}
		}
		return []splice{{last, last, "\n" + open + unit + indent(element, open+unit) + "\n" + open}}
	}
	last := &list.Elements[len(list.Elements)-1]
	in, end := lineIndent(text, last.StartOffset), last.EndOffset
	if !bytes.ContainsRune(text[end:holder.EndOffset], '\n') { // all in one line
		return []splice{{end, end, ", " + oneLine(element)}}
	}
	line := "\n" + in + indent(element, in)
	if last.AfterExtra != nil { // there is a trailing comma
		at := end + len(last.AfterExtra) + 1 + sameLine(list.AfterExtra)
		return []splice{{at, at, line + ","}}
	}
	at := end + sameLine(list.AfterExtra)
	if at == end {
		return []splice{{end, end, "," + line}}
	}
	return []splice{{end, end, ","}, {at, at, line}}
}

// removeHooks returns the text without the hooks of lspi. added are the keys that editHooks added; they go when nothing
// else is left in them.
func (f jsonObject) removeHooks(text []byte, added []string) ([]byte, error) {
	for {
		root, err := f.parse(text)
		if err != nil {
			return nil, err
		}
		all, err := f.nextRemoval(text, root.Value.(*hujson.Object), added)
		if err != nil || all == nil {
			return text, err
		}
		text = apply(text, all...)
	}
}

// errShared is the error for an item that runs other commands beside lspi hook.
var errShared = errors.New("lspi hook stands in one item with other commands; take it out by hand")

// nextRemoval returns the edits for one thing that removeHooks has to take out; nil when nothing is left.
func (f jsonObject) nextRemoval(text []byte, root *hujson.Object, added []string) ([]splice, error) {
	n := member(root, hooksKey)
	if n < 0 {
		return nil, nil
	}
	events, ok := root.Members[n].Value.Value.(*hujson.Object)
	if !ok {
		return nil, nil
	}
	whole := slices.Contains(added, hooksKey)
	for i, m := range events.Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for k, item := range list.Elements {
			switch {
			case len(commandsOf(item)) == 0:
			case !onlyCommand(item):
				return nil, errShared
			default:
				return removeElement(text, list, k), nil
			}
		}
		event := m.Name.Value.(hujson.Literal).String()
		if len(list.Elements) == 0 && (whole || slices.Contains(added, event)) &&
			len(bytes.TrimSpace(list.AfterExtra)) == 0 {
			return removeMember(text, events, i), nil
		}
	}
	if whole && len(events.Members) == 0 && len(bytes.TrimSpace(events.AfterExtra)) == 0 {
		return removeMember(text, root, n), nil
	}
	return nil, nil
}

// removeElement returns the edits that remove an element of a list with its lines and its comma.
func removeElement(text []byte, list *hujson.Array, i int) []splice {
	own := list.Elements[i]
	before := len(bytes.TrimRight(text[:own.StartOffset], " \t"))
	if before > 0 && text[before-1] == '\n' {
		before = len(bytes.TrimSuffix(text[:before-1], []byte("\r")))
	}
	last := i == len(list.Elements)-1
	switch end := own.EndOffset; {
	case !last || own.AfterExtra != nil:
		end += len(own.AfterExtra)
		return []splice{{before, own.EndOffset, ""}, {end, end + 1, ""}}
	case i == 0:
		if rest := text[end:]; text[before-1] == '[' {
			if space := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n")); rest[space] == ']' {
				end += space
			}
		}
		return []splice{{before, end, ""}}
	default:
		previous := list.Elements[i-1]
		comma := previous.EndOffset + len(previous.AfterExtra)
		return []splice{{comma, comma + 1, ""}, {max(before, comma+1), end, ""}}
	}
}

// withoutHooks returns a decoded file without the hooks of lspi and without what has become empty by that, to compare
// files before and after an edit.
func withoutHooks(tree map[string]any) any {
	out := mapOf(plainTree(tree))
	events := mapOf(out[hooksKey])
	for event, v := range events {
		list, ok := v.([]any)
		if !ok {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(list), func(item any) bool { return len(commandLines(item)) > 0 })
		if events[event] = left; len(left) == 0 {
			delete(events, event)
		}
	}
	if _, there := out[hooksKey]; there && events != nil && len(events) == 0 {
		delete(out, hooksKey)
	}
	return out
}

// commandLines returns the command lines of lspi hook in a decoded item of an event.
func commandLines(item any) (out []string) {
	list, _ := mapOf(item)[hooksKey].([]any)
	for _, hook := range list {
		if line, _ := mapOf(hook)["command"].(string); ours.MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

// hookedEvents returns the events of a decoded file for which lspi hook runs, with their command lines.
func hookedEvents(tree map[string]any) map[string]string {
	out := map[string]string{}
	for event, v := range mapOf(tree[hooksKey]) {
		list, _ := v.([]any)
		for _, item := range list {
			for _, line := range commandLines(item) {
				out[event] = line
			}
		}
	}
	return out
}
