package hooks

import (
	"context"
	"maps"
	"slices"

	"lspi/tools/answer"
)

// AtEnd returns the errors that the session brought and that are still there, before its turn ends. A turn that goes
// on because of such an answer is not held up again.
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
	l.news, l.fresh = nil, nil // they are among those that follow
	for _, path := range slices.Sorted(maps.Keys(st.files)) {
		f := st.files[path]
		if _, owed := st.owed[path]; !owed && len(f.brought) > 0 {
			l.news = append(l.news, slices.Clone(f.brought)...)
		}
	}
	return l.tell(headEnd), nil
}
