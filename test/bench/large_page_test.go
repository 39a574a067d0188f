//go:build linux

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// Where the figures of BenchmarkLarge are written.
const (
	largeDocument = "../../docs/large.md"
	largePicture  = "../../docs/large.svg"
	largeEnd      = "<!-- end of the measurement -->"
)

// largeBegin is where the measurement of a table begins: of projects, worktrees or ways.
func largeBegin(table string) string { return "<!-- measured: " + table + ", by make large -->\n" }

// writeLarge puts the figures of a run into the page, and draws them. A table of which nothing was measured stays.
func writeLarge(m machine) error {
	raw, err := os.ReadFile(largeDocument)
	if err != nil {
		return err
	}
	page := string(raw)
	for table, rows := range map[string]string{"projects": projectsTable(largeOutcomes), "worktrees": worktreesTable(worktreeOutcomes),
		"ways": waysTable(wayOutcomes)} {
		before, _, after, err := largeTable(page, table)
		if err != nil {
			return err
		}
		if rows != "" {
			page = before + largeBegin(table) + measuredOn(m) + rows + largeEnd + after
		}
	}
	if err := os.WriteFile(largeDocument, []byte(page), 0o644); err != nil {
		return err
	}
	drawn, err := drawnOf(page)
	if err == nil {
		err = os.WriteFile(largePicture, drawn, 0o644)
	}
	return err
}

// largeTable is the page around the measurement of a table, and that.
func largeTable(page, table string) (before, section, after string, err error) {
	before, rest, ok := strings.Cut(page, largeBegin(table))
	section, after, ok2 := strings.Cut(rest, largeEnd)
	if !ok || !ok2 {
		err = fmt.Errorf("%s lacks the marks around the measurement of %s", largeDocument, table)
	}
	return before, section, after, err
}

// drawnOf is the picture of what stands in the page's table of projects, so that the two never differ.
func drawnOf(page string) (picture []byte, err error) {
	_, section, _, err := largeTable(page, "projects")
	var all []largeOutcome
	for _, line := range strings.Split(section, "\n") {
		var o largeOutcome
		var took float64
		line = strings.NewReplacer("|", " ", " s ", " ", "MB", "").Replace(line)
		if n, _ := fmt.Sscan(line, &o.name, &o.server, &o.files, &took, &o.cold.calls, &o.cold.processor, &took, &took,
			&o.warm.calls, &o.warm.processor, &took, &o.cold.total, &o.cold.server, &o.cold.lspi); n == 14 {
			all = append(all, o)
		}
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s has no made projects", largeDocument)
	}
	return largePlot(all).svg(), err
}

// The picture is that of the table; -update draws it anew.
func TestLargePicture(t *testing.T) {
	page, err := os.ReadFile(largeDocument)
	testkit.Must(t, err)
	want, err := drawnOf(string(page))
	testkit.Must(t, err)
	if *update {
		pictureDrawn = true
		testkit.Must(t, os.WriteFile(largePicture, want, 0o644))
	}
	got, err := os.ReadFile(largePicture)
	testkit.Must(t, err)
	testkit.Equal(t, string(got), string(want), "the picture is not that of the table")
}

// pictureDrawn: the picture is what -update was for.
var pictureDrawn bool

// measuredOn says on what machine a table was measured.
func measuredOn(m machine) string {
	out := fmt.Sprintf("Measured with %d cores, %s of memory, %s, %s; the load average before was %s.", m.cores, m.memory,
		m.system, m.goVersion, m.loadBefore)
	if m.busy() {
		out += " Other programs ran at the same time: the times are longer than on a machine that does nothing else."
	}
	return out + "\n\n"
}

// tableOf is a table of Markdown; "" without rows. A heading that ends in : is of figures.
func tableOf(headings string, rows []string) string {
	if len(rows) == 0 {
		return ""
	}
	var names, lines strings.Builder
	for _, name := range strings.Split(headings, "|") {
		name, figures := strings.CutSuffix(name, ":")
		names.WriteString("| " + name + " ")
		lines.WriteString("|---" + map[bool]string{true: ":"}[figures])
	}
	return names.String() + "|\n" + lines.String() + "|\n" + strings.Join(rows, "")
}

func projectsTable(all []largeOutcome) string {
	var rows []string
	for _, o := range all {
		claims := slices.Compact([]string{o.cold.claim, o.warm.claim})
		rows = append(rows, fmt.Sprintf("| %s | %s | %d | %s | %d | %s | %s | %s | %d | %s | %s | %d | %.0f MB | %.0f MB | %d | %s |\n",
			o.name, o.server, o.files, seconds(o.cold.took), o.cold.calls, cpuSeconds(o.cold), seconds(o.warming),
			seconds(o.warm.took), o.warm.calls, cpuSeconds(o.warm), seconds(o.warm.again), o.warm.total,
			max(o.cold.server, o.warm.server), max(o.cold.lspi, o.warm.lspi), o.warm.watches, strings.Join(claims, ", then ")))
	}
	return tableOf("project|server|files:|cold:|calls:|CPU:|`lspi warm`:|warm:|calls:|CPU:|again:|uses:|server:|lspi:|"+
		"watches:|answers", rows)
}

