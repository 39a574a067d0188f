package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// format reads and edits files of one format. Texts have no byte order mark and "\n" or "\r\n" as line ends; inserted
// text has "\n". path are the keys of what holds the entries.
type format interface {
	// decode returns the whole file as maps, lists and plain values. Errors name the line and what to do.
	decode(text []byte) (map[string]any, error)
	// find returns the entry of lspi in a decoded file, nil when there is none.
	find(tree map[string]any, path []string) map[string]any
	// add returns the text with a new entry. There must be none yet.
	add(text []byte, path []string, e entryFields) ([]byte, error)
	// change returns the text with other values for fields of the entry. There must be one.
	change(text []byte, path []string, fields entryFields) ([]byte, error)
	// remove returns the text without the entry. added is what add has inserted, by which some formats find it again.
	remove(text []byte, path []string, added string) ([]byte, error)
	// show returns the entry with the keys around it, as a person would write it into an empty file.
	show(path []string, e entryFields) string
}

// splice replaces text[from:to].
type splice struct {
	from, to int
	text     string
}

// apply applies edits to a text; inserted line ends become those of the text.
func apply(text []byte, all ...splice) []byte {
	slices.SortStableFunc(all, func(a, b splice) int { return a.from - b.from })
	if n := bytes.IndexByte(text, '\n'); n > 0 && text[n-1] == '\r' {
		for i := range all {
			all[i].text = strings.ReplaceAll(all[i].text, "\n", "\r\n")
		}
	}
	var out []byte
	at := 0
	for _, s := range all {
		out = append(append(out, text[at:s.from]...), s.text...)
		at = s.to
	}
	return append(out, text[at:]...)
}

const name = "lspi" // the name of the entry in every host

// jsonObject is JSON with an object of entries. Unless it is strict, comments and trailing commas are allowed.
type jsonObject struct{ strict bool }

// errDuplicate is the error for a key that an object has twice: hosts differ in which one they take.
var errDuplicate = errors.New("the same key stands twice; remove one")

// blank reports whether a text has nothing but white space of JSON.
func blank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n")) == 0 }

// parse parses a file; an empty one counts as {}. For a host that reads strict JSON it also refuses comments and
// trailing commas, which hujson accepts and the host does not.
func (f jsonObject) parse(text []byte) (hujson.Value, error) {
	if blank(text) {
		text = []byte("{}")
	}
	root, err := hujson.Parse(text)
	if err == nil && f.strict && !json.Valid(text) {
		var v any
		err = json.Unmarshal(text, &v)
		if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
			line := 1 + bytes.Count(text[:min(int(s.Offset), len(text))], []byte("\n"))
			return root,
				fmt.Errorf("line %d: %w; this host reads JSON without comments and trailing commas: mend the file, then run lspi setup again", line, err)
		}
	}
	if err != nil {
		return root, fmt.Errorf("%w; mend the file, then run lspi setup again", err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return root, errors.New("line 1: the file is no JSON object; mend it, then run lspi setup again")
	}
	return root, nil
}

// decode refuses keys that stand twice: encoding/json would silently take the last one (see errDuplicate).
func (f jsonObject) decode(text []byte) (map[string]any, error) {
	root, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	for v := range root.All() {
		if o, ok := v.Value.(*hujson.Object); ok {
			seen := map[string]bool{}
			for _, m := range o.Members {
				key := m.Name.Value.(hujson.Literal).String()
				if seen[key] {
					return nil, fmt.Errorf("line %d: %q: %w", 1+bytes.Count(text[:m.Name.StartOffset], []byte("\n")),
						key, errDuplicate)
				}
				seen[key] = true
			}
		}
	}
	root = root.Clone() // Standardize writes into the text
	root.Standardize()
	var tree map[string]any
	d := json.NewDecoder(bytes.NewReader(root.Pack()))
	d.UseNumber()
	return tree, d.Decode(&tree)
}

func (f jsonObject) find(tree map[string]any, path []string) map[string]any {
	for _, key := range path {
		tree = mapOf(tree[key])
	}
	return mapOf(tree[name])
}

