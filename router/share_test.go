//go:build unix

package router

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// beside is another pool of the group of p over the same folder, with a table of its own.
func (p *fixture) beside(change func(*Table)) *fixture {
	p.Helper()
	table := *p.table
	table.Specs = slices.Clone(p.table.Specs)
	change(&table)
	o := p.opt
	o.Table, o.Group = &table, p.group
	q := &fixture{TB: p.TB, Pool: NewPool(o), dir: p.dir, table: &table, server: p.server}
	p.Cleanup(q.Close)
	return q
}

func same(*Table) {}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// Pools with the same server share its process and its journal, which both end with the last of them; one that
// differs in the settings of one server shares the others, and sees only its own.
func TestPoolsShare(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil, "a.w", "X")
	other := p.table.Specs[0]
	other.ID = "other"
	p.table.Specs = append(p.table.Specs, other)
	q := p.beside(func(t *Table) { t.Specs[1].Settings = map[string]any{"a": 1} })
	at := func(p *fixture, i int) Route { return Route{Spec: &p.table.Specs[i], Root: p.dir} }
	shared, mine, its := p.get(at(p, 0)), p.get(at(p, 1)), q.get(at(q, 1))
	if q.get(at(q, 0)) != shared || mine == its {
		t.Fatalf("shared %v, apart %v", q.get(at(q, 0)) == shared, mine != its)
	}
	for _, c := range []struct {
		p    *fixture
		want []*lsp.Server
	}{{p, []*lsp.Server{shared, mine}}, {q, []*lsp.Server{shared, its}}} {
		if got := c.p.Running(); !slices.Equal(got, c.want) {
			t.Errorf("running %v", got)
		}
		for i, st := range c.p.Status() {
			if st.Spec != &c.p.table.Specs[i] || st.Server != c.want[i] || c.p.RouteTo(st.Server).Spec != st.Spec {
				t.Errorf("%+v", st)
			}
		}
	}
	testkit.Equal(t, len(p.group.Status(p.dir)), 3)
	testkit.Equal(t, len(p.group.Status("/elsewhere")), 0)
	journal := p.Journal(p.dir)
	if q.Journal(p.dir) != journal || shared.Journal() != journal || len(p.group.journals.open) != 1 {
		t.Errorf("%d journals", len(p.group.journals.open))
	}
	p.Close()
	if shared.Ended() || !mine.Ended() || its.Ended() {
		t.Errorf("behind the first: the shared one has ended: %v, its own %v, that of the other %v", shared.Ended(),
			mine.Ended(), its.Ended())
	}
	_, err := journal.Barrier(t.Context())
	testkit.Must(t, err)
	if q.get(at(q, 0)) != shared {
		t.Error("another server")
	}
	q.Close()
	if !shared.Ended() || !its.Ended() || len(p.group.journals.open)+len(p.group.slots)+len(p.group.ending) > 0 {
		t.Errorf("behind the last: %+v", p.group)
	}
	if _, err := journal.Barrier(t.Context()); err == nil {
		t.Error("the journal lives")
	}
}

// Each thing that decides about a process or about what it is told keeps pools apart.
func TestPoolsApart(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil)
	environ := os.Environ()
	p.table.Specs[0].Environ = environ
	venv := &spec.Packages{Homes: []spec.Home{{Variable: "VIRTUAL_ENV"}}}
	with := func(entry string) func(*Table) {
		return func(t *Table) { t.Specs[0].Environ = append(slices.Clone(environ), entry) }
	}
	first := p.keyOf(p.route())
	for name, change := range map[string]func(*Table){
		"what every server sees of the host's environment": with("PATH=/bin"),
		"where programs are looked for":                    with("GOBIN=/bin"),
		"environment": func(t *Table) {
			t.Specs[0].Env = map[string]string{"A": "b"}
		},
		"trust": func(t *Table) {
			t.Specs[0] = t.Specs[0].Restricted([]string{t.Workspace})
		},
		"roots": func(t *Table) { t.Roots = []string{"/elsewhere"} },
		"not a number, which has no JSON": func(t *Table) {
			t.Specs[0].Settings = map[string]any{"a": math.NaN()}
		},
		"folders that another server leaves out": func(t *Table) {
			t.Specs = append(t.Specs, spec.Spec{ID: "other", SkipDirs: []string{"made"}})
		},
	} {
		if q := p.beside(change); q.keyOf(q.route()) == first {
			t.Errorf("%s: shared", name)
		}
	}
	for name, change := range map[string]func(*Table){
		"nothing":      same,
		"the terminal": with("TERM=lspi-test"),
		"the host":     with("CLAUDECODE=lspi-test"),
		"a process of Codex": with("PATH=/home/a/.codex/tmp/arg0/codex-arg0lspi" + string(os.PathListSeparator) +
			os.Getenv("PATH")),
		"another language": with("VIRTUAL_ENV=/lspi-test"),
		"another server":   func(t *Table) { t.Specs = append([]spec.Spec{{ID: "other"}}, t.Specs...) },
		"withheld":         func(t *Table) { t.Withheld = []Withheld{{File: "/x"}} },
	} {
		q := p.beside(change)
		if got := q.keyOf(Route{Spec: q.specByID("fake"), Root: p.dir}); got != first {
			t.Errorf("%s: not shared", name)
		}
	}
	one, other := p.table.Specs[0], p.table.Specs[0]
	one.Packages, other.Packages, other.Environ = venv, venv, append(slices.Clone(environ), "VIRTUAL_ENV=/lspi-test")
	if p.digest(&one) == p.digest(&other) {
		t.Error("an environment of packages: shared")
	}
}

