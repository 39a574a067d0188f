package lsp

import (
	_ "embed"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
)

// match finds the language of a base name and how specific the match is (the length of what matched; whole names win).
func (s *Spec) match(base string) (id string, weight int) {
	lower := strings.ToLower(base)
	for _, l := range s.Languages {
		for _, name := range l.FileNames {
			if name == base && len(name)+1000 > weight {
				id, weight = l.ID, len(name)+1000
			}
		}
		for _, ext := range l.Extensions {
			dot := len(lower) - len(ext) - 1
			if dot > 0 && len(ext) > weight && lower[dot] == '.' && lower[dot+1:] == ext {
				id, weight = l.ID, len(ext)
			}
		}
	}
	return id, weight
}

// Serves reports whether the server handles a file of this base name.
func (s *Spec) Serves(base string) bool { return s.LanguageID(base) != "" }

// Extensions lists every extension of every language, in the order of the row.
func (s *Spec) Extensions() []string {
	var out []string
	for _, l := range s.Languages {
		out = append(out, l.Extensions...)
	}
	return out
}

// overlay lays over onto base, object by object; neither is changed.
func overlay(base, over map[string]any) map[string]any {
	if len(over) == 0 {
		return base
	}
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	for k, v := range over {
		if sub, ok := v.(map[string]any); ok {
			if have, ok := out[k].(map[string]any); ok {
				out[k] = overlay(have, sub)
				continue
			}
		}
		out[k] = v
	}
	return out
}

// with is settings with a value at a path, where there is none yet. What was given stays as it was.
func with(settings map[string]any, path []string, value any) map[string]any {
	out := maps.Clone(settings)
	if out == nil {
		out = map[string]any{}
	}
	if len(path) == 1 {
		if _, set := out[path[0]]; !set {
			out[path[0]] = value
		}
		return out
	}
	below, _ := out[path[0]].(map[string]any)
	out[path[0]] = with(below, path[1:], value)
	return out
}

// ShortVersion is the version in what a server or its --version says of itself, without a leading v: gopls 0.23.0 puts
// 9 kB of build information there as JSON, others their name, build and platform. Where no word looks like a version it
// is the first line.
func ShortVersion(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		var build struct{ Main struct{ Version string } } // as runtime/debug.BuildInfo
		if json.Unmarshal([]byte(text), &build) == nil && build.Main.Version != "" {
			text = build.Main.Version
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	for _, word := range strings.Fields(line) {
		plain := strings.TrimPrefix(word, "v")
		if plain != "" && plain[0] >= '0' && plain[0] <= '9' && strings.Contains(plain, ".") {
			return Cut(strings.TrimRight(plain, ",;"), maxVersion)
		}
	}
	return Cut(strings.TrimSpace(line), maxVersion)
}

// maxVersion bounds a version that is shown.
const maxVersion = 60

// Cut shortens s to at most n bytes at a rune boundary.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// section looks a dotted section up: the longest key that names the section or its beginning wins. "" is all of the
// settings.
func section(settings map[string]any, name string) any {
	if name == "" {
		if settings == nil {
			return nil
		}
		return settings
	}
	if v, ok := settings[name]; ok {
		return v
	}
	for i := strings.LastIndexByte(name, '.'); i >= 0; i = strings.LastIndexByte(name[:i], '.') {
		if sub, ok := settings[name[:i]].(map[string]any); ok {
			if v := section(sub, name[i+1:]); v != nil {
				return v
			}
		}
	}
	return nil
}

func baseName(path string) string { return filepath.Base(path) }

// given is nil for what is not there or null.
func given(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return Cut(line, 300)
}
