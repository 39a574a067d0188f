package answer

import (
	"strings"
	"testing"

	"lspi/contract"
)

// One character that is shown by its number is one: the warning is read by a model and says how many there are.
func TestHiddenCharactersAreCounted(t *testing.T) {
	t.Parallel()
	for text, begins := range map[string]string{
		"a\u202eb":        "1 character that is invisible or controls how text is displayed is shown as",
		"a\u202eb\u200bc": "2 characters that are invisible or control how text is displayed are shown as",
	} {
		e, raw, err := encode(contract.Envelope{Tool: "hover", Body: map[string]any{"documentation": text}})
		if err != nil || len(e.Warnings) != 1 || !strings.HasPrefix(e.Warnings[0].Message, begins) {
			t.Errorf("%q: %v %+v %s", text, err, e.Warnings, raw)
		}
	}
}
