package config

import (
	"errors"
	"strings"

	"github.com/BurntSushi/toml"
)

// syntaxFinding has the place of a syntax error. Below env, and in all that MCP servers are given, the decoder's
// words may quote a secret: there what it expected is told in words of our own.
func syntaxFinding(text string, err error) Finding {
	f := Finding{Severity: SeverityError, Kind: FindingSyntax, Message: "not valid TOML: " + err.Error()}
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return f
	}
	at := positionAt(text, parse.Position.Start)
	f.Line, f.Column = at.line, at.column
	f.Key = parse.LastKey
	f.Message = "not valid TOML: " + parse.Message
	if strings.Contains(parse.LastKey, "env") || strings.HasPrefix(parse.LastKey, "mcp_servers") {
		f.Message = "not valid TOML" + withoutValues(parse.Message)
	}
	return f
}

// syntaxWords are how messages of the decoder begin (BurntSushi/toml 1.6.0), and what is told in their place; ""
// where the whole message quotes nothing of the file.
var syntaxWords = []struct{ begin, told string }{
	{"unexpected ", ""},
	{"newlines not allowed ", ""},
	{"expected value but found ",
		"expected a value: a string in quotes, a number, true, false, a list in [ ], or a table in { }"},
	{"strings cannot contain newlines", "expected the quote that ends the string on the same line"},
	{"expected a top-level item to end ", "expected the end of the line behind the value"},
	{"expected end of table array name ", "expected ]] behind the name of the table"},
	{"expected '.' or ']' ", "expected . or ] behind the name of the table"},
	{"expected '.' or '=', ", "expected = behind the key"},
	{"expected a comma (',') or array ", "expected a comma or ] behind an item of the list"},
	{"expected a comma or an inline table ", "expected a comma or } behind an item of the table"},
	{"expected two hexadecimal ", `expected two hexadecimal digits behind \x`},
	{"expected four hexadecimal ", `expected four hexadecimal digits behind \u`},
	{"expected eight hexadecimal ", `expected eight hexadecimal digits behind \U`},
	{"invalid escape",
		`a string in double quotes has an escape that TOML does not know: write \\ for a backslash, or put the string in single quotes`},
	{"Escaped character ", "the number of an escaped character is none of Unicode"},
	{"invalid float", noNumber},
	{"cannot use sign ", noNumber},
	{"floats must start ", noNumber},
	{"expected a digit ", noNumber},
	{"not a binary number", noNumber},
	{"not an octal number", noNumber},
	{"not a hexadecimal number", noNumber},
	{"Invalid integer ", noNumber},
	{"Invalid float ", noNumber},
	{"invalid datetime", "what looks like a date or a time is none; a string has to be in quotes"},
	{"Key '", "the key has been given before, or stands for something else than a table"},
	{"TOML files cannot contain control ", "a control character has to be written as an escape"},
	{"invalid UTF-8", "the file has to be in UTF-8"},
}

const noNumber = "what looks like a number is none, or too large a one; a string has to be in quotes"

// withoutValues is the decoder's message without what it quotes, behind a colon; "" for a message that is not known.
func withoutValues(message string) string {
	for _, w := range syntaxWords {
		switch {
		case !strings.HasPrefix(message, w.begin):
		case w.told == "":
			return ": " + message
		default:
			return ": " + w.told
		}
	}
	if strings.Contains(message, " is out of range for ") {
		return ": " + noNumber
	}
	return ""
}
