package contract

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Members gives the members of a JSON object to use, in their order, until it returns false: the name as it stands there, with its quotes and escapes, and
// the value, both in the memory of object. It reports whether object is one, well formed by options, with nothing behind it, and use had all of it. It is
// for what an agent waits for in each call: decoding into a type takes several times as long when it has not been done for some milliseconds.
func Members(object []byte, use func(name, value jsontext.Value) bool, options ...jsontext.Options) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(object), options...)
	if begin, err := d.ReadToken(); err != nil || begin.Kind() != jsontext.KindBeginObject {
		return false
	}
	for d.PeekKind() == jsontext.KindString {
		name, err := d.ReadValue()
		if err != nil {
			return false
		}
		name = object[d.InputOffset()-int64(len(name)) : d.InputOffset()] // what the decoder returns holds until its next call only
		value, err := d.ReadValue()
		if err != nil {
			return false
		}
		value = object[d.InputOffset()-int64(len(value)) : d.InputOffset()]
		if !use(name, value) {
			return false
		}
	}
	if end, err := d.ReadToken(); err != nil || end.Kind() != jsontext.KindEndObject {
		return false
	}
	_, err := d.ReadToken()
	return errors.Is(err, io.EOF)
}

// PlainText is the text of a JSON string without escapes; false for every other value.
func PlainText(value jsontext.Value) (text string, ok bool) {
	if value.Kind() != jsontext.KindString || bytes.IndexByte(value, '\\') >= 0 {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}
