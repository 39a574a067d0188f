package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxJSONDepth bounds how deep a file may be nested.
const maxJSONDepth = 64

// decodeJSON reads a configuration file that is JSON, as the original lspi had them: the values as the TOML decoder
// has them, and where their keys stand. null is a key that is not there.
func decodeJSON(text string) (map[string]any, positions, error) {
	r := jsonReader{text: text, in: jsontext.NewDecoder(strings.NewReader(text)), at: positions{}}
	value, err := r.value("", 0)
	if err != nil {
		return nil, nil, err
	}
	if _, err := r.in.ReadToken(); err == nil {
		return nil, nil, errors.New("there is more behind the object")
	}
	values, ok := value.(map[string]any)
	if !ok {
		return nil, nil, errors.New("the file is not one object")
	}
	return values, r.at, nil
}

type jsonReader struct {
	text string
	in   *jsontext.Decoder
	at   positions
}

// value is the next value, whose key is path.
func (r *jsonReader) value(path string, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, errors.New("it is nested too deep")
	}
	switch r.in.PeekKind() {
	case '{':
		return r.object(path, depth)
	case '[':
		return r.array(path, depth)
	}
	token, err := r.in.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	}
	if n, err := strconv.ParseInt(token.String(), 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseFloat(token.String(), 64)
}

func (r *jsonReader) object(path string, depth int) (any, error) {
	if _, err := r.in.ReadToken(); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for r.in.PeekKind() != '}' {
		raw, err := r.in.ReadValue()
		if err != nil {
			return nil, err
		}
		name, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return nil, err
		}
		key := join(path, string(name))
		r.at[key] = positionAt(r.text, int(r.in.InputOffset())-len(raw))
		value, err := r.value(key, depth+1)
		if err != nil {
			return nil, err
		}
		if value != nil {
			out[string(name)] = value
		}
	}
	_, err := r.in.ReadToken()
	return out, err
}

func (r *jsonReader) array(path string, depth int) (any, error) {
	if _, err := r.in.ReadToken(); err != nil {
		return nil, err
	}
	out := []any{}
	for r.in.PeekKind() != ']' {
		value, err := r.value(index(path, len(out)), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	_, err := r.in.ReadToken()
	return out, err
}

// jsonFinding has the place of a syntax error. Its words may quote a byte of the text and no more.
func jsonFinding(text string, err error) Finding {
	f := Finding{Severity: SeverityError, Kind: FindingSyntax, Message: fmt.Sprintf("not valid JSON: %v", err)}
	var wrong *jsontext.SyntacticError
	if !errors.As(err, &wrong) {
		return f
	}
	at := positionAt(text, int(wrong.ByteOffset))
	f.Line, f.Column = at.line, at.column
	f.Message = "not valid JSON"
	if wrong.Err != nil && !strings.Contains(string(wrong.JSONPointer), "env") {
		f.Message += ": " + wrong.Err.Error()
	}
	return f
}
