package lang

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for id, words := range map[string]struct{ names, none string }{
		"go":         {"x X_1 größe", "2x a-b for a.b $x é́!"},
		"c":          {"x _2 a$b class", "2x a-b for operator+"},
		"cpp":        {"x class", "2x ~X A::b"},
		"rust":       {"x 'a r#fn 名", "2x a-b r# '"},
		"typescript": {"x $ #p delete a$1 _", "2x a-b # a.b"},
		"javascript": {"x", "2x"},
		"python":     {"x match größe", "2x a-b class None"},
	} {
		for word := range strings.FieldsSeq(words.names) {
			if !ByID(id).Name(word) {
				t.Errorf("%s: %s is a name", id, word)
			}
		}
		for word := range strings.FieldsSeq(words.none) {
			if ByID(id).Name(word) {
				t.Errorf("%s: %s is no name", id, word)
			}
		}
	}
	if ByID("ruby").Name != nil || IsName("a?") || !IsName("ab_1") || IsName("") || IsName("1") {
		t.Error("what is no word of letters is a name")
	}
}
