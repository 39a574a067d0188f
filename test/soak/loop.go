//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// round is a step of an agent's edit loop: it puts an error into a file, asks get_diagnostics about the file, mends the
// error and asks again. Unlike in other steps, each answer has to show what is on disk: one that only says that
// something may be missing makes the agent ask again.
func (s *soak) round(ctx context.Context, n int) error {
	r := rand.New(rand.NewPCG(s.seed, uint64(n)))
	f := pick(r, s.project.functions())
	at := r.IntN(len(f.body) + 1)
	f.body = slices.Insert(f.body, at, statement{broken: true, text: pick(r, s.language.errors)})
	if err := s.toldAt(ctx, r, n, f, fmt.Sprintf("break line %d of %s: %q", at+1, f.name,
		f.body[at].text)); err != nil {
		return err
	}
	f.body = slices.Delete(f.body, at, at+1)
	return s.toldAt(ctx, r, n, f, "mend "+f.name)
}

// toldAt writes the project as it is now, asks for the diagnostics of a function's file and judges the answer.
func (s *soak) toldAt(ctx context.Context, r *rand.Rand, n int, f *symbol, words string) error {
	if s.chance.IntN(4) == 0 {
		pause(ctx, time.Duration(s.chance.IntN(300))*time.Millisecond)
	}
	s.history = append(s.history, fmt.Sprintf("round %d: %s", n, words))
	s.tree = s.language.render(s.project, s.disk.root)
	if err := s.disk.apply(r, nil, s.tree); err != nil {
		return err
	}
	at, _ := s.tree.definition(f.name)
	q := diagnosticsOf(at.path)
	a := s.any().call(ctx, q.tool, q.arguments)
	if ctx.Err() != nil {
		return nil
	}
	v, why := judgeTold(q, a, s.tree)
	s.report.add(q, a, v)
	if v >= wrong {
		s.tell(ctx, n, q, a, v, why, "")
	}
	return nil
}

// judgeTold is judge for answers that have to be true even when they claim to be incomplete; otherwise they are late.
func judgeTold(q question, a answer, t *tree) (verdict, string) {
	v, why := judge(q, a, t)
	if v != honest {
		return v, why
	}
	if a.Error != nil {
		return late, a.Error.Message + "\n"
	}
	got, err := q.read(a.raw)
	if err != nil {
		return broken, err.Error()
	}
	if want := q.truth(t); !fits(a, got, want) {
		return late, difference(got, want, a)
	}
	return honest, ""
}
