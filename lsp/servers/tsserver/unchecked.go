package tsserver

import (
	"path/filepath"

	"lspi/internal/lang"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
)

// checkComment matches the comment by which a source switches the check of its types.
var checkComment = source.LazyRegexp(`(?m)^\s*(?://|/?\*+)\s*@ts-(check|nocheck)\b`)

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
			return !typescript.ChecksScripts(config)
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// scriptEnd matches the path of a script.
var scriptEnd = source.LazyRegexp(`\.[cm]?jsx?$`)
