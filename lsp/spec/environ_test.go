package spec

import (
	"testing"

	"lspi/internal/testkit"
)

func TestVariable(t *testing.T) {
	env := []string{"PATH=a", "Path=b", "=C:=C:\\x", "EMPTY=", "A=1=2", "PATHEXT=.exe", "A"}
	for _, c := range []struct {
		name    string
		anyCase bool
		want    string
	}{
		{"PATH", false, "a"},
		{"PATH", true, "b"},
		{"Path", false, "b"},
		{"path", false, ""},
		{"path", true, "b"},
		{"EMPTY", true, ""},
		{"A", false, "1=2"},
		{"PAT", true, ""},
	} {
		testkit.Equal(t, lookupVariable(env, c.name, c.anyCase), c.want, c.name)
	}
}
