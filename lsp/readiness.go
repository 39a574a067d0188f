package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/lsp/spec"
)

// Status is what is known of a server's project: whether it is loaded and indexed, and how we know.
type Status struct {
	Ready      bool   // it may be asked; with Known false that is an assumption
	Known      bool   // the server gives a sign, and Ready rests on it
	Evidence   string // the sign, for people: "serverStatus quiescent"
	Percent    int    // 0 to 100 of the work in progress, -1 when the server does not tell
	Message    string // what it works on, in its own words; "" when idle
	Health     string // "ok", "warning" or "error" as rust-analyzer says; "" when it says nothing
	HealthNote string // its words about Health, without what is told in other ways ([spec.Loads].Health)
	Generation uint64 // grows whenever a ready server begins to load anew, so that two equal ones enclose no reload
}

// SameLoad reports whether the project was neither begun to be loaded anew nor loaded between two moments.
func (st Status) SameLoad(later Status) bool {
	return later.Generation == st.Generation && later.Ready == st.Ready
}

// Warning is the warning that a status puts on an answer that was given under it; ok is false when there is none.
func (st Status) Warning(serverID string) (w contract.Warning, ok bool) {
	switch {
	case !st.Ready:
		facts := contract.Facts{"server_id": serverID}
		if st.Percent >= 0 {
			facts["percent"] = st.Percent
		}
		if st.Message != "" {
			facts["activity"] = st.Message
		}
		return contract.Warning{Kind: contract.WarnIndexing, Facts: facts,
			Message: serverID + " is still loading the project; this answer lacks what it has not indexed yet"}, true
	// A server that is ready and unwell has answered with what it has; the host should know why that may be little.
	case st.Health == "error" || st.Health == "warning":
		return contract.Warning{Kind: contract.WarnServerUnhealthy, Facts: contract.Facts{"health": st.Health},
			Message: serverID + " reports: " + Cut(strings.Join(strings.Fields(st.HealthNote), " "), 300)}, true
	// Last: a server that gives no sign is taken to be ready, and what it may lack cannot be told more precisely.
	case !st.Known:
		return contract.Warning{Kind: contract.WarnNoReadinessSign,
			Message: serverID + " gives no sign of when its project is loaded; the answer may lack something"}, true
	}
	return contract.Warning{}, false
}

// readiness follows the signs of one server. It is never latched: work that begins later makes it not ready again.
type readiness struct {
	rule spec.Readiness
	// Compiled once, of the row.
	parts []healthPart

	mu         sync.Mutex
	active     map[string]*work // counted progress under way, by token; guarded by mu
	other      map[string]*work // progress that does not count but explains a wait; guarded by mu
	started    int              // progress that began; guarded by mu
	ended      int              // counted progress that ended; guarded by mu
	quiet      bool             // last serverStatus was quiescent, or the message came; guarded by mu
	health     string           // guarded by mu
	said       []said           // the parts of its message; guarded by mu
	generation uint64           // guarded by mu
	signs      int              // notifications that came as the sign ([spec.SignMessage]); guarded by mu
	changed    chan struct{}    // closed and replaced at every change; guarded by mu
	since      time.Time        // of the last change of Ready; guarded by mu
	wasReady   bool             // guarded by mu
	due        time.Time        // until then a word that it loads anew is expected; zero when none is; guarded by mu
	vain       bool             // the sign was waited for in full, and nothing was heard; guarded by mu
	waived     bool             // the project has nothing to index (no compilation database); guarded by mu
	parsed     parses           // guarded by mu
}

// work is one work done progress between its begin and its end.
type work struct {
	title, message string
	percent        int
	order          int // of its beginning
	began          time.Time
}

// maxOther bounds the progress that is only shown: a server may begin what it never ends.
const maxOther = 64

// newReadiness begins as the rule says of a server that has said nothing yet: not ready where there is a sign to
// wait for.
func newReadiness(rule spec.Readiness) *readiness {
	r := &readiness{rule: rule, parts: healthParts(rule.Loads.Health), active: map[string]*work{},
		other:   map[string]*work{},
		changed: make(chan struct{}), since: time.Now()}
	r.wasReady = r.statusLocked().Ready // nobody else knows it yet
	return r
}

// status needs no lock held.
func (r *readiness) status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.statusLocked()
}

