package edits

import (
	"fmt"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/overlay"
	"lspi/tools/symbol"
)

// A finding that only moves is neither new nor gone, whichever of several equal ones it is.
func TestCompareFindings(t *testing.T) {
	const path = "/w/a.w"
	at := func(lines ...int) (out []lsp.Finding) {
		for _, line := range lines {
			p := contract.Position{Line: line, Character: 1}
			out = append(out, lsp.Finding{Path: path, Range: contract.Range{Start: p, End: p}, Severity: "error",
				Message: "bad, see a.w:3:1"})
		}
		return out
	}
	lines := func(all []lsp.Finding) (out []int) {
		for _, f := range all {
			out = append(out, f.Range.Start.Line)
		}
		return out
	}
	for _, k := range []struct {
		before, after      string
		was, is            []int
		appears, vanishing []int
	}{
		{"a\nb\nc\n", "a\nb\nc\n", []int{2}, []int{2}, nil, nil},
		{"a\nb\nc\n", "x\ny\na\nb\nc\n", []int{2}, []int{4}, nil, nil},
		{"a\nb\nc\n", "x\na\nb\nc\n", []int{2}, []int{1, 3}, []int{1}, nil},
		{"a\nb\nb\nc\n", "a\nb\nc\n", []int{2, 4}, []int{3}, nil, []int{2}},
		{"a\nb\nc\n", "c\n", []int{1, 2, 3}, []int{1}, nil, []int{1, 2}},
		{"a\nb\n", "q\nb\n", []int{1}, []int{1}, nil, nil},
	} {
		texts := map[string]*EditedText{path: {Before: source.New(path, k.before),
			After: source.New(path, k.after)}}
		appears, vanishes := CompareFindings(at(k.was...), at(k.is...), texts)
		testkit.Diff(t, lines(appears), k.appears, k.before+k.after, "appears")
		testkit.Diff(t, lines(vanishes), k.vanishing, k.before+k.after, "vanishes")
	}
}

// One error in other words is the same where the edit left the text; at a text that it replaced it is another one.
func TestSameFindingInOtherWords(t *testing.T) {
	const path = "/w/a.w"
	at := func(line int, code, message string) []lsp.Finding {
		p := contract.Position{Line: line, Character: 1}
		return []lsp.Finding{{Path: path, Range: contract.Range{Start: p, End: p}, Severity: "error", Code: code,
			Message: message}}
	}
	for name, k := range map[string]struct {
		before, after string
		was, is       []lsp.Finding
		want          int
	}{
		"moved":          {"a\nb\n", "x\na\nb\n", at(2, "E", "b or c"), at(3, "E", "b"), 0},
		"replaced":       {"a\nb\n", "a\nd\n", at(2, "E", "no b"), at(2, "E", "no d"), 1},
		"another code":   {"a\nb\n", "x\na\nb\n", at(2, "E", "b"), at(3, "F", "c"), 1},
		"without a code": {"a\nb\n", "x\na\nb\n", at(2, "", "b"), at(3, "", "c"), 1},
		"another place":  {"a\nb\n", "x\na\nb\n", at(2, "E", "b"), at(2, "E", "c"), 1},
	} {
		texts := map[string]*EditedText{path: {Before: source.New(path, k.before),
			After: source.New(path, k.after)}}
		appears, vanishes := CompareFindings(k.was, k.is, texts)
		testkit.Diff(t, []int{len(appears), len(vanishes)}, []int{k.want, k.want}, name)
		appeared, gone := CompareErrors(k.was, k.is, nil, nil, texts)
		testkit.Diff(t, []int{len(appeared), gone}, []int{k.want, k.want}, name, "applied")
	}
}

// Of what is missing from a trial only what shows on disk, and is compared there, lets an edit be written.
func TestOnlyWhatShowsOnDiskLetsAPartialTrialBeWritten(t *testing.T) {
	for _, reason := range []string{ReadsDisk, string(overlay.DependsOnNew), string(overlay.DependsOnProject),
		string(overlay.DependsOnData)} {
		for _, kind := range []contract.WarningKind{contract.WarnSyncIncomplete, contract.WarnLoadFailed,
			contract.WarnFileSkipped, contract.WarnIndexing} {
			if SeenOnDisk(contract.Warning{Kind: kind, Facts: contract.Facts{"reason": reason}}) {
				t.Errorf("%s, %s", kind, reason)
			}
		}
	}
	if !SeenOnDisk(contract.Warning{Kind: contract.WarnPartFailed,
		Facts: contract.Facts{"reason": ReadsDisk}}) {
		t.Error("cargo check reads the disk")
	}
}

