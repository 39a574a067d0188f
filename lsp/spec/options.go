package spec

import (
	"maps"
	"strings"
)

// Merge returns base with over laid over it, object by object. It changes neither.
func Merge(base, over map[string]any) map[string]any {
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
				out[k] = Merge(have, sub)
				continue
			}
		}
		out[k] = v
	}
	return out
}

// Default is settings with a value at a path, unless something is set there. settings itself is not changed.
func Default(settings map[string]any, path []string, value any) map[string]any {
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
	out[path[0]] = Default(below, path[1:], value)
	return out
}

// At looks a dotted section up: the longest key that names the section or its beginning wins. "" is all of the
// settings.
func At(settings map[string]any, name string) any {
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
			if v := At(sub, name[i+1:]); v != nil {
				return v
			}
		}
	}
	return nil
}

// Set is settings with a value at a path, laid over what is set there. settings itself is not changed.
func Set(settings map[string]any, path []string, value any) map[string]any {
	var over any = value
	for i := len(path) - 1; i >= 0; i-- {
		over = map[string]any{path[i]: over}
	}
	return Merge(settings, over.(map[string]any))
}
