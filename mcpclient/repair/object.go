package repair

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient lets through what encoding/json lets through: the members of a server's object are its own affair.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// object is a JSON object with its members in their order, so that one member can be mended and the others stay as they were sent.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

var errNoObject = errors.New("no object")

func parseObject(raw []byte) (object, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), lenient...)
	if d.PeekKind() != '{' {
		return nil, errNoObject
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	o := object{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		m.value = json.RawMessage(bytes.Clone(value))
		o = append(o, m)
	}
	return o, nil
}

// get is the value of a member; nil when there is none, or null.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name && string(m.value) != "null" {
			return m.value
		}
	}
	return nil
}

// text is a member that is a string.
func (o object) text(name string) (string, bool) {
	var s *string
	if json.Unmarshal(o.get(name), &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// with sets a member, in its place when it is there and at the end otherwise.
func (o object) with(name string, value json.RawMessage) object {
	i := slices.IndexFunc(o, func(m member) bool { return m.name == name })
	if i < 0 {
		return append(slices.Clip(o), member{name, value})
	}
	o = slices.Clone(o)
	o[i].value = value
	return o
}

func (o object) without(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(names, m.name) })
}

func (o object) encode() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// quote is a string as JSON, with <, > and & as they are.
func quote(s string) json.RawMessage {
	raw, _ := jsontext.AppendQuote(nil, s) // the error tells of invalid UTF-8, which is replaced
	return raw
}

// elements are those of an array; false when raw is none.
func elements(raw json.RawMessage) ([]json.RawMessage, bool) {
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	return list, true
}

func array(list []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte("["), bytes.Join(asBytes(list), []byte(",")), []byte("]"))
}

func asBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, e := range list {
		out[i] = e
	}
	return out
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
