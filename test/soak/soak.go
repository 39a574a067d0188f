//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// options are the flags of soak.
type options struct {
	program string // lspi
	server  string
	seed    uint64
	length  time.Duration
	steps   int    // 0 for as many as fit
	faults  bool   // kill and stop processes, cancel calls
	fresh   int    // ask a fresh server as well every so many steps; 0 never
	only    string // the only tool to ask; "" for all
	loop    bool   // the edit loop instead of random edits and questions
	work    string
	log     bool
	hosts   int // how many hosts share one process; 0 for a single host with an lspi of its own
}

// errByUs is the cause of cancellations that soak makes.
var errByUs = errors.New("cancelled by the soak")

// soak is one run.
type soak struct {
	options
	out      io.Writer
	language language
	project  *project
	earlier  *project // a state for checkout; nil before there is one
	disk     *disk
	tree     *tree // what is on disk
	hosts    *hosts
	faults   *faults
	chance   *rand.Rand // for faults, cancellations and pauses, which must not change edits and questions
	report   *report
	history  []string // what each step did, for tell
}

// run makes steps until ctx ends, the time is over or all steps are done. Its error says why it could not go on; wrong
// answers are in the report.
func (s *soak) run(ctx context.Context) (err error) {
	began := time.Now()
	if err := s.open(ctx); err != nil {
		return err
	}
	defer func() {
		s.report.killed, s.report.held = s.faults.killed, s.faults.held
		s.report.end = s.hosts.family.size()
		s.report.ended, s.report.shared = s.hosts.ended, s.hosts.killed
		left, closing := s.hosts.close(context.WithoutCancel(ctx))
		s.report.left = left
		s.report.print(s.out, s.server, s.seed, time.Since(began))
		err = errors.Join(err, closing)
	}()
	take := s.step
	if s.loop {
		take = s.round
	}
	for step := 1; time.Since(began) < s.length && (s.steps == 0 || step <= s.steps) && ctx.Err() == nil; step++ {
		if err := take(ctx, step); err != nil && ctx.Err() == nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		s.report.steps = step
		if step == warm {
			s.report.begin = s.hosts.family.size()
		}
	}
	return nil
}

// warm is the step after which lspi's files and memory should not grow any more.
const warm = 30

func (s *soak) open(ctx context.Context) error {
	r := rand.New(rand.NewPCG(s.seed, 0))
	s.chance = rand.New(rand.NewPCG(s.seed, 1<<63))
	s.project = newProject(r, s.language.odd)
	s.disk = &disk{root: filepath.Join(s.work, "tree"), files: map[string]string{}}
	if err := os.MkdirAll(s.disk.root, 0o755); err != nil {
		return err
	}
	s.tree = s.language.render(s.project, s.disk.root)
	if err := s.disk.apply(r, nil, s.tree); err != nil {
		return err
	}
	logFile := ""
	if s.log {
		logFile = filepath.Join(s.work, "lspi.log")
	}
	var err error
	s.hosts, err = openHosts(ctx, s.program, s.disk.root, logFile, s.work, s.options.hosts)
	if err == nil {
		s.faults = &faults{r: s.chance, hosts: s.hosts, last: time.Now()}
	}
	return err
}

// step edits, asks several questions at once and judges the answers. In some steps the edits are made while the
// questions are in flight.
func (s *soak) step(ctx context.Context, n int) error {
	r := rand.New(rand.NewPCG(s.seed, uint64(n)))
	before := s.tree
	during := r.IntN(6) == 0
	asker := &asker{l: s.language, t: s.tree, p: s.project.clone(), r: r, moving: during, only: s.only}
	changed, after := s.edit(r)
	states := []*tree{after}
	if during {
		states = []*tree{before, after}
	} else {
		asker.t, asker.p = after, s.project
	}
	var questions []question
	for range 1 + r.IntN(6) {
		questions = append(questions, asker.random())
	}
	s.history = append(s.history, fmt.Sprintf("step %d, edits during the questions: %v\n  %s", n, during,
		strings.Join(changed.words, "\n  ")))
	if !during {
		if err := s.disk.apply(r, changed.moves, after); err != nil {
			return err
		}
	}
	answers, fault, err := s.ask(ctx, questions, func() error {
		if !during {
			return nil
		}
		pause(ctx, time.Duration(s.chance.IntN(50))*time.Millisecond)
		return s.disk.apply(r, changed.moves, after)
	})
	s.tree = after
	if err != nil || ctx.Err() != nil {
		return err
	}
	for i, q := range questions {
		v, why := judge(q, answers[i], states...)
		s.report.add(q, answers[i], v)
		if v >= wrong {
			s.tell(ctx, n, q, answers[i], v, why, fault)
		}
	}
	if s.fresh > 0 && n%s.fresh == 0 {
		if err := s.compare(ctx, n, questions); err != nil {
			return err
		}
	}
	s.rest(ctx)
	return nil
}

