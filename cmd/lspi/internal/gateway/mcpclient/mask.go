package mcpclient

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const masked = "***"

// Mask takes secrets out of texts. The zero Mask takes none out.
type Mask struct{ secrets []string } // the longest first

// wordOnly is the length below which a secret is masked only where it stands as a word of its own: otherwise the
// value "1" of a variable would make a text unreadable.
const wordOnly = 8

// public are values of variables that are no secrets, in any length.
var public = []string{"true", "false", "yes", "none", "null", "info", "warn", "error", "debug", "production",
	"development", "test"}

// NewMask knows the secrets of specs: values of Env and Secrets (words such as true, and those of 3 characters and
// less, are none), values of headers, the token, user and query of the URL. Each is also known as it looks in JSON
// and in a URL. One mask for several specs hides a secret that begins as another one does.
func NewMask(specs ...*Spec) *Mask {
	var all []string
	for _, s := range specs {
		all = append(all, s.secrets()...)
	}
	for _, secret := range all {
		for line := range strings.Lines(secret) { // such as a key: what is told line by line has no whole one
			if line = strings.TrimSpace(line); len(line) >= wordOnly && line != secret {
				all = append(all, line)
			}
		}
	}
	m := &Mask{}
	for _, secret := range all {
		quoted, _ := json.Marshal(secret)
		for _, form := range []string{secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret),
			url.PathEscape(secret)} {
			if form != "" && !slices.Contains(m.secrets, form) {
				m.secrets = append(m.secrets, form)
			}
		}
	}
	slices.SortStableFunc(m.secrets, func(a, b string) int { return len(b) - len(a) })
	return m
}

// secrets returns what is secret in a spec, as it stands there.
func (s *Spec) secrets() []string {
	var all []string
	for _, v := range slices.AppendSeq(slices.Clone(s.Secrets), maps.Values(s.Env)) {
		if len(v) > 3 && !slices.Contains(public, strings.ToLower(v)) {
			all = append(all, v)
		}
	}
	for _, v := range s.Headers {
		all = append(all, v)
		if _, secret, ok := strings.Cut(v, " "); ok { // the scheme of Authorization
			all = append(all, secret)
		}
	}
	all = append(all, s.Token)
	if u, err := url.Parse(s.URL); err == nil {
		if u.User != nil {
			password, _ := u.User.Password()
			all = append(all, u.User.String(), u.User.Username(), password)
		}
		for _, values := range u.Query() {
			all = append(all, values...)
		}
	}
	return all
}

// Text returns a text with *** in the place of each secret.
func (m *Mask) Text(s string) string {
	for _, secret := range m.secrets {
		if strings.Contains(s, secret) {
			s = hide(s, secret)
		}
	}
	return s
}

// leastPart is the least that is taken for a part of a secret.
const leastPart = 3

// Part masks a text that was cut out of another one and may begin or end within a secret: that piece of the secret
// becomes *** too.
func (m *Mask) Part(s string) string {
	s = m.Text(s)
	body, ellipsis := strings.CutSuffix(s, "…")
	begin, end := 0, len(body)
	for _, secret := range m.secrets {
		for n := min(len(secret)-1, len(body)); n >= leastPart; n-- {
			if strings.HasSuffix(body, secret[:n]) {
				end = min(end, len(body)-n)
			}
			if strings.HasPrefix(body, secret[len(secret)-n:]) {
				begin = max(begin, n)
			}
		}
	}
	if begin >= end && (begin > 0 || end < len(body)) {
		return masked
	}
	if begin > 0 {
		body, end = masked+body[begin:], end+len(masked)-begin
	}
	if end < len(body) {
		body = body[:end] + masked
	}
	if ellipsis {
		body += "…"
	}
	return body
}

// hide replaces a secret by ***; a short one only where it stands as a word of its own.
func hide(s, secret string) string {
	if len(secret) >= wordOnly {
		return strings.ReplaceAll(s, secret, masked)
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, secret)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		left, _ := utf8.DecodeLastRuneInString(before)
		right, _ := utf8.DecodeRuneInString(after)
		if isWord(left) || isWord(right) {
			b.WriteString(secret)
		} else {
			b.WriteString(masked)
		}
		s = after
	}
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// JSON returns a JSON value with its secrets masked.
func (m *Mask) JSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	if hidden := m.Text(string(raw)); hidden != string(raw) {
		if !json.Valid([]byte(hidden)) { // such as a number that was one
			quoted, _ := json.Marshal(hidden)
			return quoted
		}
		return json.RawMessage(hidden)
	}
	return raw
}