// A server goes on when others come or go, where the table leaves out the same folders with any servers, and one
// that no pool has any more ends.
func TestServersComeAndGo(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil, "a.w", "X")
	other := p.table.Specs[0]
	other.ID, other.SkipDirs = "other", []string{"made"}
	skipped := []string{"built", "made"}
	both := p.beside(func(t *Table) { t.Specs, t.SkipDirs = append(t.Specs, other), skipped })
	stays, goes := both.get(both.route()), both.get(Route{Spec: &both.table.Specs[1], Root: p.dir})
	alone := p.beside(func(t *Table) { t.SkipDirs = skipped })
	both.Close()
	if alone.get(alone.route()) != stays || stays.Ended() || !goes.Ended() {
		t.Errorf("the one that both have has ended: %v, the other one: %v", stays.Ended(), goes.Ended())
	}
	testkit.Equal(t, len(alone.Running()), 1)
	again := p.beside(func(t *Table) { t.Specs, t.SkipDirs = append([]spec.Spec{other}, t.Specs...), skipped })
	alone.Close()
	if again.get(Route{Spec: &again.table.Specs[1], Root: p.dir}) != stays {
		t.Error("another server")
	}
	if p.get(p.route()) == stays {
		t.Error("a table that leaves out other folders shares")
	}
}

// No field of a spec that is data is forgotten.
func TestDigestHasEveryField(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil)
	seen := map[string]string{p.digest(&spec.Spec{}): "none"}
	var fields func(of reflect.Value, name string, sp *spec.Spec)
	fields = func(of reflect.Value, name string, sp *spec.Spec) {
		for i := range of.NumField() {
			f, name := of.Field(i), name+"."+of.Type().Field(i).Name
			if name == "Spec.Environ" { // of which a part counts
				continue
			}
			switch f.Kind() {
			case reflect.Func:
				continue
			case reflect.Struct:
				fields(f, name, sp)
				continue
			case reflect.Map:
				f.Set(reflect.MakeMap(f.Type()))
				f.SetMapIndex(reflect.Zero(f.Type().Key()), reflect.Zero(f.Type().Elem()))
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			case reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
			case reflect.String:
				f.SetString("x")
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Uint8:
				f.SetUint(1)
			case reflect.Int, reflect.Int64:
				f.SetInt(1)
			default:
				t.Fatalf("%s is a %v", name, f.Kind())
			}
			changed := *sp
			if d := p.digest(&changed); seen[d] != "" {
				t.Errorf("%s makes no difference to %s", name, seen[d])
			} else {
				seen[d] = name
			}
			f.SetZero()
		}
	}
	one := &spec.Spec{}
	fields(reflect.ValueOf(one).Elem(), "Spec", one)
	if len(seen) < 40 {
		t.Errorf("%d fields", len(seen))
	}
}

// A process with other settings that no pool sees any more is gone before the one that takes its place starts.
func TestStartWaitsForTheOutdated(t *testing.T) {
	p := newFixture(t,
		&lsptest.Script{IgnoreEOF: true, Rules: []lsptest.Rule{rule("shutdown", hang), rule("exit", hang)}}, nil)
	p.get(p.route())
	first := p.pids()[0]
	q := p.beside(func(t *Table) { t.Specs[0].Settings = map[string]any{"a": 1} })
	p.Detach()
	if _, _, err := p.Get(t.Context(), p.route()); kindOf(err) != contract.KindCancelled {
		t.Errorf("a server of a pool that ends: %v", err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		wait(t, "the start", func() bool { return len(q.Status()) == 1 && q.Status()[0].State == "starting" })
		p.Close()
	})
	q.get(q.route())
	if alive(first) {
		t.Error("both run")
	}
	group.Wait()
	testkit.Equal(t, len(p.pids()), 2)
}

