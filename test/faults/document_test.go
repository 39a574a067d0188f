//go:build linux

package faults

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// document is where the matrix is written.
const document = "../../docs/faults.md"

// matrix is every fault, in the order of the document.
func matrix() (all []*fault) {
	all = append(all, killed, hung, orphaned, looping)
	for _, e := range endings {
		all = append(all, e.fault)
	}
	for _, u := range uselessPrograms {
		all = append(all, u.fault)
	}
	all = append(all, onDisk...)
	all = append(all, checkout)
	for _, b := range brokenToolchains {
		all = append(all, b.fault)
	}
	for _, s := range speeches {
		all = append(all, s.fault)
	}
	for _, f := range memoryFloods {
		all = append(all, f.fault)
	}
	for _, f := range memoryFloodsMCP {
		all = append(all, f.fault)
	}
	for _, f := range mcpFaults {
		all = append(all, f.fault)
	}
	all = append(all, mcpMortal, mcpShared)
	return append(all, sharedFaults...)
}

// promises say, for each group, what a cell must show.
var promises = map[string]string{
	groupProcess: "Every call ends within its deadline, with a complete and correct answer or with an error that says what happened. The call " +
		"after it is right. No process from before is left, running or unreaped. Calls wait while the server is made unable to answer, so " +
		"that all of them meet the fault. The real binary runs.",
	groupEnd: fmt.Sprintf(
		"%v later nothing of what lspi started is left, whatever group, session or parent it has by then. "+
			"The servers run under one lspi, whose last call is waiting for its answer. The real binary runs.",
		endTime),
	groupProgram: "The call ends with an error that says why and what to do, and no process is left.",
	groupDisk: "Another process makes the change, and the very next call has it and is complete: every reference that is on disk and no other. " +
		"Once with the system's events and once by comparing files.",
	groupToolchain: "No answer is complete where the healthy project would give another one: references, the diagnostics of a file with an error and " +
		"of the workspace. lspi does not apply a rename that leaves a use behind, even if the caller agrees to its preview.",
	groupSpeech: "The first call ends within its deadline, with a complete and correct answer or with an error and a next step. The call after it is " +
		"right if the server is. What a flood leaves in memory is bounded.",
	groupShared: "Every read is answered completely and rightly, at most later, and none with an error. Afterwards one process serves all hosts again, " +
		"and nothing is left of the one before. A user has folders of their own; when the hosts have left and `lspi daemon stop` has returned, " +
		"no process and no socket is left. The real binary runs.",
	groupMCP: "The list of tools comes within the " + listTime.String() +
		" that a list waits, with the tools of those that are well. The call ends within its limit (" +
		mcpLimit.String() + " where it is waited for), " +
		"with a right answer or an error that says what happened; the next one is right if the server is. Meanwhile a language server and another MCP server " +
		"answer as ever. When lspi has ended nothing is left. The real binary runs.",
	groupMemory: "What lspi keeps of a flood is bounded while it lasts: its resident memory at the peak grows by no more than this. The " +
		"question during the flood is not answered wrongly, and the next one is right. The real binary runs.",
}

// row is one cell as the document has it.
type row struct{ came, took, verdict string }

func key(f *fault, server string) string { return f.name + "|" + server }

// settle compares the cells that ran with the document, or writes it.
func settle() error {
	have, err := readDocument()
	if err != nil && !*update {
		return err
	}
	got := map[string]row{}
	for _, c := range outcomes {
		k := key(c.fault, c.server)
		got[k] = row{c.outcome(), bucket(c.took, have[k].took), c.verdict()}
	}
	if *update {
		for k, r := range have {
			if _, ran := got[k]; !ran {
				got[k] = r
			}
		}
		return writeDocument(got)
	}
	var wrong []error
	known := map[string]bool{}
	for _, f := range matrix() {
		for _, s := range f.servers {
			k := key(f, s)
			known[k] = true
			want, ok := have[k]
			switch ran, did := got[k]; {
			case !ok:
				wrong = append(wrong, fmt.Errorf("%s has no row for %s at %s", document, f.name, s))
			case did && (ran.came != want.came || ran.verdict != want.verdict):
				differs := fmt.Errorf("%s says of %s at %s:\n\t%s %s\nand it was\n\t%s %s", document, f.name, s,
					want.verdict, want.came, ran.verdict, ran.came)
				if *report && ran.verdict == want.verdict {
					fmt.Println(differs)
					continue
				}
				wrong = append(wrong, differs)
			}
		}
	}
	for k := range have {
		if !known[k] {
			wrong = append(wrong, fmt.Errorf("%s has a row that nothing makes: %s", document, k))
		}
	}
	if len(wrong) > 0 {
		wrong = append(wrong, errors.New("make faults writes it anew"))
	}
	return errors.Join(wrong...)
}

