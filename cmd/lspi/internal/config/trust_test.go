package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const wanting = "[[servers]]\nid = \"gopls\"\ncommand = \"evil\"\nrequest_timeout_ms = 70000\n"

func (w *world) store() TrustStore { return OpenTrust(w.Getenv, w.home) }

func TestTrust(t *testing.T) {
	w := newWorld(t)
	path := w.repo(wanting)

	c := w.load()
	want := []Finding{{
		Severity: SeverityWarning, Kind: FindingUntrusted, File: path, Line: 3, Column: 1, Key: "servers[0].command",
		Message: "this file is not trusted; not applied: servers[0].command (line 3); the rest is", Fix: "lspi trust " + path,
	}}
	if diff := cmp.Diff(want, c.Findings); diff != "" {
		t.Error(diff)
	}
	if c.Err() != nil || c.Sources[0].Trusted || c.spec("gopls").Commands[0].Name != "gopls" || c.spec("gopls").Timeouts.Request == 0 {
		t.Errorf("untrusted: %v %+v", c.Err(), c.Specs)
	}
	if diff := cmp.Diff([]string{"servers[0].command"}, c.Configured[0].Untrusted); diff != "" {
		t.Error(diff)
	}

	entry, err := w.store().Trust(path)
	if err != nil {
		t.Fatal(err)
	}
	c = w.sound()
	if !c.Sources[0].Trusted || c.spec("gopls").Commands[0].Name != "evil" || entry.SHA256 != c.Sources[0].SHA256 {
		t.Errorf("trusted: %+v", c)
	}

	w.repo(wanting + "args = [\"-x\"]\n")
	c = w.load()
	if c.Sources[0].Trusted || len(c.Findings) != 1 || c.Findings[0].Message != "this file changed since it was trusted; not applied: servers[0].command (line 3), servers[0].args (line 5); the rest is" {
		t.Errorf("changed: %v", c.Findings)
	}

	w.repo(wanting)
	w.sound()
	if was, err := w.store().Untrust(path); !was || err != nil {
		t.Errorf("%v %v", was, err)
	}
	if was, err := w.store().Untrust(path); was || err != nil {
		t.Errorf("again: %v %v", was, err)
	}
	if c = w.load(); c.Sources[0].Trusted {
		t.Error("still trusted")
	}
}

func TestTrustStore(t *testing.T) {
	w := newWorld(t)
	b := w.write(filepath.Join(w.workspace, "b.toml"), "x")
	a := w.write(filepath.Join(w.workspace, "a.toml"), "x")
	for _, path := range []string{b, a, a} {
		if _, err := w.store().Trust(path); err != nil {
			t.Fatal(err)
		}
	}
	list, err := w.store().List()
	if err != nil || len(list) != 2 || list[0].Path != a || list[1].Path != b {
		t.Errorf("%v %v", list, err)
	}
	entries, err := os.ReadDir(w.store().Dir())
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v %v", entries, err)
	}
	if info, err := entries[0].Info(); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	if was, err := w.store().Untrust(a); !was || err != nil {
		t.Errorf("a file that is gone: %v %v", was, err)
	}
	for path, want := range map[string]string{
		filepath.Join(w.workspace, "gone"): "the file does not exist",
		w.workspace:                        "this is a folder, not a file",
	} {
		if _, err := w.store().Trust(path); err == nil || err.Error() != "trusting "+path+": "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if (TrustStore{}).dir != OpenTrust(func(string) string { return "" }, "relative").dir {
		t.Error("a relative home folder is taken")
	}
}

// TestTrustStoreOfOthers: what somebody else could have written, or the repository brings along, does not count.
func TestTrustStoreOfOthers(t *testing.T) {
	t.Run("writable", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("no permission bits")
		}
		w := newWorld(t)
		if _, err := w.store().Trust(w.repo(wanting)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(w.store().Dir(), 0o777); err != nil {
			t.Fatal(err)
		}
		c := w.load()
		if c.Sources[0].Trusted || c.Findings[0].Kind != FindingTrustStore || !strings.HasSuffix(c.Findings[0].Message, "others may write to it (chmod go-w)") {
			t.Errorf("%v", c.Findings)
		}
		if _, err := w.store().List(); err == nil {
			t.Error("List does not tell")
		}
	})
	t.Run("inside the workspace", func(t *testing.T) {
		w := newWorld(t)
		w.env["XDG_STATE_HOME"] = filepath.Join(w.workspace, "state")
		if _, err := w.store().Trust(w.repo(wanting)); err != nil {
			t.Fatal(err)
		}
		if c := w.load(); c.Sources[0].Trusted || c.Findings[0].Kind != FindingTrustStore {
			t.Errorf("%v", c.Findings)
		}
	})
	t.Run("broken", func(t *testing.T) {
		w := newWorld(t)
		path := w.repo(wanting)
		if _, err := w.store().Trust(path); err != nil {
			t.Fatal(err)
		}
		w.write(w.store().entryFile(path), "{")
		if c := w.load(); c.Sources[0].Trusted || c.Findings[0].Kind != FindingTrustStore {
			t.Errorf("%v", c.Findings)
		}
	})
	t.Run("entry of another file", func(t *testing.T) {
		w := newWorld(t)
		path := w.repo(wanting)
		other := w.write(filepath.Join(w.home, "lspi.toml"), wanting)
		if _, err := w.store().Trust(other); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(w.store().entryFile(other), w.store().entryFile(path)); err != nil {
			t.Fatal(err)
		}
		if c := w.load(); c.Sources[0].Trusted {
			t.Error("trusted by the entry of another file")
		}
	})
}

func TestTrustCommand(t *testing.T) {
	for path, want := range map[string]string{
		"/a/b.toml":     "lspi trust /a/b.toml",
		"/a b/$(x).t":   "lspi trust '/a b/$(x).t'",
		"/it's/l.toml":  `lspi trust '/it'\''s/l.toml'`,
		"/a;rm/l.toml":  "lspi trust '/a;rm/l.toml'",
		"/é/lspi.toml":  "lspi trust '/é/lspi.toml'",
		"/a\nb/ls.toml": "lspi trust '/a\nb/ls.toml'",
	} {
		if got := TrustCommand(path); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Trust is about what runs: a workspace's file adds protected places, and takes none away.
func TestTrustedFileAddsProtectedPlaces(t *testing.T) {
	w := newWorld(t)
	w.user("edit.protected = [\"mine\"]")
	path := w.repo("edit.protected = [\"theirs\"]\nedit.confirm = []")
	for _, trusted := range []bool{false, true} {
		if trusted {
			if _, err := w.store().Trust(path); err != nil {
				t.Fatal(err)
			}
		}
		got := w.sound().Edit
		if diff := cmp.Diff(Edit{Protected: []string{"mine", "theirs"}, Confirm: []string{".github/workflows"}}, got); diff != "" {
			t.Errorf("trusted %v: %s", trusted, diff)
		}
	}
}
