package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// The exit status of doctor says whether the workspace has what it needs.
func TestDoctorExitStatus(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home,
		"SHELL": "",
		"PATH":  t.TempDir(), "LSPI_CONFIG_PATH": "", "CLAUDE_PROJECT_DIR": "", "GOPATH": "", "GOBIN": ""} {
		t.Setenv(name, value)
	}
	empty, zig := t.TempDir(), t.TempDir()
	testkit.Write(t, filepath.Join(zig, "main.zig"), "const x = 1;\n")
	for _, c := range []struct {
		arguments []string
		code      int
		says      string
	}{
		{[]string{"--workspace-root", empty}, exitOK, "This workspace needs no language server"},
		{[]string{"--workspace-root", empty}, exitOK, "no source code in " + empty},
		{[]string{"--workspace-root", empty, "--json"}, exitOK, `"name": "nothing_to_serve"`},
		{[]string{"--workspace-root", zig, "--no-hosts"}, exitFailed, "zls is not installed"},
		{[]string{"--workspace-root", filepath.Join(empty, "nowhere")}, exitUsage, "does not exist"},
		{[]string{"--jsn"}, exitUsage, "--json"},
	} {
		var out, errs strings.Builder
		code := run(append([]string{"doctor"}, c.arguments...), strings.NewReader(""), &out, &errs)
		if code != c.code || !strings.Contains(out.String()+errs.String(), c.says) {
			t.Errorf("%v: exit %d\n%s%s", c.arguments, code, out.String(), errs.String())
		}
	}
	var out, errs strings.Builder
	run([]string{"doctor", "--workspace-root", zig, "--json"}, strings.NewReader(""), &out, &errs)
	var report struct {
		Schema int  `json:"schema_version"`
		OK     bool `json:"ok"`
	}
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil || report.Schema != 2 || report.OK ||
		errs.Len() > 0 {
		t.Errorf("%v\n%s%s", err, out.String(), errs.String())
	}
}
