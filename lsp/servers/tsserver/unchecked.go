package tsserver

import (
	"path/filepath"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// The comments by which a source switches the check of its types, and how a project file does it for scripts.
var (
	checkComment = source.LazyRegexp(`(?m)^\s*(?://|/?\*+)\s*@ts-(check|nocheck)\b`)
	checkScripts = source.LazyRegexp(`"checkJs"\s*:\s*(true|false)`)
	extended     = source.LazyRegexp(`"extends"\s*:\s*"(\.[^"]*)"`)
)

// maxExtends bounds the project files that extend each other.
const maxExtends = 8

// unchecked is [lsp.EditHooks].Unchecked: tsserver reports no unknown name in a script, unless its project or a comment
// in it wants that.
func (a *Process) unchecked(text *source.Text) bool {
	content := text.Content()
	if m := checkComment.FindStringSubmatch(content[:min(len(content), lang.MaxScanned)]); m != nil {
		return m[1] == "nocheck"
	}
	if !scriptEnd.MatchString(text.Path) {
		return false
	}
	for dir := filepath.Dir(text.Path); ; dir = filepath.Dir(dir) {
		if config := configIn(a.Server.Spec().Project, dir); config != "" {
			return !checksScripts(config)
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// scriptEnd matches the path of a script.
var scriptEnd = source.LazyRegexp(`\.[cm]?jsx?$`)

// checksScripts reports whether a project file, or one that it extends by a path, has scripts checked.
func checksScripts(config string) bool {
	for range maxExtends {
		content, err := source.ReadBytes(config)
		if err != nil {
			return false
		}
		if m := checkScripts.FindStringSubmatch(string(content)); m != nil {
			return m[1] == "true"
		}
		m := extended.FindStringSubmatch(string(content))
		if m == nil {
			return false
		}
		config = filepath.Join(filepath.Dir(config), filepath.FromSlash(m[1]))
		if !strings.HasSuffix(config, ".json") {
			config += ".json"
		}
	}
	return false
}
