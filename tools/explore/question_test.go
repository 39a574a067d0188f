package explore

import (
	"strings"
	"testing"
)

func TestReadQuestion(t *testing.T) {
	for _, test := range []struct{ text, names, words string }{
		{"how does a request reach the pool?", "", "request pool"},
		{"How does Pool.Get reach write_batch and ns::draw?", "Pool.Get write_batch ns::draw", ""},
		{"where are files of `parseQuery` compressed", "parseQuery", "fil compress"},
		{"when is a planned stop applied, e.g. on shutdown?", "", "plan stop appl shutdown"},
		{"which code calls this method?", "", ""},
	} {
		q := readQuestion(test.text)
		if got := strings.Join(q.names, " "); got != test.names {
			t.Errorf("%s: names %q, want %q", test.text, got, test.names)
		}
		if got := strings.Join(q.words, " "); got != test.words {
			t.Errorf("%s: words %q, want %q", test.text, got, test.words)
		}
	}
}

func TestHeldBy(t *testing.T) {
	for _, test := range []struct{ text, name, want string }{
		{"requests", "handleRequest", "request"},
		{"how is a file read", "filterReader", "read"},
		{"applied fixes", "ApplyFix", "appl fix"},
		{"compressed blocks", "block_compression", "compress block"},
		{"the pool", "spool", ""},
		{"indices", "index", ""},
	} {
		got, _ := heldBy(readQuestion(test.text).words, test.name)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s holds %q of %q, want %q", test.name, got, test.text, test.want)
		}
	}
}
