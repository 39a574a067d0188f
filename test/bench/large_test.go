//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// BenchmarkLarge measures large projects, one server at a time, where LSPI_LARGE names rows: typescript, rust,
// kubernetes, worktrees, ways, or all of them by all. LSPI_LARGE=rust with -bench 'Large/rust/1000' selects one size.
func BenchmarkLarge(b *testing.B) {
	wanted, before := strings.Split(os.Getenv("LSPI_LARGE"), ","), loadAverage()
	row := func(name string, measure func(*testing.B)) {
		b.Run(name, func(b *testing.B) {
			if !slices.Contains(wanted, name) && !slices.Contains(wanted, "all") {
				b.Skip("set LSPI_LARGE=" + name)
			}
			measure(b)
			if *update { // the rows take long, and one that fails costs none of the others
				testkit.Must(b, writeLarge(here(before, 0)))
			}
		})
	}
	for _, m := range madeProjects {
		row(m.name, func(b *testing.B) {
			for _, files := range m.sizes {
				b.Run(fmt.Sprint(files), func(b *testing.B) { measureMade(b, m, files) })
			}
		})
	}
	row("worktrees", measureWorktrees)
	row("kubernetes", measureKubernetes)
	row("ways", measureWays)
}

// largeOutcome is one project: the first right answer of a process without caches, and of one behind lspi warm.
type largeOutcome struct {
	name, server string
	files        int
	cold, warm   firstAnswer
	warming      time.Duration // of lspi warm
}

var largeOutcomes []largeOutcome

// firstAnswer is what one process of lspi and its server took to the first right answer.
type firstAnswer struct {
	took, again  time.Duration // from the start of lspi's process; and the same question once more
	processor    float64       // seconds of lspi, of the server and of what ended meanwhile, to both answers
	calls        int           // to the first right answer: each has 50 s
	claim        string        // of that
	total        int           // uses
	server, lspi float64       // what they have in memory at the most, in MB
	watches      int           // of lspi
}

// largeLimit bounds the wait for a first right answer, and lspi warm.
const largeLimit = 20 * time.Minute

// maxLspiMB is what lspi itself may have in memory at a made project, with 50,000 files too.
const maxLspiMB = 250

// largeProject is a project with caches of its own, and the server that it is asked by.
type largeProject struct {
	row, root string
	env       []string
	arguments map[string]any
	right     func(total int) bool
}

func newLargeProject(b *testing.B, row, root string) *largeProject {
	b.Helper()
	testkit.Need(b, rowOf(b, row).Commands[0].Name)
	return &largeProject{row: row, root: root, env: append(ownHome(b), "LSPI_CONFIG_PATH="+largeConfig(b, row, ""))}
}

// largeConfig writes a configuration with one server, whose entry has more.
func largeConfig(b *testing.B, row, entry string) (path string) {
	path = filepath.Join(testkit.TempDir(b), "lspi.toml")
	// An answer that is cut is partial for that alone.
	testkit.Write(b, path, fmt.Sprintf("catalogue = false\nmcp.output.max_total_chars_default = 1000000\n"+
		"mcp.output.max_total_chars_hard = 1000000\n\n[[servers]]\nid = %q\n%s", row, entry))
	return path
}

// first starts lspi and asks for the references until they are right. What is not right may be an error, or partial.
func (p *largeProject) first(b *testing.B) (out firstAnswer) {
	b.Helper()
	began := time.Now()
	h, _ := startHost(b, testkit.Program(b), p.root, p.env...)
	defer stop(b, h)
	for {
		a := asked(b, h, "find_references", p.arguments)
		out.took, out.claim = time.Since(began), a.claim()
		out.calls++
		var found struct{ Total int }
		testkit.Must(b, json.Unmarshal(a.structured, &found))
		if out.total = found.Total; a.OK && p.right(found.Total) && !loading(a) {
			break
		}
		if a.Completeness == "complete" {
			b.Fatalf("%d references are called complete: %.2000s", found.Total, a.structured)
		}
		if out.took > largeLimit {
			b.Fatalf("no right answer in %s: %.2000s", largeLimit, a.structured)
		}
		time.Sleep(50 * time.Millisecond) // an error may come at once
	}
	out.again = asked(b, h, "find_references", p.arguments).took
	out.watches = watches(h.Cmd.Process.Pid)
	for _, process := range testkit.Tree(h.Cmd.Process.Pid) {
		out.processor += processorTime(process.PID)
		if process.PID == h.Cmd.Process.Pid {
			out.lspi = resident(b, process.PID, "VmHWM:")
		} else if mb, ok := peak(process.PID); ok {
			out.server += mb
		}
	}
	return out
}

// peak is what a process had in memory at the most, in MB; not ok when it is gone.
func peak(pid int) (mb float64, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, found := strings.Cut(string(raw), "VmHWM:")
	var kb float64
	if _, scanned := fmt.Sscan(rest, &kb); err != nil || !found || scanned != nil {
		return 0, false
	}
	return kb / 1024, true
}

