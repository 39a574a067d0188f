package hooks

import (
	"context"
	"maps"
	"slices"

	"lspi/tools/answer"
)

// AtEnd returns the errors that the session brought and that are still there, before its turn ends: each once, so that
// an error that the model leaves as it is does not hold up each turn. A turn that goes on because of such an answer is
// not held up again.
func (st *State) AtEnd(ctx context.Context, c *answer.Call, e *Event) (Answer, error) {
	if e.Continued {
		return Answer{}, nil
	}
	release, err := st.take(ctx)
	if err != nil {
		return Answer{}, err
	}
	defer release()
	l := &look{st: st, c: c}
	if err := l.findChanges(ctx, e); err != nil {
		return Answer{}, err
	}
	l.changed = true // all files with errors are asked about anew
	if err := l.find(ctx); err != nil {
		return Answer{Owed: len(st.owed)}, err
	}
	l.news, l.takeBack = nil, nil // they are among those that follow
	for _, path := range slices.Sorted(maps.Keys(st.files)) {
		f := st.files[path]
		if _, owed := st.owed[path]; !owed {
			left, was := without(f.brought, f.ended), f.ended
			l.news = append(l.news, left...)
			l.takeBack = append(l.takeBack, func() { f.ended = was })
			f.ended = slices.Concat(was, left)
		}
	}
	return l.tell(headEnd), nil
}
