package clangd

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

// The folders are those of cmake-presets(7): binaryDir with its macros, or that of an inherited preset.
func TestPresetFolders(t *testing.T) {
	root := t.TempDir()
	testkit.Fill(t, root, map[string]string{
		"CMakePresets.json": `{"version": 3, "configurePresets": [
			{"name": "base", "hidden": true, "binaryDir": "${sourceDir}/out/${presetName}"},
			{"name": "debug", "inherits": "base"}, {"name": "release", "inherits": ["none", "base"]},
			{"name": "far", "binaryDir": "/elsewhere/${presetName}"}, {"name": "env", "binaryDir": "$env{HOME}/b"}]}`,
		"CMakeUserPresets.json": `{"configurePresets": [{"name": "mine", "binaryDir": "mine"}, {"name": "ring", "inherits": "ring"}]}`,
	})
	testkit.Diff(t, PresetFolders(root), []string{"out/base", "out/debug", "out/release", "mine"})
	testkit.Equal(t, len(PresetFolders(t.TempDir())), 0, "without presets")
}

func TestEmptyDatabase(t *testing.T) {
	for text, want := range map[string]bool{"[]": true, "[\n]\n": true, `[{"file": "a.c"}]`: false, "": false, "[": true} {
		path := filepath.Join(t.TempDir(), "compile_commands.json")
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
		testkit.Equal(t, Empty(path), want, text)
	}
}
