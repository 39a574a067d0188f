package compare

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// trialProject is a corpus in which TestAuditTrial hides uses.
type trialProject struct {
	corpus, program string
	extensions      []string
	declares        []declaring
	moves           []move
}

// declaring matches a line that declares a symbol, by its kind. It captures the name, and may capture the container.
type declaring struct {
	kind string
	line *regexp.Regexp
}

var trialProjects = []trialProject{
	{"cobra", "gopls", []string{"go"}, goDeclares, goMoves},
	{"x-tools", "gopls", []string{"go"}, goDeclares, goMoves},
	{"leveldb", "clangd", []string{"cc", "h"}, cppDeclares, cppMoves},
	{"regex-syntax", "rust-analyzer", []string{"rs"}, rustDeclares, rustMoves},
	{"zod", "typescript-language-server", []string{"ts"}, scriptDeclares, scriptMoves},
	{"click", "pyright-langserver", []string{"py"}, pythonDeclares, pythonMoves},
}

// smallTrial is how many moves a run of every day makes, in the first corpus.
const smallTrial = 5

// hiddenUse is a symbol, one of its uses, and the tree in which it is.
type hiddenUse struct {
	root, name, kind, container string
	rng                         *rand.Rand
	declared, used              mark     // relative to root
	lines                       []string // of the file of the use
	own                         string   // the text of the declaring file
}

// mark is a line of a file.
type mark struct {
	path string
	line int
}

// change is a file that a move writes, with a text or as a link; where is the line that has the use now.
type change struct {
	path, text, link string
}

// move hides a use of a symbol where servers do not see it. It gives nothing for a symbol that cannot be used there.
type move struct {
	name string
	// told says that a warning of kind mentions is enough: the use is a string.
	told  bool
	apply func(m *hiddenUse) (changes []change, at mark)
}

// TestAuditTrial moves uses of random symbols to where the servers do not see them, and asks for the references each
// time: an answer that is called complete has to have the place. When the use is moved back the answer is complete
// again. LSPI_TRIALS=200 makes that many moves in each corpus, LSPI_TRIAL_MOVES selects some by a regular expression,
// LSPI_COMPARE_SEED gives other symbols.
func TestAuditTrial(t *testing.T) {
	n := number(t, "LSPI_TRIALS", 0)
	if n == 0 {
		testkit.OwnServer(t)
	}
	for i, p := range trialProjects {
		t.Run(p.corpus, func(t *testing.T) {
			if n == 0 && i > 0 {
				t.Skip("LSPI_TRIALS=200 (make audit-trial) tries this one")
			}
			testkit.Need(t, p.program)
			root := measuredProject{corpus: p.corpus}.copy(t, nil)
			root, err := filepath.EvalSymlinks(root)
			testkit.Must(t, err)
			h := fnv.New64a()
			h.Write([]byte(p.corpus))
			trial := &auditTrial{trialProject: p, session: openAll(t, root), outcomes: map[string]map[string]int{},
				rng: rand.New(rand.NewPCG(uint64(number(t, "LSPI_COMPARE_SEED", 1)), h.Sum64()))}
			trial.run(t, max(n, smallTrial), n == 0)
		})
	}
}

// auditTrial is the trial of one corpus.
type auditTrial struct {
	trialProject
	session  *compared
	rng      *rand.Rand
	outcomes map[string]map[string]int // by move: how often it ended how
}