// A start that one pool asked for goes on for another one when the first is closed, whose callers are told.
func TestSharedStartGoesOn(t *testing.T) {
	p := newFixture(t, &lsptest.Script{Rules: []lsptest.Rule{rule("initialize", lsptest.Action{DelayMS: 300})}}, nil)
	q := p.beside(same)
	var group sync.WaitGroup
	group.Go(func() {
		if _, _, err := p.Get(t.Context(), p.route()); kindOf(err) != contract.KindCancelled {
			t.Errorf("%v", err)
		}
	})
	wait(t, "initialize", func() bool { return len(lsptest.Messages(p.seen(), "initialize")) == 1 })
	p.Close()
	group.Wait()
	q.get(q.route())
	testkit.Equal(t, len(p.pids()), 1)
}

// A server that one pool's caller has exclusively is not asked by another pool's meanwhile.
func TestExclusiveOverPools(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil)
	q := p.beside(same)
	caller := p.NewCaller()
	s, release, err := caller.Get(t.Context(), p.route())
	testkit.Must(t, err)
	end, err := caller.Exclusive(t.Context(), s)
	testkit.Must(t, err)
	late := q.taken()
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := q.Get(limited, q.route()); kindOf(err) != contract.KindRequestTimeout || over(late) {
		t.Errorf("a caller of another pool: %v", err)
	}
	end()
	<-late
	release()
}

// Journals of ignored folders are apart only where the servers differ in which they leave out.
func TestJournalsByWhatIsLeftOut(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, func(s *spec.Spec) {
		s.SkipDirs = []string{"made"}
	}, "made/a.w", "X", ".gitignore", "made\n")
	q := p.beside(func(t *Table) { t.Specs[0].SkipDirs = nil })
	r := p.beside(func(t *Table) { t.Specs[0].Settings = map[string]any{"a": 1} })
	made := filepath.Join(p.dir, "made", "a.w")
	for _, c := range []struct {
		p    *fixture
		want bool
	}{{p, false}, {q, true}, {r, false}} {
		j := c.p.Journal(p.dir)
		_, err := j.Barrier(t.Context())
		testkit.Must(t, err)
		testkit.Equal(t, j.Tracks(made), c.want)
	}
	testkit.Equal(t, len(p.group.journals.open), 2)
}

// The workspace that was used longest ago gives its servers first, the one that was used longest ago before the
// others of it.
func TestLimitsByWorkspace(t *testing.T) {
	p, q := folders(t), folders(t)
	q.Pool.Close()
	o := q.opt
	o.Group, o.MaxServers = p.group, 3
	q.Pool = NewPool(o)
	t.Cleanup(q.Close)
	q.get(q.route("a"))
	p.get(p.route("a"))
	p.get(p.route("b"))
	q.get(q.route("b")) // evicts p's, though q's a is older
	const why = "(more than 3 servers would run)"
	testkit.Equal(t, p.states()+", "+q.states(), "/a:stopped"+why+" /b:running, /a:running /b:running")
}

// A pool that is closed while another one opens and asks leaves one process each time, and none in the end.
func TestPoolsComeAndGo(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil)
	group := p.group
	pools := []*fixture{p}
	for range 12 {
		next := pools[len(pools)-1].beside(same)
		var both sync.WaitGroup
		both.Go(pools[len(pools)-1].Close)
		both.Go(func() { next.get(next.route()) })
		both.Wait()
		pools = append(pools, next)
		group.mu.Lock()
		testkit.Equal(t, len(group.slots), 1)
		group.mu.Unlock()
	}
	pools[len(pools)-1].Close()
	for _, pid := range p.pids() {
		wait(t, fmt.Sprint("the end of ", pid), func() bool { return !alive(pid) })
	}
	testkit.Equal(t, len(p.pids()), 1)
}

// The traffic of a shared server is for each pool that traces while it is open, also where another one has started
// the server.
func TestTraceOfASharedServer(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil, "a.w", "X")
	s := p.get(p.route())
	var mu sync.Mutex
	var seen []string
	o := p.opt
	o.Group, o.Trace = p.group, func(server string, sent bool, message []byte) {
		mu.Lock()
		defer mu.Unlock()
		if sent {
			seen = append(seen, server+" "+string(message))
		}
	}
	hovers := func() int {
		_, _ = s.Unverified().Hover(t.Context(), filepath.Join(p.dir, "a.w"), contract.Position{Line: 1, Character: 1})
		mu.Lock()
		defer mu.Unlock()
		return len(slices.DeleteFunc(slices.Clone(seen), func(m string) bool {
			return !strings.HasPrefix(m, "fake ") || !strings.Contains(m, "textDocument/hover")
		}))
	}
	testkit.Equal(t, hovers(), 0)
	q := NewPool(o)
	testkit.Equal(t, hovers(), 1)
	q.Close()
	testkit.Equal(t, hovers(), 1)
	if p.get(p.route()) != s {
		t.Error("another server")
	}
}
