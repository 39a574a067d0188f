package rustanalyzer

import "lspi/internal/lang"

// macroTexts is [lsp.CoverageHooks].MacroTexts: a name in the text of a macro_rules! is neither among the references
// nor in the edit of a rename, and a function that uses the macro is no caller (rust-analyzer 1.97.1).
func macroTexts(content string, names []string) []int {
	return lang.RustMacroTexts(content, names)
}
