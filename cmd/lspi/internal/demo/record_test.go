package main

import (
	"encoding/xml"
	"os"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// The session that README shows is what lspi and gopls say.
func TestReadmeSession(t *testing.T) {
	testkit.Need(t, "gopls")
	raw, err := os.ReadFile("../../../../README.md")
	testkit.Must(t, err)
	_, shown, _, ok := parts(string(raw))
	if !ok {
		t.Fatal("README shows no session")
	}
	project := t.TempDir()
	testkit.Must(t, os.CopyFS(project, os.DirFS("testdata/shop")))
	told, err := record(testkit.Program(t), project)
	testkit.Must(t, err)
	testkit.Diff(t, told, shown, "run make session")
}

// The picture shows the session that README shows, each line of it.
func TestReadmePicture(t *testing.T) {
	raw, err := os.ReadFile("../../../../README.md")
	testkit.Must(t, err)
	_, session, _, ok := parts(string(raw))
	shown, err := os.ReadFile("../../../../" + picture)
	if !ok || err != nil {
		t.Fatalf("README shows no session, or there is no picture of it: %v", err)
	}
	testkit.Diff(t, drawn(session), string(shown), "run make session, or go run ./cmd/lspi/internal/demo -draw README.md")
	var drawing struct {
		Texts []string `xml:"text"`
	}
	testkit.Must(t, xml.Unmarshal(shown, &drawing))
	squeezed := func(s string) string { return strings.Join(strings.Fields(s), "") }
	text := squeezed(strings.Join(drawing.Texts, ""))
	for _, line := range strings.Split(session, "\n") {
		if !strings.HasPrefix(line, "```") {
			testkit.Holds(t, text, squeezed(line), "a line is not in the picture")
		}
	}
	before, _, ok := strings.Cut(string(raw), "]("+picture+")")
	if lines := strings.Count(before, "\n"); !ok || lines > 20 {
		t.Errorf("README shows the picture after %d lines: the first answer is no longer on the first screen", lines)
	}
}

func TestWrapped(t *testing.T) {
	long := strings.Repeat("é", columns)
	for given, want := range map[string][]string{"a\tb": {"a       b"}, " \t\tx": {"                x"}, "": {""},
		long: {long}, long + "y": {long, "y"}} {
		if got := wrapped(given); !slices.Equal(got, want) {
			t.Errorf("%q is %q", given, got)
		}
	}
}
