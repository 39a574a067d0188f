package lsp

import (
	"os"
	"strings"
)

// settings are the server's settings with the packages of the project's own environment in them, where Setting names a
// place for their folders: a server that is not told of an environment looks at that of the program on PATH, and does not
// know what is installed beside the project. An environment that is active comes first, as do the user's own settings.
// Nothing of the environment is run. One that is active and lies in a workspace that is not trusted is hidden from the
// server, so that it counts as one that is only there.
func (p *Packages) settings(given map[string]any, root string, distrusted func(string) bool) map[string]any {
	if p == nil || p.Setting == "" {
		return given
	}
	for _, h := range p.Homes {
		if h.active() && !distrusted(os.Getenv(h.Variable)) {
			return given
		}
	}
	for _, h := range p.Homes {
		for _, home := range h.paths(root) {
			if folders := p.within(home); h.Folder != "" && len(folders) > 0 {
				return with(given, strings.Split(p.Setting, "."), folders)
			}
		}
	}
	return given
}