// processorTime is what a process and its children that ended have used (proc(5), stat: 14 to 17, in hundredths of a
// second), in seconds. Unlike the time of an answer it hardly depends on what else runs.
func processorTime(pid int) (sum float64) {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // of one that is gone nothing
	_, rest, _ := strings.Cut(string(raw), ") ")
	for i, field := range strings.Fields(rest) {
		if n, err := strconv.Atoi(field); err == nil && i >= 11 && i <= 14 {
			sum += float64(n) / 100
		}
	}
	return sum
}

// watches counts the watches of inotify that a process has (proc(5), fdinfo).
func watches(pid int) (n int) {
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	for _, path := range all {
		raw, _ := os.ReadFile(path)
		n += strings.Count("\n"+string(raw), "\ninotify wd:")
	}
	return n
}

// warmed runs lspi warm and returns how long it took.
func (p *largeProject) warmed(b *testing.B) time.Duration {
	b.Helper()
	cmd := exec.Command(testkit.Program(b), "warm", p.root, "--trust", "all", "--timeout", largeLimit.String())
	cmd.Env = append(os.Environ(), p.env...)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("lspi warm: %v\n%s", err, out)
	}
	return time.Since(began)
}

// measured notes cold and warm answers of a project.
func (p *largeProject) measured(b *testing.B, name string, files int) largeOutcome {
	b.Helper()
	o := largeOutcome{name: name, server: p.row, files: files}
	o.cold = p.first(b)
	o.warming = p.warmed(b)
	o.warm = p.first(b)
	if o.cold.total != o.warm.total {
		b.Errorf("%d references at first, %d behind lspi warm", o.cold.total, o.warm.total)
	}
	for b.Loop() { // one sample
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(o.cold.took.Seconds(), "cold-s")
	b.ReportMetric(o.warm.took.Seconds(), "warm-s")
	b.ReportMetric(max(o.cold.server, o.warm.server), "server-MB")
	b.ReportMetric(max(o.cold.lspi, o.warm.lspi), "lspi-MB")
	b.Logf("%+v", o)
	largeOutcomes = append(largeOutcomes, o)
	return o
}

// madeProject makes a project of so many sources. Each calls a function of the source with half its number, and each
// hundredth one a function that all of these share, in two places: by its import and by a call.
type madeProject struct {
	name, server string
	sizes        []int
	file         func(i int) string
	text         func(i int) string
	project      func(files int) map[string]string // the other files
	shared       string                            // the file that declares the shared function
}

// perFolder is how many sources a folder has, and every how many one uses the shared function.
const perFolder = 100

var madeProjects = []madeProject{
	{
		name: "typescript", server: "typescript-language-server", sizes: []int{1000, 5000, 10_000, 50_000},
		file: func(i int) string { return fmt.Sprintf("src/p%d/m%d.ts", i/perFolder, i) },
		text: func(i int) string {
			shared, call := "", ""
			if i%perFolder == 0 {
				shared, call = "import { shared } from \"../shared\";\n", " + shared(this.weight)"
			}
			return fmt.Sprintf(`import { f%[2]d } from "../p%[3]d/m%[2]d";
%[4]s
export interface Options%[1]d {
  name: string;
  weight?: number;
}

export class Node%[1]d {
  constructor(readonly name: string, readonly weight: number) {}

  static from(o: Options%[1]d): Node%[1]d {
    return new Node%[1]d(o.name, o.weight ?? f%[2]d(%[1]d));
  }

  cost(): number {
    return this.name.length%[5]s;
  }
}

export function f%[1]d(n: number): number {
  return n > 0 ? f%[2]d(n - 1) : Node%[1]d.from({ name: "m%[1]d" }).cost();
}
`, i, i/2, i/2/perFolder, shared, call)
		},
		shared: "src/shared.ts",
		project: func(int) map[string]string {
			return map[string]string{"src/shared.ts": "export function shared(n: number): number {\n  return n;\n}\n",
				"tsconfig.json": `{"compilerOptions": {"strict": true, "target": "es2022", "types": []}, "include": ["src"]}` +
					"\n", "src/p0/m0.ts": "import { shared } from \"../shared\";\n\n" +
					"export function f0(n: number): number {\n  return shared(n);\n}\n"}
		},
	},
	{
		name: "rust", server: "rust-analyzer", sizes: []int{1000, 5000, 10_000},
		file: func(i int) string { return fmt.Sprintf("src/p%d/m%d.rs", i/perFolder, i) },
		text: func(i int) string {
			shared, call := "", ""
			if i%perFolder == 0 {
				shared, call = "use crate::shared::shared;\n", " + shared(self.weight)"
			}
			return fmt.Sprintf(`use crate::p%[3]d::m%[2]d::f%[2]d;
%[4]s
pub struct Node%[1]d {
    pub name: String,
    pub weight: u64,
}

impl Node%[1]d {
    pub fn new(name: &str) -> Self {
        Node%[1]d { name: name.to_string(), weight: f%[2]d(1) }
    }

    pub fn cost(&self) -> u64 {
        self.name.len() as u64%[5]s
    }
}

pub fn f%[1]d(n: u64) -> u64 {
    if n > 0 { f%[2]d(n - 1) } else { Node%[1]d::new("m%[1]d").cost() }
}
`, i, i/2, i/2/perFolder, shared, call)
		},
		shared: "src/shared.rs",
		project: func(files int) map[string]string {
			out := map[string]string{"src/shared.rs": "pub fn shared(n: u64) -> u64 {\n    n\n}\n",
				"Cargo.toml":   "[package]\nname = \"made\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"Cargo.lock":   "version = 4\n\n[[package]]\nname = \"made\"\nversion = \"0.1.0\"\n",
				"src/p0/m0.rs": "use crate::shared::shared;\n\npub fn f0(n: u64) -> u64 {\n    shared(n)\n}\n"}
			lib := "pub mod shared;\n"
			for folder := 0; folder*perFolder < files; folder++ {
				lib += fmt.Sprintf("pub mod p%d;\n", folder)
				var mod strings.Builder
				for i := folder * perFolder; i < min((folder+1)*perFolder, files); i++ {
					fmt.Fprintf(&mod, "pub mod m%d;\n", i)
				}
				out[fmt.Sprintf("src/p%d/mod.rs", folder)] = mod.String()
			}
			out["src/lib.rs"] = lib
			return out
		},
	},
}

// written writes the project and returns its folder, with how many uses the shared function has, and the declaration.
func (m *madeProject) written(b testing.TB, files int) (root string, uses int) {
	b.Helper()
	root, uses = testkit.TempDir(b), 1
	for name, text := range m.project(files) {
		testkit.Write(b, filepath.Join(root, name), text)
	}
	for i := range files {
		if i > 0 {
			testkit.Write(b, filepath.Join(root, m.file(i)), m.text(i))
		}
		if i%perFolder == 0 {
			uses += 2
		}
	}
	testkit.Must(b, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
	return root, uses
}

// opened is the project with so many sources, written.
func (m *madeProject) opened(b *testing.B, files int) (*largeProject, int) {
	root, uses := m.written(b, files)
	p := newLargeProject(b, m.server, root)
	p.arguments = map[string]any{"file_path": m.shared, "symbol_name": "shared", "max_results": 5000}
	p.right = func(total int) bool { return total == uses }
	return p, files
}

func measureMade(b *testing.B, m madeProject, files int) {
	p, _ := m.opened(b, files)
	if o := p.measured(b, m.name, files); max(o.cold.lspi, o.warm.lspi) > maxLspiMB {
		b.Errorf("lspi had %.0f MB at %d files", max(o.cold.lspi, o.warm.lspi), files)
	}
}

// worktreeOutcome is what one server takes for a working tree: without caches, with its own, and with those of another
// working tree of the same sources.
type worktreeOutcome struct {
	server, sources   string
	empty, own, other worktreeTimes
}

// worktreeTimes are the first answer, and lspi warm.
type worktreeTimes struct{ first, warming time.Duration }

var worktreeOutcomes []worktreeOutcome

// measureWorktrees measures two working trees of the same sources.
func measureWorktrees(b *testing.B) {
	for _, l := range slices.Concat(benchLanguages[:2], benchTrees) {
		if l.tree != "" && l.row != "rust-analyzer" {
			continue // of Rust, the tree: the corpus has no dependencies
		}
		b.Run(l.row, func(b *testing.B) {
			p := newLargeProject(b, l.row, l.copied(b))
			p.arguments = l.asked.place(b, p.root).in(l.asked.file, nil)
			p.right = func(total int) bool { return total > 1 }
			at := func(root string, env ...string) *largeProject {
				q := *p
				q.root, q.env = root, append(slices.Clone(p.env), env...)
				return &q
			}
			o := worktreeOutcome{server: l.row, sources: l.corpus}
			o.empty.first = at(p.root, ownHome(b)...).first(b).took
			o.empty.warming = p.warmed(b)
			o.own.first, o.own.warming = p.first(b).took, p.warmed(b)
			// Each in a working tree of its own: what the one fills, the other does not have.
			o.other.first, o.other.warming = at(l.copied(b)).first(b).took, at(l.copied(b)).warmed(b)
			for b.Loop() { // one sample
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(o.empty.warming.Seconds(), "empty-s")
			b.ReportMetric(o.own.warming.Seconds(), "own-s")
			b.ReportMetric(o.other.warming.Seconds(), "other-s")
			worktreeOutcomes = append(worktreeOutcomes, o)
		})
	}
}
