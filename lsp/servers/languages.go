package servers

import "lspi/internal/lang"

// OptionalLanguage reports whether a language, by its LSP identifier, is one that stands beside the code: no
// workspace needs a server for it.
func OptionalLanguage(languageID string) bool { return lang.ByID(languageID).Optional }
