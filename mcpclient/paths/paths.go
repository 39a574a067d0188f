// Package paths maps the paths of two machines onto each other in JSON: those of lspi's machine (local) and those of the machine where an
// MCP server runs (remote). It is pure.
package paths

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Map maps paths both ways. The zero Map maps nothing.
type Map struct {
	out []root // local to remote, the longest first
	in  []root // remote to local, the longest first
}

// root is one root of one side, as it stands in a text, and what takes its place. Paths and URIs have a root each, as URIs escape characters.
type root struct{ from, to string }

// New is the map of remote roots to local ones. Both are absolute and none is the root of a file system, which would make a path of every
// slash in a text. A local root may belong to two remote ones; then the first in the order of their names is what it becomes.
func New(remoteToLocal map[string]string) (Map, error) {
	var m Map
	remotes := make([]string, 0, len(remoteToLocal))
	for remote := range remoteToLocal {
		remotes = append(remotes, remote)
	}
	slices.Sort(remotes)
	for _, r := range remotes {
		remote, local := path.Clean(r), path.Clean(remoteToLocal[r])
		for _, p := range []string{remote, local} {
			if !path.IsAbs(p) || p == "/" {
				return Map{}, fmt.Errorf("paths: %q = %q: both have to be absolute and more than /", r, remoteToLocal[r])
			}
		}
		m.out = append(m.out, both(local, remote)...)
		m.in = append(m.in, both(remote, local)...)
	}
	for _, side := range [][]root{m.out, m.in} {
		slices.SortStableFunc(side, func(a, b root) int { return len(b.from) - len(a.from) })
	}
	return m, nil
}

// both are the roots of one pair: as a path, and as the path of a URI where that is written differently.
func both(from, to string) []root {
	roots := []root{{from, to}}
	if e := escaped(from); e != from || escaped(to) != to {
		roots = append([]root{{scheme + e, scheme + escaped(to)}}, roots...)
	}
	return roots
}

const scheme = "file://"

func escaped(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// Empty says whether there is nothing to map.
func (m Map) Empty() bool { return len(m.out) == 0 }

// ToRemote maps a string that is a local root, or begins with one and a slash, or is a file URI of such a path.
func (m Map) ToRemote(s string) string { return start(m.out, s) }

// ToLocal maps every path below a remote root that stands in a text at the boundaries of a path.
func (m Map) ToLocal(s string) string { return within(m.in, s) }

// Covers reports whether ToRemote finds a local root in a string, also where the remote one is the same.
func (m Map) Covers(s string) bool {
	_, ok := find(m.out, s)
	return ok
}

// Out maps every string of a JSON value as ToRemote does, the names of members too.
func (m Map) Out(raw json.RawMessage) json.RawMessage { return m.rewrite(raw, m.ToRemote) }

// In maps every string of a JSON value as ToLocal does, the names of members too. The base64 of images and blobs stays.
func (m Map) In(raw json.RawMessage) json.RawMessage { return m.rewrite(raw, m.ToLocal) }

// start maps the beginning of a string.
func start(roots []root, s string) string {
	mapped, _ := find(roots, s)
	return mapped
}

// find is a string whose beginning is mapped; false when no root is there.
func find(roots []root, s string) (mapped string, ok bool) {
	prefix, rest := "", s
	if r, ok := strings.CutPrefix(s, scheme); ok {
		prefix, rest = scheme, r
		rest = strings.TrimPrefix(rest, "localhost")
	}
	for _, r := range roots {
		for _, f := range [2]struct{ prefix, text string }{{"", s}, {prefix, rest}} {
			after, ok := strings.CutPrefix(f.text, r.from)
			if ok && (after == "" || after[0] == '/') {
				return f.prefix + r.to + after, true
			}
		}
	}
	return s, false
}

// within maps each occurrence of a root at the boundaries of a path. What was mapped is not looked at again: a local root may lie below a
// remote one.
func within(roots []root, s string) string {
	if !slices.ContainsFunc(roots, func(r root) bool { return strings.Contains(s, r.from) }) {
		return s
	}
	var b strings.Builder
	last := 0
	for i := 0; i < len(s); {
		r, ok := at(roots, s, i)
		if !ok {
			i++
			continue
		}
		b.WriteString(s[last:i])
		b.WriteString(r.to)
		i += len(r.from)
		last = i
	}
	return b.String() + s[last:]
}

// at is the longest root that stands at i.
func at(roots []root, s string, i int) (root, bool) {
	if s[i] != '/' && s[i] != 'f' { // of file://
		return root{}, false
	}
	for _, r := range roots {
		if strings.HasPrefix(s[i:], r.from) && begins(s[:i]) && ends(s[i+len(r.from):]) {
			return r, true
		}
	}
	return root{}, false
}

// begins says whether a path may begin behind a text: not within a word, a longer path or a URL other than that of a file.
func begins(before string) bool {
	if before == "" || strings.HasSuffix(before, scheme) || strings.HasSuffix(before, scheme+"localhost") {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return !partOfPath(r) && !strings.ContainsRune("/.~)]}\\", r)
}

// ends says whether a root ends where a text begins: at a slash, or at what is no part of a name. A dot ends it where a sentence does.
func ends(after string) bool {
	if after == "" || after[0] == '/' {
		return true
	}
	r, n := utf8.DecodeRuneInString(after)
	if r == '.' {
		next, _ := utf8.DecodeRuneInString(after[n:])
		return next == utf8.RuneError || unicode.IsSpace(next)
	}
	return !partOfPath(r)
}

func partOfPath(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-+~@%$", r)
}

// binary are members whose strings are base64 (MCP 2025-11-25, ImageContent and BlobResourceContents).
var binary = []string{"data", "blob"}

// rewrite maps the strings of a JSON value. Everything else stays byte by byte, the order of members and the digits of numbers too. What is
// no JSON stays as it is.
func (m Map) rewrite(raw json.RawMessage, f func(string) string) json.RawMessage {
	if m.Empty() || len(raw) == 0 {
		return raw
	}
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), options...)
	var b bytes.Buffer
	last, name, changed := int64(0), "", false
	for {
		before := dec.InputOffset()
		kind, n := dec.StackIndex(dec.StackDepth())
		isName := kind == '{' && n%2 == 0
		t, err := dec.ReadToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return raw
		}
		if t.Kind() != '"' {
			continue
		}
		s := t.String()
		if isName {
			name = s
		}
		if !isName && kind == '{' && slices.Contains(binary, name) && !strings.HasPrefix(s, "/") {
			continue
		}
		mapped := f(s)
		if mapped == s {
			continue
		}
		end := dec.InputOffset()
		quote := before + int64(bytes.IndexByte(raw[before:end], '"'))
		b.Write(raw[last:quote])
		quoted, _ := jsontext.AppendQuote(nil, mapped)
		b.Write(quoted)
		last, changed = end, true
	}
	if !changed {
		return raw
	}
	b.Write(raw[last:])
	return b.Bytes()
}
