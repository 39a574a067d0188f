package trust

import (
	"testing"

	"lspi/internal/testkit"
)

func TestRemoteName(t *testing.T) {
	for given, want := range map[string]string{
		"git@github.com:a/b.git": "github.com/a/b", "https://u:p@GitHub.com/a/b/": "github.com/a/b",
		"ssh://git@h:22/a/b.git": "h/a/b",
		"/srv/x":                 "", "../x": "", "file:///srv/x": "", `C:\x`: "", "c:/x": "", "": "", "https://h": "",
		"https://h/a/../b": "", "ext::sh -c x": "",
	} {
		testkit.Equal(t, remoteName(given), want, given)
	}
}
