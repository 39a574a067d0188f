// Package paths maps the paths of two machines onto each other in JSON: those of lspi's machine (local) and those of the machine where an
// MCP server runs (remote). It is pure.
//
// Either machine may have Windows: then a tree is a folder of a drive, whose letters have no case, in all the ways in which it stands in a text (C:\src,
// C:/src, C:\\src where the text is JSON, file:///C:/src, file:///c%3A/src), and the separators behind it are mapped as well. How far such a path goes is
// known where it is a whole string, or stands in quotes; in the middle of a sentence it ends with the first space.
package paths

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Map maps paths both ways. The zero Map maps nothing.
type Map struct {
	out []root // local to remote, the longest first
	in  []root // remote to local, the longest first
}

// New is the map of remote roots to local ones. Both are absolute and none is the root of a file system or drive, which would make a path of every
// slash in a text, or a share of a network. A local root may belong to two remote ones; then the first in the order of their names is what it becomes.
func New(remoteToLocal map[string]string) (Map, error) {
	var m Map
	remotes := make([]string, 0, len(remoteToLocal))
	for remote := range remoteToLocal {
		remotes = append(remotes, remote)
	}
	slices.Sort(remotes)
	for _, r := range remotes {
		remote, ok := treeOf(r)
		local, also := treeOf(remoteToLocal[r])
		if !ok || !also {
			return Map{}, mistake(r, remoteToLocal[r])
		}
		m.out = append(m.out, rootsOf(local, remote, true)...)
		m.in = append(m.in, rootsOf(remote, local, false)...)
	}
	inOrder(m.out)
	inOrder(m.in)
	return m, nil
}

// Empty says whether there is nothing to map.
func (m Map) Empty() bool { return len(m.out) == 0 }

// ToRemote maps a string that is a local root, or begins with one and a slash, or is a file URI of such a path.
func (m Map) ToRemote(s string) string {
	mapped, _ := find(m.out, s)
	return mapped
}

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
