package config

import (
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

// A repository that the user does not trust makes no preset: its keys do not count, and one without keys would
// leave out nothing.
func TestPresetOfUntrustedFile(t *testing.T) {
	for _, text := range []string{"[presets.review]\ntools = [\"hover\"]\nread_only = true\n", "[presets.review]\n"} {
		w := newWorld(t)
		w.repo(text)
		w.Flags.Preset = "review"
		c := w.load()
		if c.Err() == nil || c.Preset == nil || c.Preset.Tools == nil || len(c.Preset.Tools) > 0 || len(c.Presets) > 0 {
			t.Errorf("%q: the preset is %+v, of %v; error %v", text, c.Preset, c.Presets, c.Err())
		}
	}
}

// A preset whose file cannot be read is told once, as that, and still leaves nothing in.
func TestPresetFileIsBroken(t *testing.T) {
	for _, broken := range []string{"presets/review.toml", "config.toml"} {
		w := newWorld(t)
		w.Flags.Preset = "review"
		w.user("[presets.other]\ntools = [\"hover\"]\n")
		path := w.write(filepath.Join(filepath.Dir(w.user("")), filepath.FromSlash(broken)), "tools = [\"hover\"\n")
		c := w.load()
		if len(c.Findings) != 1 || c.Findings[0].Kind != FindingSyntax || c.Findings[0].File != path {
			t.Errorf("%s: %+v", broken, c.Findings)
		}
		if p := c.Preset; p == nil || p.Tools == nil || len(p.Tools) > 0 || p.HasServer("gopls") || p.Missing == nil ||
			p.Missing.Unreadable != c.Findings[0].String() {
			t.Errorf("%s: %+v", broken, p)
		}
		testkit.Equal(t, c.UnreadablePreset("review"), c.Findings[0].String())
	}
	w := newWorld(t)
	w.Flags.Preset = "review"
	w.write(filepath.Join(filepath.Dir(w.user("")), "presets", "another.toml"), "tools = [\"hover\"\n")
	c := w.load()
	testkit.Equal(t, len(c.Findings), 2, "that another preset cannot be read, and that this one is not there")
	testkit.Equal(t, c.Preset.Missing.Unreadable, "")
}

func TestUntrustedFileIsNotThatOfAPreset(t *testing.T) {
	w := newWorld(t)
	user := w.user("[presets.review]\ntools = [\"hover\"]\n")
	w.repo("[presets.review]\nread_only = true\n")
	if p := w.load().Presets["review"]; p.File != user || p.ReadOnly {
		t.Errorf("%+v", p)
	}
}

// What the journals of a workspace follow is the same whichever servers are in use, so that those that stay go on.
func TestServersDecideNothingForOthers(t *testing.T) {
	w := newWorld(t)
	const presets = "[presets.go]\nservers = [\"gopls\"]\n[presets.both]\nservers = [\"gopls\", \"typescript-language-server\"]\n"
	w.user(presets)
	all := w.load().Table()
	testkit.Diff(t, all.SkippedDirs(), []string{"target"}, "of rust-analyzer")
	for _, preset := range []string{"go", "both", "missing"} {
		w.Flags.Preset = preset
		testkit.Diff(t, w.load().Table().SkippedDirs(), all.SkippedDirs(), preset)
	}
	w.Flags.Preset = ""
	for _, text := range []string{
		"catalogue = false\n[[servers]]\nid = \"gopls\"\n",
		"[[servers]]\nid = \"rust-analyzer\"\nenabled = false\n",
		"[[servers]]\nid = \"mine\"\nkind = \"generic\"\ncommand = \"x\"\nextensions = [\"x\"]\n",
	} {
		w.user(text)
		c := w.load()
		testkit.Diff(t, c.Table().SkippedDirs(), all.SkippedDirs(), text)
		testkit.Diff(t, c.Table().Allowed(), all.Allowed(), text)
	}
}

// What is wrong with a preset that is not in use stops nothing, wherever it stands; in use it does.
func TestBrokenPresetThatIsNotInUse(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(filepath.Dir(w.user("")), "presets", "broken.toml"), "servers = [\n")
	w.user("[presets.wrong]\nread_only = \"yes\"\n[presets.good]\ntools = [\"hover\"]\n")
	for preset, stops := range map[string]bool{"": false, "good": false, "broken": true, "wrong": true} {
		w.Flags.Preset = preset
		c := w.load()
		testkit.Equal(t, len(c.Findings), 2, preset, c.Findings)
		testkit.Equal(t, c.Err() != nil, stops, preset, c.Err())
	}
}

// A mistake in a preset that is not in use is marked, so that answers leave it out, and no finding has a line 0.
func TestFindingsOfOtherPresets(t *testing.T) {
	w := newWorld(t)
	w.user("[presets.wrong]\ntools = [\"hoover\"]\n")
	for preset, other := range map[string]bool{"": true, "wrong": false} {
		w.Flags.Preset = preset
		c := w.load()
		testkit.Equal(t, len(c.Findings), 1, preset, c.Findings)
		testkit.Equal(t, c.Findings[0].OtherPreset, other, preset)
		testkit.Equal(t, c.Findings[0].Facts()["line"], any(2), preset)
	}
	w.Flags.Preset = "nowhere"
	err := w.load().Err()
	if _, line := err.Facts["line"]; line || err.Facts["key"] != "mcp.preset" {
		t.Errorf("the facts of a finding without a line: %v", err.Facts)
	}
}
