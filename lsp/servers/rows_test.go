package servers

import (
	"regexp"
	"slices"
	"testing"

	"lspi/internal/lang"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// Every pattern of a row compiles, and has the groups that are read from it.
func TestPatternsOfLoads(t *testing.T) {
	for _, spec := range Servers() {
		l := spec.Readiness.Loads
		for _, p := range append(append(append([]string{}, l.Failed...), l.Empty...), l.Loaded...) {
			if _, err := regexp.Compile(p); err != nil {
				t.Errorf("%s: %v", spec.ID, err)
			}
		}
		for _, cure := range l.Cures {
			if _, err := regexp.Compile(cure.Said); err != nil || cure.Have == "" {
				t.Errorf("%s: %q: %v, %q", spec.ID, cure.Said, err, cure.Have)
			}
		}
		for _, part := range l.Health {
			if _, err := regexp.Compile(part.Begins); err != nil {
				t.Errorf("%s: %v", spec.ID, err)
			}
			if re, err := regexp.Compile(part.Stderr); err != nil || part.Stderr != "" && re.SubexpIndex("reason") < 0 {
				t.Errorf("%s: %q: %v, or it has no reason", spec.ID, part.Stderr, err)
			}
		}
	}
}

// What gopls 0.23.0 logs of its loads.
func TestLoadsOfGopls(t *testing.T) {
	rule := goLoads
	find := func(patterns []string, text string) (reason, folders string) {
		for _, p := range patterns {
			re := regexp.MustCompile(p)
			if m := re.FindStringSubmatch(text); m != nil {
				if i := re.SubexpIndex("reason"); i >= 0 {
					reason = m[i]
				}
				if i := re.SubexpIndex("folders"); i >= 0 {
					folders = m[i]
				}
				return reason, folders
			}
		}
		return "", ""
	}
	const tail = "\n\tview_id=\"1\"\n\tsnapshot=0\n\tdirectory=/w\n\tquery=[/w/a b/... /w/c/... builtin]\n\tpackages="
	const folders = "/w/a b/... /w/c/..."
	for _, c := range []struct{ name, text, failed, reason, empty, loaded string }{
		{"failed", "2026/11/22 05:16:42 go/packages.Load #1: err: exit status 1: stderr: go: inconsistent vendoring in /w:\n\tx: is\n\n" + tail[1:] + "0\n\tduration=1ms\n",
			folders, "go: inconsistent vendoring in /w:\n\tx: is\n", "", ""},
		{"loaded", "2026/11/22 05:16:39 go/packages.Load #1" + tail + "4\n\tduration=1ms\n", "", "", "", folders},
		{"empty", "2026/11/22 05:17:03 go/packages.Load #1" + tail + "1\n\tduration=1ms\n", "", "", folders, folders},
		{"a single file",
			"2026/11/22 05:17:03 go/packages.Load #2\n\tview_id=\"1\"\n\tquery=[file=/w/a.go]\n\tpackages=1\n", "", "",
			"", ""},
		{"no go", "Error loading workspace folders (expected 1, got 0)\nfailed to load view for file:///w: err: go command required, not found\n", "", "failed to load view for file:///w: err: go command required, not found\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			reason, failed := find(rule.Failed, c.text)
			_, empty := find(rule.Empty, c.text)
			_, loaded := find(rule.Loaded, c.text)
			if failed != c.failed || reason != c.reason || empty != c.empty || loaded != c.loaded {
				t.Errorf("failed %q %q, empty %q, loaded %q", failed, reason, empty, loaded)
			}
		})
	}
}

// A language of the table that no row has is a misspelt one, or is named here as one whose texts are read without a
// server.
func TestEachLanguageHasAServer(t *testing.T) {
	known := map[string]bool{"zsh": true, "groovy": true, "lisp": true, "ini": true, "plaintext": true, "asm": true}
	for _, spec := range Servers() {
		for _, l := range spec.Languages {
			known[l.ID] = true
			if lang.ByID(l.ID).ID == "" {
				t.Errorf("%s: the table of languages has no %q", spec.ID, l.ID)
			}
		}
	}
	for _, l := range lang.All() {
		if !known[l.ID] {
			t.Errorf("no server of the catalogue knows the language %q", l.ID)
		}
	}
	for _, code := range []string{"go", "cpp", "rust", "python", "typescript", "java"} {
		if OptionalLanguage(code) {
			t.Errorf("%s is code", code)
		}
	}
}

// Hooks that belong to no row would never be made.
func TestHooksBelongToRows(t *testing.T) {
	for id := range launchers {
		if !slices.ContainsFunc(Servers(), func(s spec.Spec) bool { return s.ID == id && s.Kind == id }) {
			t.Errorf("no row has the id %s", id)
		}
	}
}

// A row is proven in the version that the tests install.
func TestProvenRowsHaveAPin(t *testing.T) {
	for _, id := range proven {
		i := slices.IndexFunc(Servers(), func(s spec.Spec) bool { return s.ID == id })
		if i < 0 || Servers()[i].Verified == "" {
			t.Errorf("%s: no row has this id, or no line of pins.txt has one of its commands as launcher", id)
		}
	}
	for _, pin := range Pins() {
		if !slices.Contains([]string{"go", "npm", "pip", "cargo", "deb"}, pin.How) || pin.Version == "" ||
			len(pin.Details) == 0 {
			t.Errorf("pins.txt: %+v", pin)
		}
	}
	testkit.Equal(t, len(Pins()) > 10, true, "pins are read")
}
