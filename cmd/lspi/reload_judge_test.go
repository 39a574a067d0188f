package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// reloadLimit is how long a change may take until it is in effect (docs/configuration.md).
	reloadLimit = 500 * time.Millisecond
	// reloadQuiet is what nothing is read before, less what times of files are coarse by (jiffies of 10 ms).
	reloadQuiet = 285 * time.Millisecond
)

// reloadEpoch is a time in which the disk had one world. The disk may have had it from began on, and had it from
// done on until the next one began.
type reloadEpoch struct {
	world   reloadWorld
	unknown bool // a file is half written: nobody may have read it, unless it stayed so for long
	// removed: a file is gone, which has no time of its own: two calls have to see that.
	removed bool
	// atOnce: it counts as soon as it is seen, because trust in the workspace changed, or because the file is an
	// old one.
	atOnce      bool
	what        string
	began, done time.Time
}

// reloadCall is one answer.
type reloadCall struct {
	question     *reloadQuestion
	said         string
	began, ended time.Time
}

// reloadJudge holds answers against the worlds that they may be from.
type reloadJudge struct {
	epochs []reloadEpoch
	calls  []reloadCall
	proven []time.Time // for each epoch: since when answers cannot be from an earlier one; zero when never
}

// next is when the epoch behind one began and was there; the last one lasts.
func (j *reloadJudge) next(k int) (began, done time.Time) {
	if k+1 < len(j.epochs) {
		return j.epochs[k+1].began, j.epochs[k+1].done
	}
	end := time.Now().Add(time.Hour)
	return end, end
}

// readable is when the world of an epoch may be in effect first; false when it cannot, because it did not last.
func (j *reloadJudge) readable(k int) (time.Time, bool) {
	e := &j.epochs[k]
	at := e.began
	if k > 0 && !e.atOnce {
		at = at.Add(reloadQuiet)
	}
	_, gone := j.next(k)
	return at, !gone.Before(at)
}

// prove finds the calls that show an epoch to be in effect: those that begin when it has been there for
// [reloadLimit] and end before it is over, since every call looks at the files itself. What is gone two calls have
// to see.
func (j *reloadJudge) prove() {
	slices.SortFunc(j.calls, func(a, b reloadCall) int { return a.began.Compare(b.began) })
	j.proven = make([]time.Time, len(j.epochs))
	for k := range j.epochs {
		e := &j.epochs[k]
		if e.unknown {
			continue
		}
		over, _ := j.next(k)
		var seen time.Time
		first, _ := slices.BinarySearchFunc(j.calls, e.done, func(c reloadCall, at time.Time) int {
			return c.began.Compare(at)
		})
		for _, c := range j.calls[first:] {
			if c.began.After(over) {
				break
			}
			enough := !c.began.Before(e.done.Add(reloadLimit)) &&
				(!e.removed || !seen.IsZero() && !c.began.Before(seen.Add(reloadLimit)))
			if enough && c.ended.Before(over) && (j.proven[k].IsZero() || c.ended.Before(j.proven[k])) {
				j.proven[k] = c.ended
			}
			if seen.IsZero() || c.ended.Before(seen) {
				seen = c.ended
			}
		}
	}
	j.proven[0] = j.epochs[0].done
}

// oldest is the epoch that an answer to a call cannot be older than.
func (j *reloadJudge) oldest(c *reloadCall) int {
	for k := len(j.epochs) - 1; k > 0; k-- {
		if !j.proven[k].IsZero() && !j.proven[k].After(c.began) {
			return k
		}
	}
	return 0
}

// fallbacks are the worlds that may go on while that of an epoch is broken.
func (j *reloadJudge) fallbacks(k int) (out []*reloadWorld) {
	for i := k - 1; i >= 0; i-- {
		if j.epochs[i].unknown || j.epochs[i].world.broken() {
			continue
		}
		if _, ok := j.readable(i); !ok {
			continue
		}
		out = append(out, &j.epochs[i].world)
		if !j.proven[i].IsZero() {
			return out
		}
	}
	return out
}

// wanted are the answers that a call may have; unknown when it may be from a file that stayed half written for long.
func (j *reloadJudge) wanted(c *reloadCall) (out []string, unknown bool) {
	oldest := j.oldest(c)
	for k := oldest; k < len(j.epochs) && !j.epochs[k].began.After(c.ended); k++ {
		e := &j.epochs[k]
		at, ok := j.readable(k)
		switch {
		case k > oldest && (!ok || at.After(c.ended)):
		case e.unknown:
			unknown = true
		case !e.world.broken():
			out = append(out, c.question.expected(&e.world, nil))
			if e.world.folder && j.takenBack(k, c.ended) {
				less := e.world
				less.folder = false
				out = append(out, c.question.expected(&less, nil))
			}
		default:
			for _, fallback := range j.fallbacks(k) {
				out = append(out, c.question.expected(&e.world, fallback))
			}
		}
	}
	return out, unknown
}

// takenBack reports whether trust in the workspace was taken back behind an epoch: that counts at once, whatever
// else has changed and does not rest yet.
func (j *reloadJudge) takenBack(k int, until time.Time) bool {
	return slices.ContainsFunc(j.epochs[k+1:], func(e reloadEpoch) bool {
		return !e.world.folder && !e.began.After(until)
	})
}

// explain is what is wrong with a call; "" when one of the worlds explains it.
func (j *reloadJudge) explain(c *reloadCall) string {
	wanted, unknown := j.wanted(c)
	if unknown || slices.ContainsFunc(wanted, func(w string) bool { return c.question.explains(w, c.said) }) {
		return ""
	}
	slices.Sort(wanted)
	var b strings.Builder
	fmt.Fprintf(&b, "%s said at %s, in %v: %q\n", c.question.tool, j.at(c.began), c.ended.Sub(c.began), c.said)
	for _, w := range slices.Compact(wanted) {
		fmt.Fprintf(&b, "  may say %q\n", w)
	}
	return b.String() + j.history(c)
}

// history is what became of the disk up to a call, from where its answer may be on.
func (j *reloadJudge) history(c *reloadCall) string {
	var b strings.Builder
	oldest := j.oldest(c)
	for k := max(0, oldest-3); k < len(j.epochs) && j.epochs[k].began.Before(c.ended); k++ {
		e := &j.epochs[k]
		fmt.Fprintf(&b, "  %d from %s to %s: %s\n", k, j.at(e.began), j.at(e.done), e.what)
	}
	return b.String()
}

func (j *reloadJudge) at(t time.Time) string { return t.Sub(j.epochs[0].done).String() }

// distrusted is what is wrong with get_current_config about trust in the workspace: it has to be what the user said
// during the call.
func (j *reloadJudge) distrusted(c *reloadCall) string {
	if !strings.Contains(c.said, "trusted true") {
		return ""
	}
	for k := range j.epochs {
		if _, gone := j.next(k); j.epochs[k].world.folder && !j.epochs[k].began.After(c.ended) &&
			!gone.Before(c.began) {
			return ""
		}
	}
	return fmt.Sprintf("at %s, in %v, an answer is from a workspace that was trusted, and is no more: %s\n%s",
		j.at(c.began), c.ended.Sub(c.began), c.said, j.history(c))
}
