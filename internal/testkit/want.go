package testkit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Must ends the test on an error.
func Must(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Equal fails the test unless got == want. about says what is compared; it is printed before the values, as by
// fmt.Println.
func Equal[T any](t testing.TB, got, want T, about ...any) {
	if any(got) != any(want) {
		t.Helper()
		t.Errorf("%sgot %v, want %v", front(about), got, want)
	}
}

// Diff is [Equal] for values that == cannot compare, and for long ones: it prints what differs, by cmp.Diff.
func Diff(t testing.TB, got, want any, about ...any) {
	if diff := cmp.Diff(want, got); diff != "" {
		t.Helper()
		t.Errorf("%s(-want +got):\n%s", front(about), diff)
	}
}

// Holds fails the test unless text contains part.
func Holds(t testing.TB, text, part string, about ...any) {
	if !strings.Contains(text, part) {
		t.Helper()
		t.Errorf("%s%q is not in: %s", front(about), part, text)
	}
}

func front(about []any) string {
	if len(about) == 0 {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintln(about...), "\n") + ": "
}
