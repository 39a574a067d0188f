package lang

import (
	"errors"
	"strings"

	"github.com/BurntSushi/toml"
)

// Bounds of a TOML file in a repository. The decoder recurses for each bracket (3 MB of them overflow the stack, which
// no recover catches), and keeps the whole path of each key, as text and in parts, so that its memory grows with the
// square of a path's length (BurntSushi/toml 1.6.0: a key of 500,000 parts took 10 GB; 59 KB with a table name of 20 KB
// took 100 MB).
const (
	maxTOMLBytes   = 4 << 20
	maxTOMLNesting = 200
	maxTOMLPaths   = 5 << 20 // weight of the paths of all keys, tables above them included; see pathWeight
)

// pathWeight returns what a key takes in memory, in units of 16 bytes: a string header for each of its parts, and its
// text.
func pathWeight(dots, length int) int { return dots + 1 + length/16 }

var errTOMLBounds = errors.New("larger, or nested deeper, than a project's file is")

// DecodeTOML decodes a file of a project, unless decoding it would take more memory than such a file needs.
func DecodeTOML(text string, into any) (toml.MetaData, error) {
	if len(text) > maxTOMLBytes || !boundedTOML(text) {
		return toml.MetaData{}, errTOMLBounds
	}
	return toml.Decode(text, into)
}

// boundedTOML reports whether a text is within the bounds. It knows strings, comments, brackets and the dots of keys;
// its result for a text that is not TOML may be either.
func boundedTOML(text string) bool {
	var (
		above  []int // weights of the paths around the current bracket
		path   int   // weight of the path that keys are below
		dots   int   // of the current key
		start  int   // where the current key starts
		paths  int   // weight of all paths so far
		header bool  // inside [a.b]
		key    = true
	)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			i += tomlString(text[i:]) - 1
		case '#':
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				i += end - 1
			} else {
				i = len(text)
			}
		case '.':
			dots++
		case '=':
			paths += (path + pathWeight(dots, i-start)) * (dots + 1)
			key = false
		case '[', '{':
			if len(above) == 0 {
				if header = key; header {
					path = 0
				}
			}
			above = append(above, path)
			path += pathWeight(dots, i-start)
			dots, start, key = 0, i+1, true
		case ']', '}':
			if len(above) == 0 {
				break
			}
			path, above = above[len(above)-1], above[:len(above)-1]
			if header && len(above) == 0 {
				path = pathWeight(dots, i-start)
				paths += path * (dots + 1)
			}
		case ',':
			dots, start, key = 0, i+1, true
		case '\n':
			dots, start = 0, i+1
			key = key || len(above) == 0
		}
		if len(above) > maxTOMLNesting || paths > maxTOMLPaths {
			return false
		}
	}
	return true
}

// tomlString returns the length of the string with which a text begins.
func tomlString(text string) int {
	quote := text[:1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text, triple) {
		quote = triple
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case quote[0] == '"' && text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case len(quote) == 1 && text[i] == '\n':
			return i
		}
	}
	return len(text)
}