// member returns the index of a key, -1 when there is none.
func member(o *hujson.Object, key string) int {
	return slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool {
		return m.Name.Value.(hujson.Literal).String() == key
	})
}

// add inserts the entry as the last member of its holder, and adds the holders that are missing.
func (f jsonObject) add(text []byte, path []string, e entryFields) ([]byte, error) {
	if blank(text) {
		return []byte(f.show(path, e)), nil
	}
	root, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	unit, holder := indentOf(text), &root
	for i, key := range path {
		o, ok := holder.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("line %d: %q is no object; mend the file, then run lspi setup again",
				1+bytes.Count(text[:holder.StartOffset], []byte("\n")), strings.Join(path[:i], "."))
		}
		n := member(o, key)
		if n < 0 {
			return apply(text, insertMember(text, holder, unit, key, func(indent string) string {
				return objects(path[i+1:], e, indent, unit)
			})...), nil
		}
		holder = &o.Members[n].Value
	}
	if _, ok := holder.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("line %d: %q is no object; mend the file, then run lspi setup again",
			1+bytes.Count(text[:holder.StartOffset], []byte("\n")), strings.Join(path, "."))
	}
	return apply(text, insertMember(text, holder, unit, name, func(indent string) string {
		return object(e, indent, unit)
	})...), nil
}

// insertMember returns the edits that put a member at the end of an object. value returns the text of its value, given
// the indentation of the line in which it begins.
func insertMember(text []byte, holder *hujson.Value, unit, key string, value func(indent string) string) []splice {
	o := holder.Value.(*hujson.Object)
	open := lineIndent(text, holder.StartOffset)
	line := func(indent string) string { return "\n" + indent + quoted(key) + ": " + value(indent) }
	if len(o.Members) == 0 {
		indent, last := open+unit, holder.EndOffset-1
		if before := bytes.TrimRight(text[:last], " \t\r\n"); bytes.ContainsRune(text[len(before):last], '\n') {
			return []splice{{len(before), len(before), line(indent)}}
		}
		return []splice{{last, last, line(indent) + "\n" + open}}
	}
	last := &o.Members[len(o.Members)-1]
	indent, end := lineIndent(text, last.Name.StartOffset), last.Value.EndOffset
	if !bytes.ContainsRune(text[end:holder.EndOffset], '\n') { // all in one line
		return []splice{{end, end, ", " + quoted(key) + ": " + oneLine(value(""))}}
	}
	if last.Value.AfterExtra != nil { // there is a trailing comma, so the new member gets one too
		comma := end + len(last.Value.AfterExtra) + 1
		at := comma + sameLine(o.AfterExtra)
		return []splice{{at, at, line(indent) + ","}}
	}
	at := end + sameLine(o.AfterExtra)
	if at == end {
		return []splice{{end, end, "," + line(indent)}}
	}
	return []splice{{end, end, ","}, {at, at, line(indent)}}
}

// oneLine returns a value in one line. Strings of JSON contain no line ends.
func oneLine(value string) string {
	lines := strings.Split(value, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " \t")
	}
	return strings.Join(lines, " ")
}

// sameLine returns the length of the comment that follows a value in the same line; 0 when there is none that ends
// there.
func sameLine(extra hujson.Extra) int {
	line, _, _ := bytes.Cut(extra, []byte("\n"))
	if !bytes.Contains(line, []byte("//")) &&
		(!bytes.Contains(line, []byte("/*")) || !bytes.Contains(line, []byte("*/"))) {
		return 0
	}
	return len(bytes.TrimRight(line, " \t\r"))
}

func lineIndent(text []byte, at int) string {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	end := start
	for end < at && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	return string(text[start:end])
}

// indentOf returns the indentation of one level: that of the first indented line, else two spaces.
func indentOf(text []byte) string {
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(trimmed); n > 0 && bytes.HasPrefix(trimmed, []byte(`"`)) {
			return string(line[:n])
		}
	}
	return "  "
}