// buckets are how durations are written, so that the document does not change with each run.
var buckets = []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute}

// bucket is the bound of a duration; the one that the document has stays when it is near enough.
func bucket(d time.Duration, before string) string {
	for i, b := range buckets {
		text := fmt.Sprintf("< %v", b)
		if text == before && d < b*3/2 && (i == 0 || d > buckets[i-1]/2) {
			return before
		}
	}
	for _, b := range buckets {
		if d < b {
			return fmt.Sprintf("< %v", b)
		}
	}
	return "longer"
}

// readDocument has the rows of the document's tables by key.
func readDocument() (map[string]row, error) {
	raw, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	rows := map[string]row{}
	fault := ""
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 5 || !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| fault") {
			continue
		}
		if name := strings.TrimSpace(strings.TrimPrefix(cells[0], "|")); name != "" {
			fault = name
		}
		rows[fault+"|"+cells[1]] = row{cells[2], cells[3], strings.TrimSuffix(cells[4], " |")}
	}
	return rows, nil
}

func writeDocument(got map[string]row) error {
	var b strings.Builder
	b.WriteString("# What comes back under faults\n\n" +
		"Generated by `make faults` from the tests of the package faults. A test fails when its cell comes out differently from what this page says. " +
		"Each cell is one fault at one server: what was done, what the host got, how long it took, and whether lspi kept the promise. " +
		"Servers: ")
	var versions []string
	for _, p := range projects {
		if p.server != scripted {
			versions = append(versions, p.server+" "+verifiedVersion(p.server))
		}
	}
	b.WriteString(strings.Join(versions, ", ") +
		", and the scripted servers of `lsp/lsptest` and `internal/mcptest`, which do on demand what real ones do not.\n")
	overview(&b, got)
	var missing []error
	group := ""
	for _, f := range matrix() {
		if f.group != group {
			group = f.group
			fmt.Fprintf(&b,
				"\n## %s\n\n%s\n\n| fault | server | came back | time | promise |\n|---|---|---|---|---|\n", group,
				promises[group])
		}
		for _, s := range f.servers {
			r, ok := got[key(f, s)]
			if !ok {
				missing = append(missing, fmt.Errorf("%s at %s has not run yet", f.name, s))
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.name, s, r.came, r.took, r.verdict)
		}
	}
	if err := os.MkdirAll(filepath.Dir(document), 0o755); err != nil {
		return err
	}
	return errors.Join(append(missing, os.WriteFile(document, []byte(b.String()), 0o644))...)
}

// overview is the matrix without its details.
func overview(b *strings.Builder, got map[string]row) {
	kept, broken := 0, 0
	for _, f := range matrix() {
		for _, s := range f.servers {
			if r, ok := got[key(f, s)]; ok && r.verdict == "✓" {
				kept++
			} else {
				broken++
			}
		}
	}
	fmt.Fprintf(b, "\n%d cells keep the promise, %d do not.\n\n| | %s |\n|---|%s\n", kept, broken,
		strings.Join(everyServer, " | "), strings.Repeat("---|", len(everyServer)))
	for _, f := range matrix() {
		fmt.Fprintf(b, "| %s |", f.name)
		for _, s := range everyServer {
			mark := "–"
			if slices.Contains(f.servers, s) {
				mark, _, _ = strings.Cut(got[key(f, s)].verdict, " ")
			}
			fmt.Fprintf(b, " %s |", mark)
		}
		b.WriteString("\n")
	}
}

// With every change at most one cell of each real server runs: starting real servers is what these tests pay for.
func TestOneRealCellOfEachServer(t *testing.T) {
	seen := map[string]string{}
	for _, f := range matrix() {
		if before := seen[f.always]; f.always != "" && before != "" {
			t.Errorf("%s always runs in two cells: %s, and %s", f.always, before, f.name)
		}
		seen[f.always] = f.name
		if f.always != "" && (f.always == scripted || !slices.Contains(f.servers, f.always)) {
			t.Errorf("%s: %s is no real server of this row", f.name, f.always)
		}
	}
}
