package config

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
)

// finishServers puts the values of variables into the MCP servers, and finds fault with those that cannot be used.
// What is wrong with one costs nobody else anything, so it is a warning.
func (l *loader) finishServers(c *Config) {
	for _, id := range slices.Sorted(maps.Keys(c.MCPServers)) {
		s := c.MCPServers[id]
		file := l.fileOf("mcp_servers." + id)
		s.File = file.Path
		if s.Command == "" && s.URL == "" && !file.Trusted {
			delete(c.MCPServers, id) // all that is left of one that is not trusted
			continue
		}
		wrong := func(key, format string, args ...any) {
			message := fmt.Sprintf(format, args...)
			if s.Broken == "" {
				s.Broken = message
			}
			file.findAt(SeverityWarning, FindingBadValue, strings.TrimSuffix("mcp_servers."+id+"."+key, "."), "",
				"the MCP server %s is not used: %s", id, message)
		}
		l.resolveVariables(s, wrong)
		switch {
		case s.Command == "" && s.URL == "":
			wrong("", "it has neither command nor url")
		case s.Command != "" && s.URL != "":
			wrong("url", "it has both command and url")
		case s.URL != "" && !isHTTP(s.URL):
			wrong("url", "url must begin with http:// or https://")
		}
		s.CwdGiven = s.Cwd != ""
		if s.Cwd = filepath.FromSlash(s.Cwd); s.Cwd == "" {
			s.Cwd = l.root
		}
		s.Cwd = source.Absolute(l.root, s.Cwd)
	}
	c.UntrustedServers = l.untrustedServers(c.MCPServers)
}

// untrustedServers are those of which a file that is not trusted names the program or the URL, beside the ones that
// there are.
func (l *loader) untrustedServers(known map[string]*MCPServer) (out []UntrustedServer) {
	for _, layer := range l.layers {
		for _, key := range layer.stripped[""] {
			of, ok := strings.CutPrefix(key, "mcp_servers.")
			id, name, _ := strings.Cut(of, ".") // an id has no dot
			if !ok || name != "command" && name != "url" || known[id] != nil ||
				slices.ContainsFunc(out, func(s UntrustedServer) bool {
					return s.ID == id
				}) {
				continue
			}
			out = append(out, UntrustedServer{ID: id, File: layer.Path, Command: trust.Command(layer.Path)})
		}
	}
	slices.SortFunc(out, func(a, b UntrustedServer) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func isHTTP(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// fileOf is the highest file that has a key.
func (l *loader) fileOf(key string) *layer {
	for _, layer := range slices.Backward(l.layers) {
		if _, ok := find[map[string]any](layer.values, key); ok {
			return layer
		}
	}
	return newLayer("", "")
}

// variable is ${VAR} in a value.
var variable = source.LazyRegexp(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// noSecrets are variables whose values stand in most paths: masked they would make logs and events unreadable.
var noSecrets = []string{"HOME", "USER", "LOGNAME", "PWD", "TMPDIR", "TMP", "TEMP", "USERPROFILE", "USERNAME",
	"APPDATA", "LOCALAPPDATA",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}

// resolveVariables replaces the variables in all strings of a server.
func (l *loader) resolveVariables(s *MCPServer, wrong func(key, format string, args ...any)) {
	in := func(key, value string) string {
		return variable.ReplaceAllStringFunc(value, func(found string) string {
			name := found[2 : len(found)-1]
			is := l.Getenv(name)
			switch {
			case is == "":
				wrong(key, "the variable %s in %s is not set", name, key)
			case !slices.Contains(noSecrets, name):
				s.Secrets = append(s.Secrets, is)
			}
			return is
		})
	}
	s.Command, s.Cwd, s.URL = in("command", s.Command), in("cwd", s.Cwd), in("url", s.URL)
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		s.Args[i] = in("args", s.Args[i])
	}
	// In a fixed order: two readings of the same files have to give the same server, or it would be started anew.
	for _, table := range []struct {
		key string
		of  *map[string]string
	}{{"env", &s.Env}, {"headers", &s.Headers}} {
		values := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(*table.of)) {
			values[in(table.key, name)] = in(table.key, (*table.of)[name])
		}
		*table.of = values
	}
	if s.TokenEnv != "" {
		if s.Token = l.Getenv(s.TokenEnv); s.Token == "" {
			wrong("token_env", "the variable %s of token_env is not set", s.TokenEnv)
		}
	}
}
