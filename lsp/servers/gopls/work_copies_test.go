package gopls

import (
	"fmt"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

// A module that the go.work above it leaves out is loaded without that; the user's own choice of a go.work stands.
func TestTheWorkFileOfALeftOutModule(t *testing.T) {
	dir := testkit.Project(t, map[string]string{
		"go.work": "go 1.24\n\nuse ./in\n", "in/go.mod": "module in\n", "in/sub/x.go": "package sub\n",
		"out/go.mod": "module out\n", "loose/x.go": "package loose\n",
	})
	given := map[string]any{"env": map[string]any{"GOWORK": "/elsewhere/go.work"}}
	for _, c := range []struct {
		folder  string
		environ []string
		value   any
		want    string
	}{
		{"in", nil, nil, "<nil>"},
		{"in/sub", nil, nil, "<nil>"},
		{"out", nil, nil, "map[env:map[GOWORK:off]]"},
		{"loose", nil, nil, "<nil>"},
		{".", nil, nil, "<nil>"},
		{"out", []string{"GOWORK=" + filepath.Join(dir, "go.work")}, nil, "<nil>"},
		{"out", []string{"GOWORK=off"}, nil, "<nil>"},
		{"out", nil, given, "map[env:map[GOWORK:/elsewhere/go.work]]"},
	} {
		a := &Process{environment: c.environ} // without a cache no copy is made
		got := a.configuration(filepath.Join(dir, c.folder), settingsSection, c.value)
		testkit.Equal(t, fmt.Sprint(got), c.want, c.folder, c.environ)
	}
}
