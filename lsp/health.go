package lsp

import (
	"context"
	"os"
	"regexp"
	"strings"
	"time"

	"lspi/internal/source"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// Health is what a server shows of the state of its project: whether it is loaded, what failed, what the server
// complains about.
type Health struct {
	spec     *spec.Spec
	conn     *Connection
	ready    *readiness
	loads    *loads
	store    *diagnosticStore
	code     *codeSeen
	projects *Projects
	differs  func() string // [Server.Differs]
}

// await waits until the server shows that its project is loaded, at most budget; report, which may be nil, hears of
// every change.
func (h *Health) await(ctx context.Context, budget time.Duration, report func(Status)) Status {
	root := h.projects.folders.root
	// Decided anew at each question, because the project file may have come, or been mended, since the last one.
	h.ready.waive(h.projects.Missing(root) != nil || h.projects.broken(root) != "")
	return h.unhealthy(h.ready.wait(ctx, budget, h.conn.life.Done(), report))
}

// Signs is how many notifications have come that are the server's sign of a loaded project; 0 for a row with
// another sign than [spec.SignMessage].
func (h *Health) Signs() int { return h.ready.heard() }

// AwaitSign waits for one more such notification than n; false when ctx or the server ends before.
func (h *Health) AwaitSign(ctx context.Context, n int) bool {
	return h.ready.awaitMore(ctx, n, h.conn.life.Done())
}

// complaint is what the server's status says about one thing, with the reason where that is in stderr alone.
func (h *Health) complaint(what spec.Complaint) string {
	var out []string
	for _, one := range h.ready.complaints() {
		if one.about(h.code.holdsAny) != what {
			continue
		}
		out = append(out, one.reasoned(func() string { return h.conn.proc.Stderr.Text() }))
	}
	return strings.Join(out, "\n")
}

// unhealthy is a status without what of its health is told in other ways, as only the project's files show.
func (h *Health) unhealthy(st Status) Status {
	if st.HealthNote != "" {
		if st.HealthNote = h.complaint(spec.ComplaintHealth); st.HealthNote == "" {
			st.Health = ""
		}
	}
	return st
}

// LoadFailed is the failed load that limits an answer about the project at a root; ok is false when none does, as
// far as the server tells.
func (h *Health) LoadFailed(ctx context.Context, root string) (f LoadFailure, ok bool) {
	// The most precise reason comes first: the server's own words about this load, what its status says, and then
	// what lspi finds out itself.
	aside := func(folder string) bool { return h.aside(root, folder) }
	if f.Reason = h.differs(); f.Reason == "" {
		f.Reason = h.loads.about(root, aside)
	}
	if f.Reason == "" {
		f.Reason = h.complaint(spec.ComplaintLoad)
	}
	// From here on lspi's own findings; each costs something (a walk, a file that is written), so that they come
	// only when nothing else is known.
	if f.Reason == "" && h.missedAll(ctx, root) {
		f.Reason = h.foundNothing()
	}
	if f.Reason == "" {
		f.Reason = h.projects.broken(root)
	}
	if f.Reason == "" {
		f.Reason = h.unwritten()
	}
	if file := h.store.lostImports(); f.Reason == "" && file != "" {
		f.Reason = "packages import each other in a cycle, so that the imports of " + baseName(file) +
			" are unknown to it"
	}
	if f.Reason == "" {
		return f, false
	}
	for _, cure := range h.spec.Readiness.Loads.Cures {
		said := regexp.MustCompile(cure.Said)
		if at := said.FindStringSubmatchIndex(f.Reason); at != nil {
			cure.Have = string(said.ExpandString(nil, cure.Have, f.Reason, at))
			f.Cures = append(f.Cures, cure)
			// One cure for a reason: the rows list the more precise words first.
			break
		}
	}
	return f, true
}

// missedAll reports whether a load found nothing in a project that holds sources. One that holds none is loaded as
// well as it can be, and what comes later is no matter of that load: so the first question after it decides.
func (h *Health) missedAll(ctx context.Context, root string) bool {
	for _, folder := range h.loads.without(root) {
		if h.aside(root, folder) {
			continue
		}
		if h.projects.holdsSources(ctx, folder) {
			return true
		}
		h.loads.mu.Lock()
		delete(h.loads.nothing, folder)
		h.loads.mu.Unlock()
	}
	return false
}

// aside reports whether it does not matter to an answer about a root whether the server could load a folder: each
// workspace folder is loaded on its own, and what is below a root and no part of its build (testdata of Go) too.
func (h *Health) aside(root, folder string) bool {
	below, ok := source.RelativeTo(root, folder)
	return folder != root && (h.projects.folders.has(folder) || ok && h.projects.neverBuilt(below))
}

// foundNothing is the reason of a load that found nothing, as far as lspi can tell.
func (h *Health) foundNothing() string {
	if name := h.unwritable(); name != "" {
		return "it found no package, and " + name + " names a folder that is not there or cannot be written"
	}
	return "it found no package, though the folder holds source files"
}

// unwritten is the reason when the server said that it could not write what it needs, and cannot now.
func (h *Health) unwritten() string {
	if len(h.loads.unwritten) == 0 {
		return ""
	}
	text := h.conn.proc.Stderr.Text()
	// What stderr once said may be over: it counts only when the folder still cannot be written.
	for _, p := range h.loads.unwritten {
		if said := p.FindString(text); said != "" {
			if name := h.unwritable(); name != "" {
				return name + " names a folder that is not there or cannot be written: " + said
			}
		}
	}
	return ""
}

// unwritable is the first of the row's variables that names a folder which cannot be written; "" when all can.
func (h *Health) unwritable() string {
	env := launch.Environment(h.spec)
	for _, name := range h.spec.Readiness.Loads.Writes {
		if dir := spec.Variable(env, name); dir != "" && !writable(dir) {
			return name
		}
	}
	return ""
}

// LoadFailing reports whether the last load of any folder failed, or found nothing.
func (h *Health) LoadFailing() bool { return h.loads.any() }

// writable reports whether a file can be made in a folder, and holds something.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".lspi-*")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	// A file can be made on a full disk as well; only its content cannot be written.
	_, err = f.Write(make([]byte, 4096))
	return f.Close() == nil && err == nil
}
