//go:build unix

package tools

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// TestScripts asks real servers: testdata/scripts has a folder for each server, whose scripts share one process of it,
// and workspace.txtar there is the project around them (at clangd and rust-analyzer it lists them). A search, an index
// and the types of Go see all scripts of a folder, so each has names of its own, or a go.mod of its own.
func TestScripts(t *testing.T) {
	folders, err := filepath.Glob("testdata/scripts/*")
	testkit.Must(t, err)
	for _, folder := range folders {
		server := filepath.Base(folder)
		files, err := filepath.Glob(folder + "/*.txtar")
		testkit.Must(t, err)
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			needServer(t, toolstest.Catalogue(server)[0].Commands[0].Name)
			var scripts []toolstest.Script
			for _, file := range files {
				if filepath.Base(file) == "workspace.txtar" {
					continue
				}
				scripts = append(scripts, toolstest.Script{File: file,
					Open: func(folder string) *session.Session { return toolstest.Real(t, folder, server) },
					Ask: func(s *session.Session, tool string, arguments json.RawMessage) toolstest.Answer {
						var decoded map[string]any
						if err := json.Unmarshal(arguments, &decoded); err != nil {
							t.Error(err)
						}
						result, _ := call(t, s, tool, decoded)
						return toolstest.Answer{Text: result.Text, Structured: result.Structured}
					}})
			}
			toolstest.Warm(t, filepath.Join(folder, "workspace.txtar"), scripts)
		})
	}
}
