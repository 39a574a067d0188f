package contract

import (
	"runtime"
	"strings"
)

// ShellWord returns text as one word of a command line for the shell of this system.
func ShellWord(text string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || r == '/' || r == '+' || r == ',' || r == ':' || r == '@' ||
			r == '=' ||
			'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	switch {
	case text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0:
		return text
	case runtime.GOOS == "windows":
		return `"` + text + `"` // a quote cannot be in the name of a file there
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
