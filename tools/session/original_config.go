package session

import (
	"strings"
	"unicode"
)

// OriginalVariables are those that named the program of a server, by the row of the catalogue.
var OriginalVariables = map[string]string{
	"rust-analyzer": "LSPI_RUST_ANALYZER_COMMAND",
	"omnisharp":     "LSPI_OMNISHARP_COMMAND",
	"pyright":       "LSPI_PYRIGHT_COMMAND",
	"basedpyright":  "LSPI_BASEDPYRIGHT_COMMAND",
}

// kinds are what servers[].kind called rows of the catalogue, folded.
var kinds = map[string]string{"rust": "rust_analyzer", "csharp": "omnisharp", "lsp": "generic"}

// adapters are what servers[].adapter called rows of the catalogue, folded and without separators; "" is none.
var adapters = map[string]string{"default": "", "none": "", "tsserver": "typescript_language_server",
	"typescript":               "typescript_language_server",
	"typescriptlanguageserver": "typescript_language_server", "vuelanguageserver": "vue"}

// contexts are what mcp.context and --context called contexts.
var contexts = map[string]string{"default": "full", "nav": "navigation", "read": "navigation", "readonly": "navigation"}

// OriginalKind returns today's word for a kind of the original; any other word stays.
func OriginalKind(word string) string {
	return today(kinds, strings.ReplaceAll(fold(word), "-", "_"), word)
}

// OriginalAdapter returns today's word for an adapter of the original, "" for none; any other word
// stays.
func OriginalAdapter(word string) string {
	return today(adapters, strings.NewReplacer("-", "", "_", "").Replace(fold(word)), word)
}

// OriginalContext returns today's word for a context of the original; any other word stays.
func OriginalContext(word string) string {
	return today(contexts, strings.NewReplacer("-", "", "_", "").Replace(fold(word)), word)
}

// fold makes words comparable that people write with other case or spaces.
func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// today returns today's word for a folded one; word itself when there is none.
func today(words map[string]string, folded, word string) string {
	if now, known := words[folded]; known {
		return now
	}
	return word
}

// OriginalKey returns a key in today's form: readOnly becomes read_only, and environment, which servers
// had beside env, becomes env. Any other key stays.
func OriginalKey(key string) string {
	if key == "environment" {
		return "env"
	}
	var b strings.Builder
	for i, r := range key {
		if unicode.IsUpper(r) {
			if i > 0 {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
