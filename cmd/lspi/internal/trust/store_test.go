package trust

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestFiles(t *testing.T) {
	w := newWorld(t)
	b, a := w.write(w.workspace+"/b.toml", "x"), w.write(w.workspace+"/a.toml", "x")
	for _, path := range []string{b, a, a} {
		w.trustFile(path)
	}
	list, err := w.store().Files()
	if err != nil || len(list) != 2 || list[0].Path != a || list[1].Path != b {
		t.Errorf("%v %v", list, err)
	}
	stored, err := os.ReadDir(w.store().Dir())
	if err != nil || len(stored) != 2 {
		t.Fatalf("%v %v", stored, err)
	}
	if info, err := stored[0].Info(); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("%v %v", info.Mode(), err)
	}
	testkit.Must(t, os.Remove(a))
	for _, want := range []bool{true, false} {
		if was, err := w.store().Untrust(a); was != want || err != nil {
			t.Errorf("a file that is gone: %v %v, want %v", was, err, want)
		}
	}
	for path, want := range map[string]string{
		w.workspace + "/gone": "the file does not exist",
		w.workspace:           "this is a folder, not a file",
	} {
		if _, err := w.store().TrustFile(path); err == nil || err.Error() != "trusting "+path+": "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// An entry that somebody else could have written, or renamed, does not count.
func TestEntriesOfOthers(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(w *world, path string) error
		want  string // end of the error; "" when there is merely no entry
	}{
		{"others may write to the store", func(w *world, _ string) error {
			return os.Chmod(w.store().Dir(), 0o777)
		}, "others may write to it (chmod go-w)"},
		{"others may write to the entry", func(w *world, path string) error {
			return os.Chmod(w.store().fileEntries().file(path), 0o666)
		}, "others may write to it (chmod go-w)"},
		{"broken", func(w *world, path string) error {
			return os.WriteFile(w.store().fileEntries().file(path), []byte("{"), 0o600)
		}, "unexpected end of JSON input"},
		{"the entry of another file", func(w *world, path string) error {
			other := w.write(w.home+"/lspi.toml", "x")
			w.trustFile(other)
			return os.Rename(w.store().fileEntries().file(other), w.store().fileEntries().file(path))
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.HasPrefix(c.name, "others") {
				t.Skip("no permission bits")
			}
			w := newWorld(t)
			path := w.write(w.workspace+"/lspi.toml", "x")
			w.trustFile(path)
			if _, found, err := w.store().File(path); !found || err != nil {
				t.Fatalf("%v %v", found, err)
			}
			testkit.Must(t, c.spoil(w, path))
			_, found, err := w.store().File(path)
			list, listed := w.store().Files()
			if found || len(list) > 0 {
				t.Errorf("it counts: %v", list)
			}
			for _, err := range []error{err, listed} {
				if (err != nil) != (c.want != "") || err != nil && !strings.HasSuffix(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
		})
	}
}

func TestNoPlaceForTheStore(t *testing.T) {
	w := newWorld(t)
	w.env["XDG_STATE_HOME"], w.home = "", "relative"
	if _, err := w.store().TrustFile(w.write(w.workspace+"/a", "")); err == nil {
		t.Error("a relative home folder is taken")
	}
	if err := w.store().TrustWorkspace(TrustedWorkspace{Path: w.workspace}); err == nil {
		t.Error("a workspace is remembered nowhere")
	}
	all, werr := w.store().Workspaces()
	list, err := w.store().Files()
	if err := errors.Join(werr, err); err != nil || len(all)+len(list) > 0 {
		t.Errorf("%v %v %v", all, list, err)
	}
}

func TestInsideOf(t *testing.T) {
	w := newWorld(t)
	w.trustFile(w.write(w.workspace+"/a", ""))
	testkit.Equal(t, w.store().InsideOf(w.workspace), "", w.workspace)
	testkit.Equal(t, w.store().InsideOf(filepath.Dir(w.home)), "")
	testkit.Equal(t, w.store().InsideOf(w.home+"/.state"), w.store().Dir(), "a store in the workspace counts")
}

func TestUntrustWorkspace(t *testing.T) {
	w := newWorld(t)
	w.trust(w.workspace, false)
	if all, err := w.store().Workspaces(); err != nil || len(all) != 1 || all[0].Path != w.workspace {
		t.Errorf("%v %v", all, err)
	}
	for _, want := range []bool{true, false} {
		if was, err := w.store().Untrust(w.workspace); was != want || err != nil {
			t.Errorf("%v %v, want %v", was, err, want)
		}
	}
	if d := w.decide("owned"); d.Trusted {
		t.Errorf("%+v", d)
	}
	if err := w.store().TrustWorkspace(TrustedWorkspace{Path: filepath.Dir("/"), Below: true}); err == nil {
		t.Error("all of the file system is trusted")
	}
}

func TestCommand(t *testing.T) {
	for path, want := range map[string]string{
		"/a/b.toml":     "lspi trust /a/b.toml",
		"/a b/$(x).t":   "lspi trust '/a b/$(x).t'",
		"/it's/l.toml":  `lspi trust '/it'\''s/l.toml'`,
		"/a;rm/l.toml":  "lspi trust '/a;rm/l.toml'",
		"/é/lspi.toml":  "lspi trust '/é/lspi.toml'",
		"/a\nb/ls.toml": "lspi trust '/a\nb/ls.toml'",
	} {
		testkit.Equal(t, Command(path), want)
	}
}