// run makes n moves, each with another symbol; with one a symbol makes as many as it can.
func (a *auditTrial) run(t *testing.T, n int, one bool) {
	symbols := a.symbols(t)
	selected := regexp.MustCompile(os.Getenv("LSPI_TRIAL_MOVES"))
	moves := slices.DeleteFunc(slices.Clone(a.moves), func(m move) bool { return !selected.MatchString(m.name) })
	done, made := 0, map[string]int{}
	for tries := 0; done < n && tries < 20*n && len(moves) > 0; tries++ {
		m := symbols[a.rng.IntN(len(symbols))]
		arguments := with(spot{path: filepath.Join(a.session.root, m.declared.path), line: m.declared.line,
			column: m.column(t)}.at(a.session.root), everything)
		before := a.ask(t, arguments)
		uses := a.uses(t, before, m)
		if before.Completeness != "complete" || len(uses) == 0 {
			continue
		}
		m.take(t, uses[a.rng.IntN(len(uses))])
		// The rarest move first that this symbol can make.
		slices.SortStableFunc(moves, func(a, b move) int { return cmp.Compare(made[a.name], made[b.name]) })
		for _, move := range slices.Clone(moves) {
			if done < n && a.try(t, m, move, arguments, before) {
				done++
				if made[move.name]++; !one {
					break
				}
			}
		}
	}
	if done < n {
		t.Errorf("only %d of %d moves could be made", done, n)
	}
	t.Log(a.table())
}

// ask asks for the references when the server has read the project, and a few times more when lspi did not have the
// time to ask about each place, as on a busy machine: what it has asked it remembers.
func (a *auditTrial) ask(t testing.TB, arguments map[string]any) (e envelope) {
	t.Helper()
	for range 3 {
		e = a.session.decided(t, "find_references", arguments, a.session.loaded(t, "find_references", arguments))
		if !slices.ContainsFunc(e.Warnings, func(w warning) bool {
			return strings.Contains(w.Message, "did not have the time")
		}) {
			break
		}
	}
	return e
}

// symbols are the declarations of the corpus.
func (a *auditTrial) symbols(t testing.TB) (out []*hiddenUse) {
	for _, path := range files(t, a.session.root, a.extensions) {
		raw, err := os.ReadFile(path)
		testkit.Must(t, err)
		rel, err := filepath.Rel(a.session.root, path)
		testkit.Must(t, err)
		container := ""
		for i, line := range strings.Split(string(raw), "\n") {
			for _, d := range a.declares {
				found := d.line.FindStringSubmatch(line)
				if found == nil {
					continue
				}
				m := &hiddenUse{root: a.session.root, kind: d.kind, name: found[len(found)-1], container: container,
					rng: a.rng, declared: mark{rel, i + 1}, own: string(raw)}
				if len(found) > 2 {
					m.container = found[1]
				} else if d.kind == "type" {
					container = m.name
				} else if d.kind == "function" {
					container = "" // what is indented from here on is in the function
				}
				out = append(out, m)
				break
			}
		}
	}
	return out
}

// column is where the name stands in the line that declares it.
func (m *hiddenUse) column(t testing.TB) int {
	t.Helper()
	line := strings.Split(m.own, "\n")[m.declared.line-1]
	at := strings.Index(line, ") "+m.name+"(") + 2 // behind a receiver of Go
	if at < 2 {
		at = regexp.MustCompile(`(^|[^\w$])` + regexp.QuoteMeta(m.name) + `($|[^\w$])`).FindStringIndex(line)[0]
		at += strings.Index(line[at:], m.name)
	}
	return len([]rune(line[:at])) + 1
}

// take makes a use the one that is moved.
func (m *hiddenUse) take(t testing.TB, use mark) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(m.root, use.path))
	testkit.Must(t, err)
	m.used, m.lines = use, strings.Split(string(raw), "\n")
}

// uses are the places of an answer in the workspace, without the declaration.
func (a *auditTrial) uses(t testing.TB, e envelope, m *hiddenUse) (out []mark) {
	for _, key := range found(t, "find_references", e) {
		path, rest, _ := strings.Cut(key, ":")
		var at mark
		if _, err := fmt.Sscanf(rest, "%d", &at.line); err != nil || filepath.IsAbs(path) {
			continue
		}
		if at.path = path; at != m.declared {
			out = append(out, at)
		}
	}
	return out
}