func worktreesTable(all []worktreeOutcome) string {
	var rows []string
	for _, o := range all {
		row := fmt.Sprintf("| %s | %s |", o.sources, o.server)
		for _, t := range []time.Duration{o.empty.first, o.own.first, o.other.first, o.empty.warming, o.own.warming,
			o.other.warming} {
			row += " " + seconds(t) + " |"
		}
		rows = append(rows, row+"\n")
	}
	return tableOf("worktrees of|server|first answer, no cache:|its own:|another worktree's:|`lspi warm`, no cache:|its own:|"+
		"another worktree's:", rows)
}

func waysTable(all []wayOutcome) string {
	var rows []string
	for _, o := range all {
		made := "–"
		if o.made > 0 {
			made = seconds(o.made)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %d | %s | %s | %d | %s | %s | %d | %.0f MB | %.0f MB | %s |\n", o.name, o.way,
			o.files, made, seconds(o.first.took), o.first.calls, cpuSeconds(o.first), seconds(o.first.again), o.first.total,
			o.first.server, o.first.lspi, o.first.claim))
	}
	return tableOf("project|by|files:|index made in:|first answer:|calls:|CPU:|again:|uses:|server:|lspi:|answers", rows)
}

func cpuSeconds(a firstAnswer) string { return fmt.Sprintf("%.1f s", a.processor) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// largePlot shows how the cost of the made projects grows with their files.
func largePlot(all []largeOutcome) plot {
	times, memory := panel{title: "CPU to the first right answer, s"}, panel{title: "memory at most, MB"}
	for i, m := range madeProjects {
		cold, warm := series{name: m.name + ", no caches", colour: 2 * i}, series{name: m.name + ", behind lspi warm",
			colour: 2 * i, dashed: true}
		server, own := series{name: m.server, colour: 2 * i}, series{name: "lspi beside it", colour: 2*i + 1}
		for _, o := range all {
			if o.name != m.name {
				continue
			}
			x := float64(o.files)
			cold.points = append(cold.points, point{x, o.cold.processor})
			warm.points = append(warm.points, point{x, o.warm.processor})
			server.points = append(server.points, point{x, max(o.cold.server, o.warm.server)})
			own.points = append(own.points, point{x, max(o.cold.lspi, o.warm.lspi)})
		}
		if len(cold.points) > 0 {
			times.series, memory.series = append(times.series, cold, warm), append(memory.series, server, own)
		}
	}
	return plot{"How the cost of a project grows with its files", []panel{times, memory}}
}

func TestLargeSection(t *testing.T) {
	all := []largeOutcome{{name: "rust", server: "rust-analyzer", files: 1000, warming: 2 * time.Second,
		cold: firstAnswer{took: 3 * time.Second, processor: 4, calls: 2, claim: "complete", total: 21, server: 700, lspi: 40},
		warm: firstAnswer{took: time.Second, processor: 2, calls: 1, again: 100 * time.Millisecond, claim: "complete", total: 21, server: 650,
			lspi: 44, watches: 12}}}
	trees := []worktreeOutcome{{server: "gopls", sources: "x-tools", empty: worktreeTimes{time.Second, 2 * time.Second},
		own: worktreeTimes{3 * time.Second, 4 * time.Second}, other: worktreeTimes{5 * time.Second, 6 * time.Second}}}
	ways := []wayOutcome{{name: "kubernetes", way: "here", files: 9, first: all[0].cold}}
	section := measuredOn(machine{cores: 2, loadBefore: "3.00"}) + projectsTable(all) + worktreesTable(trees) + waysTable(ways)
	testkit.Holds(t, section, "Other programs ran")
	testkit.Holds(t, section,
		"| rust | rust-analyzer | 1000 | 3.0 s | 2 | 4.0 s | 2.0 s | 1.0 s | 1 | 2.0 s | 0.1 s | 21 | 700 MB | 44 MB | 12 | complete |")
	testkit.Holds(t, section, "| x-tools | gopls | 1.0 s | 3.0 s | 5.0 s | 2.0 s | 4.0 s | 6.0 s |")
	testkit.Holds(t, section, "| kubernetes | here | 9 | – | 3.0 s | 2 | 4.0 s | 0.0 s | 21 | 700 MB | 40 MB | complete |")
	p := largePlot(all)
	testkit.Equal(t, len(p.panels[0].series)+len(p.panels[1].series), 4, "only what was measured")
	testkit.Equal(t, p.panels[0].series[1].points[0], point{1000, 2})
	drawn, err := drawnOf(largeBegin("projects") + section + largeEnd)
	testkit.Must(t, err)
	testkit.Equal(t, string(drawn), string(p.svg()), "what is drawn of the table")
	if _, err := drawnOf(largeBegin("projects") + worktreesTable(trees) + largeEnd); err == nil {
		t.Error("something is drawn of worktrees alone")
	}
	testkit.Equal(t, projectsTable(nil), "")
}

// The made projects have as many sources as they say, and each word of the shared function that is counted.
func TestMadeProjects(t *testing.T) {
	for _, m := range madeProjects {
		root, uses := m.written(t, 250)
		sources, words := 0, 0
		testkit.Must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			if strings.HasPrefix(d.Name(), "m") && d.Name() != "mod.rs" {
				sources++
			}
			for _, form := range []string{"shared(", "{ shared }", "::shared;"} {
				words += strings.Count(string(raw), form)
			}
			return err
		}))
		testkit.Equal(t, sources, 250, m.name)
		testkit.Equal(t, words, uses, m.name)
	}
}