type changes struct {
	words []string
	moves []move
}

// edit makes random edits of the model and returns them with the new tree.
func (s *soak) edit(r *rand.Rand) (changes, *tree) {
	e := &editor{p: s.project, r: r, earlier: s.earlier}
	if r.IntN(15) == 0 {
		s.earlier = s.project.clone()
	}
	var c changes
	n := r.IntN(4)
	if r.IntN(20) == 0 {
		n = 20
	}
	for range n {
		words := e.random()
		c.words = append(c.words, words)
		kind, _, _ := strings.Cut(words, " ")
		s.report.edits[kind]++
	}
	c.moves = e.moves
	return c, s.language.render(s.project, s.disk.root)
}

// ask asks all questions at once, each of one of the hosts. While they are in flight it calls meanwhile, cancels some,
// and makes faults. It returns the answers and what the faults were.
func (s *soak) ask(ctx context.Context, questions []question, meanwhile func() error) ([]answer, string, error) {
	answers := make([]answer, len(questions))
	var group sync.WaitGroup
	for i, q := range questions {
		call, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if s.options.faults && s.chance.IntN(12) == 0 {
			timer := time.AfterFunc(time.Duration(s.chance.IntN(200))*time.Millisecond, func() { cancel(errByUs) })
			defer timer.Stop()
		}
		h := s.any()
		group.Go(func() { answers[i] = h.call(call, q.tool, q.arguments) })
	}
	err := meanwhile()
	fault := ""
	if s.options.faults {
		fault = s.faults.strike(ctx)
	}
	words := ""
	if s.options.faults {
		words = s.faults.part()
	}
	group.Wait()
	if err == nil && words != "" {
		err = s.hosts.mend(ctx, s.chance.IntN(len(s.hosts.all)), words)
	}
	return answers, fault + words, err
}

// any returns one of the hosts.
func (s *soak) any() *host { return s.hosts.all[s.chance.IntN(len(s.hosts.all))] }

// rest mostly does nothing, and sometimes waits long enough for a server to do what it has deferred.
func (s *soak) rest(ctx context.Context) {
	switch s.chance.IntN(10) {
	case 0:
		pause(ctx, time.Duration(s.chance.IntN(3000))*time.Millisecond)
	case 1, 2, 3:
		pause(ctx, time.Duration(s.chance.IntN(200))*time.Millisecond)
	}
}

// compare asks another lspi, with a fresh server on a second copy of the tree, the same questions: that checks the
// truth itself.
func (s *soak) compare(ctx context.Context, n int, questions []question) error {
	second := &disk{root: filepath.Join(s.work, "second"), files: map[string]string{}}
	if err := os.RemoveAll(second.root); err != nil {
		return err
	}
	if err := os.MkdirAll(second.root, 0o755); err != nil {
		return err
	}
	t := s.language.render(s.project, second.root)
	if err := second.apply(s.chance, nil, t); err != nil {
		return err
	}
	h, err := startHost(ctx, s.program, second.root, "")
	if err != nil {
		return err
	}
	for _, q := range questions {
		a := h.call(ctx, q.tool, q.arguments)
		s.report.checked++
		if v, why := judge(q, a, t); v >= wrong {
			s.report.problems++
			s.tell(ctx, n, q, a, v, "of a fresh server:\n"+why, "")
		}
	}
	left, err := h.close(context.WithoutCancel(ctx))
	s.report.left = append(s.report.left, left...)
	return err
}

// historySteps is how many steps are printed with a wrong answer.
const historySteps = 3

// tell prints a wrong answer and how to reproduce it, asks again, and keeps a copy of the tree.
func (s *soak) tell(ctx context.Context, n int, q question, a answer, v verdict, why, fault string) {
	fmt.Fprintf(s.out, "\n%s: -server %s -seed %d, step %d, after %v, fault %q\n%s\n%s  answer: %.2000s\n", v,
		s.server, s.seed, n, a.took,
		fault, q, why, a.raw)
	fmt.Fprintln(s.out, strings.Join(s.history[max(0, len(s.history)-historySteps):], "\n"))
	for _, wait := range []time.Duration{0, 3 * time.Second} {
		pause(ctx, wait)
		again := s.any().call(ctx, q.tool, q.arguments)
		v, why := judge(q, again, s.tree)
		fmt.Fprintf(s.out, "asked again after %v: %s %s %s\n%s", wait, v, again.Completeness, again.Reason(), why)
	}
	kept := filepath.Join(s.work, fmt.Sprintf("%s-step-%d", strings.ToLower(v.String()), n))
	_ = os.RemoveAll(kept)
	if err := os.CopyFS(kept, os.DirFS(s.disk.root)); err == nil {
		fmt.Fprintln(s.out, "the tree is kept in", kept)
	}
}
