//go:build linux

package faults

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

// attack is one row of docs/attacks.md: what a stranger's repository, a hostile server or a host does, and what
// must not come of it. To add a row, write one file attack_NAME_test.go with `var _ = add(attack{…})` and run
//
//	go test ./test/faults -run TestAttacks -update
type attack struct {
	point    string   // of the issue ("C11"); the rows are sorted by it
	name     string   // what is done, a sentence without its end; unique
	never    string   // what must not happen
	answer   string   // what lspi does instead, as try checks it
	programs []string // that must be installed
	further  bool     // another row makes the attack at a real server; this one runs with LSPI_FAULTS=all
	// open says why the attack still works; "" for one that does not. An open row whose attack fails is an error, so
	// that the mark is removed when the attack is stopped.
	open string
	// try makes the attack and calls worked for each thing that happened and must not. It calls Fatal when the attack
	// cannot be made.
	try func(a *attempt)
}

var attacks []attack

// add registers a row.
func add(a attack) bool {
	attacks = append(attacks, a)
	return true
}

// attempt is an attack while it is made.
type attempt struct {
	*testing.T
	dir     string // the workspace
	outside string // a folder of the user beside it, not in the workspace
	works   []string
}

// secret is the text of files that must not be shown. It is an identifier in every language.
const secret = "HUNTER2_TOKEN_xyzzy"

// worked notes that the attack did what must not happen.
func (a *attempt) worked(format string, args ...any) {
	a.works = append(a.works, fmt.Sprintf(format, args...))
}

// file writes a file below the workspace, or by an absolute path.
func (a *attempt) file(name, text string) string {
	a.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(a.dir, name)
	}
	write(a, name, strings.NewReplacer("$DIR", a.dir, "$OUTSIDE", a.outside).Replace(text), 0o644)
	return name
}

// hides checks that the secret is in neither channel of an answer.
func (a *attempt) hides(x *reply) {
	a.Helper()
	if strings.Contains(string(x.raw), secret) {
		a.worked("the envelope shows the secret: %.1500s", x.raw)
	}
	if strings.Contains(x.text, secret) {
		a.worked("the text shows the secret: %.1500s", x.text)
	}
}

// at opens a session on the workspace with a server of the catalogue.
func (a *attempt) at(server string) *faultSession {
	a.Helper()
	return projectOf(server).openIn(a, a.dir, options{})
}

// scripted opens a session with the scripted server, which follows the rules and else serves the words in *.w.
func (a *attempt) scripted(o options, rules ...lsptest.Rule) *faultSession {
	a.Helper()
	o.script = &lsptest.Script{Language: "words", Rules: rules}
	return projectOf(scripted).openIn(a, a.dir, o)
}

// scriptedPatched is scripted with a change of what the server says it can do (RFC 7396).
func (a *attempt) scriptedPatched(capabilities json.RawMessage, rules ...lsptest.Rule) *faultSession {
	a.Helper()
	script := &lsptest.Script{Language: "words", CapabilitiesPatch: capabilities, Rules: rules}
	return projectOf(scripted).openIn(a, a.dir, options{script: script})
}

// replies is a rule: every request of the method is answered with result.
func replies(method string, result any) lsptest.Rule {
	return lsptest.Rule{Method: method, Actions: []lsptest.Action{{Result: lsptest.Raw(result)}}}
}

// locatedAt is LSP's Location of the first letters of a file's line, which counts from 0.
func locatedAt(path string, line int) map[string]any {
	return map[string]any{"uri": "file://" + path, "range": rangeOn(line, 0, 6)}
}

// rangeOn is LSP's Range within a line.
func rangeOn(line, from, to int) map[string]any {
	return map[string]any{"start": map[string]int{"line": line, "character": from},
		"end": map[string]int{"line": line, "character": to}}
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, row := range sortedAttacks() {
		t.Run(row.point+"/"+row.name, func(t *testing.T) {
			t.Parallel()
			if row.further && !all {
				t.Skip("runs with LSPI_FAULTS=all")
			}
			testkit.Need(t, row.programs...)
			top := testkit.TempDir(t)
			a := &attempt{T: t, dir: filepath.Join(top, "workspace"), outside: filepath.Join(top, "outside")}
			for _, dir := range []string{a.dir, a.outside} {
				testkit.Must(t, os.Mkdir(dir, 0o755))
			}
			row.try(a)
			switch {
			case len(a.works) > 0 && row.open == "":
				t.Errorf("the attack works: %s", strings.Join(a.works, "\n"))
			case len(a.works) == 0 && row.open != "":
				t.Errorf("the attack does not work any more; it is marked as open: %s", row.open)
			}
		})
	}
	t.Run("document", checkAttacksDocument)
}

// attacksDocument is where the rows are written.
const attacksDocument = "../../docs/attacks.md"

// checkAttacksDocument compares the document with the rows, or writes it.
func checkAttacksDocument(t *testing.T) {
	text := attacksText()
	if *update {
		write(t, attacksDocument, text, 0o644)
		return
	}
	have, err := os.ReadFile(attacksDocument)
	testkit.Must(t, err)
	testkit.Equal(t, string(have), text, attacksDocument,
		"is not what the rows say; go test ./test/faults -run TestAttacks -update writes it")
}

func sortedAttacks() []attack {
	rows := slices.Clone(attacks)
	slices.SortFunc(rows, func(a, b attack) int {
		return cmp.Or(len(a.point)-len(b.point), cmp.Compare(a.point, b.point), cmp.Compare(a.name, b.name))
	})
	return rows
}

func attacksText() string {
	var b strings.Builder
	b.WriteString("# Attacks, and what lspi does\n\n" +
		"Generated by `go test ./test/faults -run TestAttacks -update`. Each row is a test that makes the attack, with a real server where the row names one, " +
		"and fails when what must not happen does happen. `docs/security.md` says why lspi stops each attack where it does.\n\n" +
		"| point | what a repository, a server or a host does | what must not happen | what lspi does | stopped |\n|---|---|---|---|---|\n")
	cell := strings.NewReplacer("|", "\\|", "\n", " ").Replace
	for _, a := range sortedAttacks() {
		stopped := "✓"
		if a.open != "" {
			stopped = "✗ " + a.open
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", a.point, cell(a.name), cell(a.never), cell(a.answer),
			cell(stopped))
	}
	return b.String()
}