// try makes one move and takes it back; false when the symbol has none of this kind.
func (a *auditTrial) try(t *testing.T, m *hiddenUse, v move, arguments map[string]any, before envelope) bool {
	t.Helper()
	changes, at := v.apply(m)
	if len(changes) == 0 {
		return false
	}
	shown := m.shown(changes)
	back := m.write(t, changes)
	after := a.ask(t, arguments)
	outcome := a.judge(t, v, after, at)
	if outcome == "MISSED" {
		t.Errorf("%s of %s %s (%s:%d): the answer is complete without %s:%d\n%s%v\n%v", v.name, m.kind, m.name,
			m.declared.path, m.declared.line, at.path, at.line, shown, found(t, "find_references", after),
			after.Warnings)
	}
	back()
	again := a.ask(t, arguments)
	if again.Completeness != "complete" ||
		!slices.Equal(found(t, "find_references", before), found(t, "find_references", again)) {
		outcome += ", not as before"
		t.Errorf("%s of %s %s (%s:%d): moved back the answer is %s: %v\n%s%v\nbefore %v", v.name, m.kind, m.name,
			m.declared.path, m.declared.line, again.Completeness, again.Warnings, m.shown(changes),
			found(t, "find_references", again), found(t, "find_references", before))
	}
	if a.outcomes[v.name] == nil {
		a.outcomes[v.name] = map[string]int{}
	}
	a.outcomes[v.name][outcome]++
	return true
}

// judge says how an answer has a place.
func (a *auditTrial) judge(t testing.TB, v move, e envelope, at mark) string {
	prefix := fmt.Sprintf("%s:%d", at.path, at.line)
	names := func(kinds ...string) bool {
		return slices.ContainsFunc(e.Warnings, func(w warning) bool {
			return slices.Contains(kinds, w.Kind) && (slices.Contains(w.Files, at.path) || len(w.Files) >= 5)
		})
	}
	switch {
	case slices.ContainsFunc(found(t, "find_references", e), func(key string) bool {
		return key == prefix || strings.HasPrefix(key, prefix+":")
	}):
		return "in the answer"
	case names("unexplained"):
		return "unexplained"
	case v.told && names("mentions"):
		return "mentioned"
	case e.Completeness == "complete":
		return "MISSED"
	case e.Error != nil:
		return "error: " + e.Reason()
	}
	return "partial: " + strings.Join(e.Kinds(), ", ")
}

// write makes the changes and returns what takes them back.
func (m *hiddenUse) write(t testing.TB, changes []change) (back func()) {
	t.Helper()
	var undo []func()
	for _, c := range changes {
		path := filepath.Join(m.root, c.path)
		if filepath.IsAbs(c.path) {
			path = c.path
		}
		raw, err := os.ReadFile(path)
		if err == nil {
			undo = append(undo, func() { testkit.Must(t, os.WriteFile(path, raw, 0o644)) })
		} else {
			made := path // what has to go: the file, or the first folder made for it
			for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
				if _, err := os.Lstat(dir); err == nil {
					break
				}
				made = dir
			}
			undo = append(undo, func() { testkit.Must(t, os.RemoveAll(made)) })
		}
		testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if c.link != "" {
			testkit.Must(t, os.Symlink(c.link, path))
			continue
		}
		testkit.Must(t, os.WriteFile(path, []byte(c.text), 0o644))
	}
	slices.Reverse(undo)
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// shown is what the changes write, as txtar; of a file that was there the lines that are new.
func (m *hiddenUse) shown(changes []change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "-- %s --\n", c.path)
		if c.link != "" {
			fmt.Fprintf(&b, "link to %s\n", c.link)
		}
		raw, _ := os.ReadFile(filepath.Join(m.root, c.path))
		was := strings.Split(string(raw), "\n")
		for i, line := range strings.Split(c.text, "\n") {
			if i >= len(was) || line != was[i] {
				if fmt.Fprintf(&b, "%d: %s\n", i+1, line); b.Len() > 1500 {
					break
				}
			}
		}
	}
	return b.String()
}

// table is how often each move ended how.
func (a *auditTrial) table() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(a.outcomes)) {
		fmt.Fprintf(&b, "\n%-24s", name)
		for _, outcome := range slices.Sorted(maps.Keys(a.outcomes[name])) {
			fmt.Fprintf(&b, " %s %d;", outcome, a.outcomes[name][outcome])
		}
	}
	return b.String()
}