// What a program writes is one line of megabytes. Looking at its edits and places takes time in proportion to it:
// seconds, and hours if each edit read the line anew.
func TestOneLineOfManyEdits(t *testing.T) {
	const unit, times = "name(\"name\",1);// ", 100_000
	line := strings.ReplaceAll(strings.Repeat(unit, times), "// ", "   ")
	f := edit.File{Path: "/w/a.js", Old: line}
	var places []lsp.Place
	for i := range times {
		for _, at := range []int{0, 6} {
			f.Edits = append(f.Edits, edit.Replacement{Start: i*len(unit) + at, Line: 1, Old: "name", New: "x"})
		}
		p := contract.Position{Line: 1, Character: i*len(unit) + 1}
		places = append(places,
			lsp.Place{Path: f.Path,
				Range: contract.Range{Start: p, End: contract.Position{Line: 1, Character: p.Character + 4}}})
	}
	testkit.Equal(t, EditsInComments(&f), times)
	covered := symbol.CoveredBy(places)
	for _, p := range places {
		if !covered(p.Path, p.Range.Start) {
			t.Fatalf("%v is not covered", p.Range)
		}
	}
}

// What reads as code in the quotes of Python is code, where a server changes it; prose and comments are not.
func TestQuotedCode(t *testing.T) {
	for line, want := range map[string]bool{
		`def grow(self, other: "Area") -> Area:`: true, `__all__ = ["Area", "b"]`: true,
		`x: "dict[str, Area | None]" = {}`: true, `x = "the Area of it"`: false, `# see "Area"`: false,
		`x = 1  # "Area"`: false, `"""Area is a thing."""`: false,
	} {
		testkit.Equal(t, isQuotedCode("/w/a.py", line, strings.Index(line, "Area"), 4), want, line)
	}
	testkit.Equal(t, isQuotedCode("/w/a.ts", `f("Area")`, 3, 4), false)
}

// What comes along with a declaration that moves is no new error: its own errors, and those of its imports. An error
// of what moves that another line has, too, is new.
func TestWithoutCarried(t *testing.T) {
	const from, to = "/w/from.w", "/w/to.w"
	const old = "use far: a b\n\nmoved far\nstays far\n"
	const kept, made = "use far: a b\n\nstays far\n", "use far: a\n\nmoved far\n"
	at := func(path, text string, lines ...int) (out []lsp.Finding) {
		whole := source.New(path, text)
		for _, line := range lines {
			start := contract.Position{Line: line, Character: strings.Index(whole.Line(line), "far") + 1}
			out = append(out, lsp.Finding{Path: path, Text: whole, Range: contract.Range{Start: start,
				End: contract.Position{Line: line, Character: start.Character + 3}}, Severity: "error", Message: "no far"})
		}
		return out
	}
	ch := &Proposed{Carried: [2]string{from, to}, Planned: &lsp.Planned{Plan: &edit.Plan{Files: []edit.File{
		{Path: from, Old: old, New: kept}, {Path: to, New: made, Kind: edit.Create}}}}}
	for _, k := range []struct {
		before, after, made []int // lines with errors of from, and of to
		want                []int // the lines of new errors
	}{
		{[]int{1}, []int{1}, []int{1}, nil},      // the import of both
		{[]int{3}, nil, []int{3}, nil},           // what moved
		{[]int{4}, []int{3}, []int{3}, []int{3}}, // what stays had it, and what moved had not
		{nil, nil, []int{1}, []int{1}},           // an import that only the new file lacks
		{[]int{1}, []int{1}, []int{1, 3}, []int{3}},
	} {
		made := at(to, made, k.made...)
		var got []int
		for _, f := range ch.withoutCarried(made, at(from, old, k.before...), append(at(from, kept, k.after...), made...)) {
			got = append(got, f.Range.Start.Line)
		}
		testkit.Diff(t, got, k.want, fmt.Sprint(k), "new errors")
	}
}
