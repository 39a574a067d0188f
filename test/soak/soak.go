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

// options of one soak.
type options struct {
	program string // lspi
	server  string
	seed    uint64
	length  time.Duration
	steps   int    // 0 for as many as fit
	faults  bool   // kills, holds and cancellations
	fresh   int    // every so many steps a fresh server is asked as well; 0 never
	only    string // the tool that is asked; "" for all
	loop    bool   // the edit loop instead of random edits and questions
	work    string
	log     bool
	hosts   int // that share one process; 0 for one with an lspi of its own
}

// errByUs is the cause of a cancellation.
var errByUs = errors.New("cancelled by the soak")

// soak is one run.
type soak struct {
	options
	out      io.Writer
	language language
	project  *project
	earlier  *project
	disk     *disk
	tree     *tree // that the disk has
	hosts    *hosts
	faults   *faults
	chance   *rand.Rand // of what does not change edits and questions
	report   *report
	history  []string // what the last steps did
}

// run soaks until ctx ends, the time is over or the steps are done. Its error is that it could not go on.
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

// warm is the step after which lspi should hold no more.
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

// step edits, asks several questions at once and judges the answers. In some steps the edits come while the questions
// are under way.
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

// edit changes the model.
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

// ask puts all questions at once, with what happens meanwhile.
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

// any is one of the hosts.
func (s *soak) any() *host { return s.hosts.all[s.chance.IntN(len(s.hosts.all))] }

// rest is nothing mostly, and sometimes long enough for a server to do what it puts off.
func (s *soak) rest(ctx context.Context) {
	switch s.chance.IntN(10) {
	case 0:
		pause(ctx, time.Duration(s.chance.IntN(3000))*time.Millisecond)
	case 1, 2, 3:
		pause(ctx, time.Duration(s.chance.IntN(200))*time.Millisecond)
	}
}

// compare asks an lspi of its own, with a fresh server on a second copy of the tree, until it answers completely:
// so the truth itself is checked.
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

// historySteps is how much of what came before is printed with a wrong answer.
const historySteps = 3

// tell prints how to get a wrong answer again, and whether it stays wrong, and keeps the tree.
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
