package testkit

import (
	"errors"
	"fmt"
	"testing"
)

// judge is a test that remembers what it was told.
type judge struct {
	testing.TB
	said string
}

func (*judge) Helper()                          {}
func (j *judge) Errorf(format string, a ...any) { j.said = fmt.Sprintf(format, a...) }
func (j *judge) Fatal(a ...any)                 { j.said = fmt.Sprint(a...) }

func TestWhatIsWrongIsSaid(t *testing.T) {
	for want, check := range map[string]func(testing.TB){
		"gone":                     func(t testing.TB) { Must(t, errors.New("gone")) },
		"got 1, want 2":            func(t testing.TB) { Equal(t, 1, 2) },
		`here: "y" is not in: xx`:  func(t testing.TB) { Holds(t, "xx", "y", "here") },
		"in a.go 7: got x, want y": func(t testing.TB) { Equal(t, any("x"), "y", "in a.go", 7) },
	} {
		j := &judge{}
		if check(j); j.said != want {
			t.Errorf("said %q, want %q", j.said, want)
		}
	}
	j := &judge{}
	if Diff(j, []int{1}, []int{2}, "a list"); len(j.said) < len("a list: (-want +got):") {
		t.Errorf("said %q", j.said)
	}
	j = &judge{}
	Must(j, nil)
	Equal(j, "x", "x")
	Holds(j, "xyz", "y")
	Diff(j, []int{1}, []int{1})
	if j.said != "" {
		t.Errorf("said of what is as it should be: %q", j.said)
	}
}
