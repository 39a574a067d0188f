package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"lspi/internal/source"
)

// Three kinds of secrets are never written, at no level: what the configuration knows as one (Options.Mask), what
// stands in an argument or a result below a name that says so, and what stands in a text behind such a name. What
// stood so in the arguments of a request is hidden in all of its lines, since answers and errors repeat arguments.
//
// They are looked for in the members that hold texts from outside: arguments, result, message, reason, id, and the
// tool and name that are a URI. The values of the others are words of lspi or of an interface, and written as they
// are.

// hidden stands in the place of a secret.
const hidden = "***"

// secretWords are those that make a name the name of a secret, in any case, as a part of it.
var secretWords = []string{"token", "secret", "password", "passwd", "passphrase", "key", "authorization", "credential",
	"cookie"}

func namesSecret(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// The forms that secrets have in a text. A word behind a name counts when it is longer than most code that stands
// there.
var (
	scheme   = source.LazyRegexp(`(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}`)
	assigned = source.LazyRegexp(
		`(?i)([\w-]*(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credential)[\w-]*\\?["']?\s*[=:]\s*\\?["']?)[^\s"'&,;)}\]\\]{4,}`)
	userinfo = source.LazyRegexp(`://[^/@\s"']+@`)
)

// mask takes secrets out. The zero value takes out those that are one by their form.
type mask struct {
	known   func(string) string // nil knows none
	secrets []string
}

// text is a text without secrets.
func (m mask) text(s string) string {
	if s == "" {
		return s
	}
	for _, secret := range m.secrets {
		s = strings.ReplaceAll(s, secret, hidden)
	}
	if m.known != nil {
		s = m.known(s)
	}
	s = scheme.ReplaceAllString(s, "$1 "+hidden)
	s = assigned.ReplaceAllString(s, "${1}"+hidden)
	return userinfo.ReplaceAllString(s, "://"+hidden+"@")
}

// Arguments are the arguments of a program without secrets: those of a form that says so (--token=x), and what follows
// the name of a secret (--token x).
func Arguments(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = mask{}.text(arg)
		if i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.HasPrefix(arg, "-") && namesSecret(args[i-1]) &&
			!strings.Contains(args[i-1], "=") {
			out[i] = hidden
		}
	}
	return out
}

// short is the beginning of a text, without secrets. Of a long one only as much is looked at as may be needed; its
// last word, which that cut may have made a part of a secret that nobody knows any more, is left out.
func (m mask) short(s string, most int) string {
	if len(s) <= 4*most {
		return cut(m.text(s), most)
	}
	s = m.text(cut(s, 4*most))
	if whole := strings.LastIndexAny(s, " \t\n") + 1; whole <= most {
		return s[:whole] + "…"
	}
	return cut(s, most)
}

// value is JSON without secrets. A longer one than most is a string with its beginning, and so is what is no JSON;
// nothing stays nothing.
func (m mask) value(raw []byte, most int) (out json.RawMessage, shortened bool) {
	if len(raw) == 0 {
		return nil, false
	}
	out, err := m.json(raw)
	if err == nil && len(out) <= most {
		return out, false
	}
	text := string(out)
	if err != nil {
		text = m.text(string(raw))
	}
	out, _ = json.Marshal(cut(text, most)) // of a string
	return out, len(text) > most
}

// json is JSON without secrets, in the order in which it was.
func (m mask) json(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	e := jsontext.NewEncoder(&b, append(options, jsontext.Multiline(false))...)
	err := walk(raw, func(t jsontext.Token, name, secret bool) error {
		switch {
		case name, t.Kind() == '"' && !secret:
			t = jsontext.String(m.text(t.String()))
		case secret && (t.Kind() == '"' || t.Kind() == '0'):
			t = jsontext.String(hidden)
		}
		return e.WriteToken(t)
	})
	return bytes.TrimSpace(b.Bytes()), err
}

// shortest is the length below which a secret of the arguments is not looked for elsewhere: a text without all
// words of that length would say nothing.
const shortest = 4

// secretsIn are the secrets that arguments hold below names that say so, the longest first: one may be a part of
// another.
func secretsIn(arguments []byte) (out []string) {
	if len(arguments) > maxRead {
		return nil // nor are they written
	}
	_ = walk(arguments, func(t jsontext.Token, name, secret bool) error {
		if secret && !name && (t.Kind() == '"' || t.Kind() == '0') && len(t.String()) >= shortest {
			out = append(out, t.String())
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// walk visits the tokens of one JSON value. name is set for the name of a member, secret for what stands below one
// that is the name of a secret, and for the value of a pair like {"name": "Authorization", "value": …}.
func walk(raw []byte, visit func(t jsontext.Token, name, secret bool) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var open []level // what the decoder is in
	for {
		t, err := d.ReadToken()
		if err != nil {
			return err
		}
		var in *level
		if len(open) > 0 {
			in = &open[len(open)-1]
		}
		switch kind := t.Kind(); {
		case kind == '}' || kind == ']':
			open = open[:len(open)-1]
			err = visit(t, false, false)
		case in != nil && in.object && !in.named:
			in.name, in.named = strings.ToLower(t.String()), true
			if err := visit(t, true, false); err != nil {
				return err
			}
			continue
		default:
			secret := in != nil && (in.secret || in.object && (namesSecret(in.name) || in.pair && in.name == "value"))
			if in != nil && in.object && in.name == "name" && kind == '"' {
				in.pair = namesSecret(t.String())
			}
			if in != nil {
				in.named = false
			}
			if kind == '{' || kind == '[' {
				open = append(open, level{object: kind == '{', secret: secret}) // in is of no use from here on
			}
			err = visit(t, false, secret)
		}
		if err != nil {
			return err
		}
		if len(open) == 0 {
			if _, err := d.ReadToken(); err != io.EOF {
				return errors.New("text behind the value")
			}
			return nil
		}
	}
}

// level is an object or an array within a value.
type level struct {
	object bool
	secret bool   // all of it
	pair   bool   // its member "name" is the name of a secret
	named  bool   // the name of a member was read, and its value was not
	name   string // of the member, in lower case
}
