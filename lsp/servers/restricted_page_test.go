package servers

import (
	"os"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// docs/security.md says of each server that is started restricted what it does then.
func TestRestrictedServersOfThePage(t *testing.T) {
	raw, err := os.ReadFile("../../docs/security.md")
	testkit.Must(t, err)
	_, table, _ := strings.Cut(string(raw), "| server | restricted |")
	table, _, _ = strings.Cut(table, "\n\n")
	var named []string
	for line := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		named = append(named, strings.Split(strings.ToLower(cell), ", ")...)
	}
	has := map[string]bool{}
	for _, id := range named {
		has[id] = true
	}
	for id := range projectCode {
		if !has[id] {
			t.Errorf("the table of restricted servers lacks %s", id)
		}
	}
}