func (f jsonObject) change(text []byte, path []string, fields entryFields) ([]byte, error) {
	root, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	holder := &root
	for _, key := range append(slices.Clone(path), name) {
		o := holder.Value.(*hujson.Object)
		holder = &o.Members[member(o, key)].Value
	}
	o := holder.Value.(*hujson.Object)
	var all []splice
	for _, field := range fields {
		n := member(o, field.key)
		if n < 0 {
			return nil, fmt.Errorf("the entry has no %q; mend it, then run lspi setup again", field.key)
		}
		v := o.Members[n].Value
		all = append(all, splice{v.StartOffset, v.EndOffset, rendered(field.value)})
	}
	return apply(text, all...), nil
}

// remove removes the entry. added is the outermost key that add has inserted; it is removed when it has become empty.
func (f jsonObject) remove(text []byte, path []string, added string) ([]byte, error) {
	keys := append(slices.Clone(path), name)
	for n := len(path); n >= 0; n-- {
		root, err := f.parse(text)
		if err != nil {
			return nil, err
		}
		o := root.Value.(*hujson.Object)
		for _, key := range keys[:n] {
			o = o.Members[member(o, key)].Value.Value.(*hujson.Object)
		}
		i := member(o, keys[n])
		if inner, ok := o.Members[i].Value.Value.(*hujson.Object); n < len(path) &&
			(!ok || len(inner.Members) > 0 || len(bytes.TrimSpace(inner.AfterExtra)) > 0) {
			return text, nil
		}
		text = apply(text, removeMember(text, o, i)...)
		if keys[n] == added {
			break
		}
	}
	return text, nil
}

// removeMember returns the edits that remove a member with its line and its comma. Comments around it stay.
func removeMember(text []byte, o *hujson.Object, i int) []splice {
	own := o.Members[i]
	before := len(bytes.TrimRight(text[:own.Name.StartOffset], " \t"))
	if before > 0 && text[before-1] == '\n' {
		before = len(bytes.TrimSuffix(text[:before-1], []byte("\r")))
	}
	last := i == len(o.Members)-1
	switch end := own.Value.EndOffset; {
	case !last || own.Value.AfterExtra != nil:
		end += len(own.Value.AfterExtra)
		return []splice{{before, own.Value.EndOffset, ""}, {end, end + 1, ""}}
	case i == 0:
		if rest := text[end:]; bytes.IndexByte(rest, '}') == len(rest)-len(bytes.TrimLeft(rest, " \t\r\n")) &&
			text[before-1] == '{' {
			end += bytes.IndexByte(rest, '}')
		}
		return []splice{{before, end, ""}}
	default:
		previous := o.Members[i-1].Value
		comma := previous.EndOffset + len(previous.AfterExtra)
		return []splice{{comma, comma + 1, ""}, {max(before, comma+1), end, ""}}
	}
}

func (f jsonObject) show(path []string, e entryFields) string {
	return objects(path, e, "", "  ") + "\n"
}

// objects returns nested objects for the keys; the innermost holds the entry.
func objects(keys []string, e entryFields, indent, unit string) string {
	key, value := name, ""
	if len(keys) == 0 {
		value = object(e, indent+unit, unit)
	} else {
		key, value = keys[0], objects(keys[1:], e, indent+unit, unit)
	}
	return "{\n" + indent + unit + quoted(key) + ": " + value + "\n" + indent + "}"
}

func object(e entryFields, indent, unit string) string {
	var lines []string
	for _, f := range e {
		lines = append(lines, indent+unit+quoted(f.key)+": "+rendered(f.value))
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n" + indent + "}"
}

// rendered returns a value as JSON, a list in one line.
func rendered(v any) string {
	if list, ok := v.([]string); ok {
		var out []string
		for _, s := range list {
			out = append(out, quoted(s))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail: a string, a boolean, a number, or a map of strings
	return strings.TrimSpace(b.String())
}

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSpace(b.String())
}
