package lsp

import (
	"context"
	"os"
	"regexp"
	"strings"

	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// unhealthyLoad is the reason of a load that failed by the server's status; "" when none did.
func (s *Server) unhealthyLoad() string {
	return s.complaint(spec.ComplaintLoad)
}

// complaint is what the server's status says about one thing, with the reason where that is in stderr alone.
func (s *Server) complaint(what spec.Complaint) string {
	var out []string
	for _, one := range s.ready.complaints() {
		if one.about(func(texts []spec.ProjectText) bool { return holdsAny(s, texts) }) != what {
			continue
		}
		out = append(out, one.reasoned(func() string { return s.proc.Stderr.Text() }))
	}
	return strings.Join(out, "\n")
}

// unhealthy is a status without what of its health is told in other ways, as only the project's files show.
func (s *Server) unhealthy(st Status) Status {
	if st.HealthNote != "" {
		if st.HealthNote = s.complaint(spec.ComplaintHealth); st.HealthNote == "" {
			st.Health = ""
		}
	}
	return st
}

// Unchecked is why the external checker could not be run, in the server's words.
type Unchecked struct{ Title, Why string }

func (u *Unchecked) Error() string {
	return u.Title + " could not be run: " + Cut(strings.Join(strings.Fields(u.Why), " "), 600)
}

// uncheckable is that error when the server says so; nil when the checker ran.
func (s *Server) uncheckable() error {
	why := s.complaint(spec.ComplaintCheck)
	if why == "" {
		return nil
	}
	if refused := s.check.lock.refused(why); refused != nil {
		return s.unlocked(refused)
	}
	title := s.check.spec.Title
	return &Unchecked{Title: title, Why: strings.TrimPrefix(why, title+" failed to start: ")}
}

// LoadFailed is the failed load that limits an answer about the project at a root; ok is false when none does, as far as
// the server tells.
func (s *Server) LoadFailed(ctx context.Context, root string) (f LoadFailure, ok bool) {
	f.Reason = s.loads.about(root)
	if f.Reason == "" {
		f.Reason = s.unhealthyLoad()
	}
	if f.Reason == "" && s.missedAll(ctx, root) {
		f.Reason = s.foundNothing()
	}
	if f.Reason == "" {
		f.Reason = s.brokenProject(root)
	}
	if f.Reason == "" {
		f.Reason = s.unwritten()
	}
	if file := s.diagnostics.lostImports(); f.Reason == "" && file != "" {
		f.Reason = "packages import each other in a cycle, so that the imports of " + baseName(file) + " are unknown to it"
	}
	if f.Reason == "" {
		return f, false
	}
	for _, cure := range s.spec.Readiness.Loads.Cures {
		if regexp.MustCompile(cure.Said).MatchString(f.Reason) {
			f.Cures = append(f.Cures, cure)
			break
		}
	}
	return f, true
}

// missedAll reports whether a load found nothing in a project that holds sources. One that holds none is loaded as well as it
// can be, and what comes later is no matter of that load: so the first question after it decides.
func (s *Server) missedAll(ctx context.Context, root string) bool {
	for _, folder := range s.loads.without(root) {
		if s.holdsSources(ctx, folder) {
			return true
		}
		s.loads.mu.Lock()
		delete(s.loads.nothing, folder)
		s.loads.mu.Unlock()
	}
	return false
}

// foundNothing is the reason of a load that found nothing, as far as lspi can tell.
func (s *Server) foundNothing() string {
	if name := s.unwritable(); name != "" {
		return "it found no package, and " + name + " names a folder that is not there or cannot be written"
	}
	return "it found no package, though the folder holds source files"
}

// unwritten is the reason when the server said that it could not write what it needs, and cannot now.
func (s *Server) unwritten() string {
	if len(s.loads.unwritten) == 0 {
		return ""
	}
	text := s.proc.Stderr.Text()
	for _, p := range s.loads.unwritten {
		if said := p.FindString(text); said != "" {
			if name := s.unwritable(); name != "" {
				return name + " names a folder that is not there or cannot be written: " + said
			}
		}
	}
	return ""
}

// unwritable is the first of the row's variables that names a folder which cannot be written; "" when all can.
func (s *Server) unwritable() string {
	env := launch.Environment(s.spec)
	for _, name := range s.spec.Readiness.Loads.Writes {
		if dir := launch.Variable(env, name); dir != "" && !writable(dir) {
			return name
		}
	}
	return ""
}

// LoadFailing reports whether the last load of any folder failed, or found nothing.
func (s *Server) LoadFailing() bool { return s.loads.any() }

// writable reports whether a file can be made in a folder, and holds something.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".lspi-*")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 4096))
	return f.Close() == nil && err == nil
}
