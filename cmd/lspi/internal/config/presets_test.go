package config

import "testing"

// A repository that the user does not trust makes no preset: its keys do not count, and one without keys would leave out nothing.
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

func TestUntrustedFileIsNotThatOfAPreset(t *testing.T) {
	w := newWorld(t)
	user := w.user("[presets.review]\ntools = [\"hover\"]\n")
	w.repo("[presets.review]\nread_only = true\n")
	if p := w.load().Presets["review"]; p.File != user || p.ReadOnly {
		t.Errorf("%+v", p)
	}
}
