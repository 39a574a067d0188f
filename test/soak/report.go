//go:build linux

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// report counts what a soak has seen.
type report struct {
	mu       sync.Mutex
	asked    map[string]map[verdict]int // by tool; guarded by mu
	reasons  map[string]int             // errors and warnings of honest answers, by kind; guarded by mu
	words    map[string]string          // the last message of each kind; guarded by mu
	took     []time.Duration            // of answers that came; guarded by mu
	checked  int                        // questions that a fresh server was asked as well; guarded by mu
	steps    int
	edits    map[string]int
	killed   int
	held     int
	ended    int // hosts that were killed
	shared   int // shared processes that were killed
	problems int
	begin    size // of lspi after the step warm
	end      size
	left     []string // processes that still ran after the end
}

func newReport() *report {
	return &report{asked: map[string]map[verdict]int{}, reasons: map[string]int{}, words: map[string]string{},
		edits: map[string]int{}}
}

func (r *report) add(q question, a answer, v verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked[q.tool] == nil {
		r.asked[q.tool] = map[verdict]int{}
	}
	r.asked[q.tool][v]++
	if v != cancelled && v != hung && v != broken {
		r.took = append(r.took, a.took)
	}
	if v >= wrong {
		r.problems++
	}
	if v != honest {
		return
	}
	if a.Error != nil {
		r.reasons["error "+a.Reason()]++
		r.words[a.Reason()] = a.Error.Message
	}
	for _, w := range a.Warnings {
		r.reasons[a.Completeness+" "+w.Kind]++
		r.words[w.Kind] = w.Message
	}
}

// grown reports whether lspi uses more files or memory at the end than after the step warm, beyond what comes and goes.
// It is false for a run that ended before that step.
func (r *report) grown() bool {
	return r.begin != (size{}) && (r.end.files > r.begin.files+16 || r.end.kilobytes > 2*r.begin.kilobytes+100<<10)
}

func (r *report) failed() bool { return r.problems > 0 || len(r.left) > 0 || r.grown() }

func (r *report) print(w io.Writer, server string, seed uint64, took time.Duration) {
	total := map[verdict]int{}
	fmt.Fprintf(w,
		"\nsoak of %s, seed %d: %v, %d steps, %d kills, %d holds, %d hosts and %d shared processes killed\n", server,
		seed, took.Round(time.Second), r.steps,
		r.killed, r.held, r.ended, r.shared)
	edits := 0
	for _, n := range r.edits {
		edits += n
	}
	fmt.Fprintf(w, "edits: %d in all\n", edits)
	verdicts := []verdict{right, honest, torn, cancelled, wrong, hung, broken, late}
	fmt.Fprintf(w, "%-26s", "questions")
	for _, v := range verdicts {
		fmt.Fprintf(w, "%10s", v)
	}
	fmt.Fprintln(w)
	for _, tool := range slices.Sorted(maps.Keys(r.asked)) {
		fmt.Fprintf(w, "%-26s", tool)
		for _, v := range verdicts {
			fmt.Fprintf(w, "%10d", r.asked[tool][v])
			total[v] += r.asked[tool][v]
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%-26s", "all")
	for _, v := range verdicts {
		fmt.Fprintf(w, "%10d", total[v])
	}
	fmt.Fprintf(w, "\nasked of a fresh server as well: %d\n", r.checked)
	for _, reason := range slices.Sorted(maps.Keys(r.reasons)) {
		_, kind, _ := strings.Cut(reason, " ")
		fmt.Fprintf(w, "  %-40s %6d %s\n", reason, r.reasons[reason], r.words[kind])
	}
	slices.Sort(r.took)
	if n := len(r.took); n > 0 {
		fmt.Fprintf(w, "latency: p50 %v, p99 %v, longest %v\n", r.took[n/2].Round(time.Microsecond*10),
			r.took[n*99/100].Round(time.Millisecond), r.took[n-1].Round(time.Millisecond))
	}
	fmt.Fprintf(w, "lspi when warm: %d files, %d kB; at the end: %d files, %d kB; processes left: %d %v\n",
		r.begin.files, r.begin.kilobytes,
		r.end.files, r.end.kilobytes, len(r.left), r.left)
}