// statusLocked needs mu. It is computed from the signs each time, so that no state has to be kept in step with them.
func (r *readiness) statusLocked() Status {
	st := Status{Percent: -1, Health: r.health, HealthNote: about(r.said, spec.ComplaintHealth),
		Generation: r.generation, Known: true}
	// Each sign has its own rule. Only the last one, of a server without a sign, is an assumption (Known is false).
	switch r.rule.Sign {
	case spec.SignWaits:
		st.Ready, st.Evidence = len(r.active) == 0, "the server holds requests back until its project is loaded"
	case spec.SignProgress:
		st.Ready = len(r.active) == 0 && (r.ended > 0 || r.rule.Waits)
		st.Evidence = "work done progress ended"
		if r.ended == 0 && r.rule.Waits {
			st.Evidence = "the server holds requests back until its project is loaded"
		}
	case spec.SignServerStatus:
		st.Ready, st.Evidence = r.quiet, "experimental/serverStatus quiescent"
	case spec.SignMessage:
		st.Ready, st.Evidence = r.quiet, "its own notification"
		if len(r.rule.Tokens) > 0 {
			st.Evidence = r.rule.Tokens[0]
		}
	default:
		st.Ready, st.Known, st.Evidence = len(r.active) == 0, false, "the server gives no sign"
	}
	st.Known = st.Known && !r.rule.Unsure
	// A change of a project file was told, and the server has not yet said that it loads anew: its sign is still
	// that of the load before.
	if st.Ready && r.expectedLocked() > 0 {
		st.Ready = false
	}
	// Without a project the sign may never come, and each question would wait for its whole budget.
	if r.waived && len(r.active) == 0 {
		st.Ready, st.Evidence = true, "the server has no project to index"
	}
	if !st.Ready {
		st.Evidence = "waiting for: " + st.Evidence
	}
	st.describe(r.active)
	// Progress that is no part of the sign is told only to explain a wait.
	if st.Message == "" && !st.Ready {
		st.describe(r.other)
	}
	return st
}

// doing is what the server says that it works on; "" when it says nothing.
func (r *readiness) doing() (activity string, percent int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	st := Status{Percent: -1}
	if st.describe(r.active); st.Message == "" {
		st.describe(r.other)
	}
	return st.Message, st.Percent
}

// expect says that the server will tell within d that it loads anew.
func (r *readiness) expect(d time.Duration) {
	r.change(func() { r.due = time.Now().Add(d) })
}

// expectedLocked is how long such a word is waited for yet. It needs mu.
func (r *readiness) expectedLocked() time.Duration {
	if r.due.IsZero() {
		return 0
	}
	return time.Until(r.due)
}

// describe tells of the work that began first, so that a report does not jump between several.
func (st *Status) describe(all map[string]*work) {
	var first *work
	for _, w := range all {
		if first == nil || w.order < first.order {
			first = w
		}
	}
	if first == nil {
		return
	}
	st.Message, st.Percent = first.title, first.percent
	if first.message != "" {
		st.Message += ": " + first.message
	}
}

// change applies f and tells those who wait.
func (r *readiness) change(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// Whatever the server says ends the short waits (vainAgain): it is alive after all, and may give its sign.
	r.vain = false
	f()
	now := r.statusLocked().Ready
	// Only the step from ready to not ready counts as a reload; further work during a load raises nothing.
	if r.wasReady && !now && r.reloads() {
		r.generation++
	}
	if now != r.wasReady {
		r.wasReady, r.since = now, time.Now()
	}
	// Everybody who waits wakes, looks at the state and takes the new channel; a change between two looks is not
	// missed, because both are read under mu.
	close(r.changed)
	r.changed = make(chan struct{})
}

// reloads reports whether becoming not ready means that the server loads anew. With SignNone and SignWaits and no
// Tokens every progress counts, also that about the very request that is being answered: if it raised the
// generation, each answer would seem to be of two projects ([Snapshot.Reloaded]) and would be asked for again.
func (r *readiness) reloads() bool {
	return len(r.rule.Tokens) > 0 || r.rule.Sign != spec.SignNone && r.rule.Sign != spec.SignWaits
}

// waive says that there is nothing to index, so that nobody waits for a sign that cannot come.
func (r *readiness) waive(yes bool) {
	if r.mu.Lock(); r.waived == yes {
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	r.change(func() { r.waived = yes })
}

// A server that gave no sign for vainWait, and said nothing of work, most probably never will (a project that it
// does not find, or could not load): from then on, until it says something, vainAgain is enough for each question.
const (
	vainWait  = 10 * time.Second
	vainAgain = 500 * time.Millisecond
)

// wait returns when the server is ready, when budget is over, when ctx ends or when gone is closed; the status that
// it returns tells which, and there is no error: an answer of a server that is not ready is given with a warning.
// report, which may be nil, hears of every change meanwhile; it is called without mu.
func (r *readiness) wait(ctx context.Context, budget time.Duration, gone <-chan struct{}, report func(Status)) Status {
	r.mu.Lock()
	if r.vain {
		budget = min(budget, vainAgain)
	}
	r.mu.Unlock()
	timer := time.NewTimer(budget)
	defer timer.Stop()
	// silent is true only in the first round: any change, of which the second round comes, is a sign of life.
	for silent := true; ; silent = false {
		r.mu.Lock()
		st, changed, expected := r.statusLocked(), r.changed, r.expectedLocked()
		r.mu.Unlock()
		if st.Ready {
			return st
		}
		if report != nil {
			report(st)
		}
		// The end of the expected time makes no change by itself, so that it needs a timer of its own; nil blocks
		// for good.
		var over <-chan time.Time // of what was expected in vain
		if expected > 0 {
			over = time.After(expected)
		}
		select {
		case <-changed:
		case <-over:
		case <-timer.C:
			// A shorter budget, or work that the server tells of, says nothing about whether the sign will come.
			if silent && budget >= vainWait && st.Message == "" {
				r.mu.Lock()
				r.vain = true
				r.mu.Unlock()
			}
			return st
		case <-ctx.Done():
			return st
		case <-gone:
			return st
		}
	}
}

// progress handles $/progress (LSP 3.17, work done progress).
func (r *readiness) progress(params json.RawMessage) {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind       string   `json:"kind"`
			Title      string   `json:"title"`
			Message    string   `json:"message"`
			Percentage *float64 `json:"percentage"`
		} `json:"value"`
	}
	// A field of the wrong type leaves the others: an end that goes unheard would be waited for for good.
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(params, &p); err != nil && !errors.As(err, &wrong) {
		return
	}
	token := string(p.Token)
	v := p.Value
	r.change(func() {
		switch v.Kind {
		case "begin":
			// More than maxOther other works are dropped; counted progress is never dropped, because its end is
			// waited for.
			into := r.other
			if r.counts(token, v.Title) {
				into = r.active
				r.due = time.Time{} // what was expected has come
			} else if len(r.other) >= maxOther {
				return
			}
			r.started++
			into[token] = &work{title: v.Title, message: v.Message, percent: percent(v.Percentage, -1), order: r.started,
				began: time.Now()}
		case "report":
			for _, all := range []map[string]*work{r.active, r.other} {
				if w := all[token]; w != nil {
					w.percent = percent(v.Percentage, w.percent)
					if v.Message != "" { // "if unset, the previous progress message is still valid"
						w.message = v.Message
					}
				}
			}
		case "end":
			// The end of progress whose begin was not counted, or not heard, is no end of a load.
			if r.active[token] != nil {
				r.ended++
			}
			r.parsed.note(r.other[token])
			delete(r.active, token)
			delete(r.other, token)
		}
	})
}

// counts reports whether progress with this token and title is part of the sign. Tokens arrive as JSON.
func (r *readiness) counts(token, title string) bool {
	if r.rule.Sign == spec.SignServerStatus || r.rule.Sign == spec.SignMessage || r.isParse(title) {
		return false
	}
	var plain string
	if json.Unmarshal([]byte(token), &plain) != nil {
		plain = token
	}
	return len(r.rule.Tokens) == 0 || slices.Contains(r.rule.Tokens, plain) || slices.Contains(r.rule.Tokens, title)
}

// serverStatus handles rust-analyzer's experimental/serverStatus (rust-analyzer docs, lsp-extensions, Server Status).
func (r *readiness) serverStatus(params json.RawMessage) {
	var p struct {
		Health    string `json:"health"`
		Quiescent bool   `json:"quiescent"`
		Message   string `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	r.change(func() {
		r.quiet, r.health, r.said = p.Quiescent, p.Health, takeApart(r.parts, strings.Clone(p.Message))
		if len(r.said) > 0 && about(r.said, spec.ComplaintHealth) == "" {
			r.health = "" // what it says is told as what it is
		}
		// The word that was expected has come; from here on the status itself tells when the load is over.
		if !p.Quiescent {
			r.due = time.Time{}
		}
	})
}

// complaints are the parts of the server's last word about its health.
func (r *readiness) complaints() []said {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said
}

// message handles the notification that is this server's sign.
func (r *readiness) message() {
	r.change(func() {
		r.quiet = true
		r.signs++
	})
}

// heard is how many notifications came as the sign by now.
func (r *readiness) heard() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.signs
}

// awaitMore waits until more than n notifications have come as the sign; false when ctx ends or gone is closed before.
func (r *readiness) awaitMore(ctx context.Context, n int, gone <-chan struct{}) bool {
	for {
		r.mu.Lock()
		signs, changed := r.signs, r.changed
		r.mu.Unlock()
		if signs > n {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-gone:
			return false
		}
	}
}

// percent is what a server reports, or otherwise where it reports nothing or a number that is no percentage.
func percent(p *float64, otherwise int) int {
	if p == nil || *p < 0 || *p > 100 {
		return otherwise
	}
	return int(*p)
}
