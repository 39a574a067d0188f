package lsp

import (
	"regexp"
	"slices"
	"strings"
)

// healthPart is a [HealthPart] that is ready to be looked for.
type healthPart struct {
	HealthPart
	begins, stderr *regexp.Regexp
}

func healthParts(all []HealthPart) (out []healthPart) {
	for _, p := range all {
		part := healthPart{HealthPart: p, begins: regexp.MustCompile(p.Begins)}
		if p.Stderr != "" {
			part.stderr = regexp.MustCompile(p.Stderr)
		}
		out = append(out, part)
	}
	return out
}

// said is one part of a status message.
type said struct {
	part *healthPart // nil for words that the row does not know
	text string
}

// takeApart cuts a status message at what its parts begin with.
func takeApart(parts []healthPart, message string) (out []said) {
	type cutAt struct {
		at   int
		part *healthPart
	}
	cuts := []cutAt{{0, nil}}
	for i := range parts {
		for _, m := range parts[i].begins.FindAllStringIndex(message, -1) {
			cuts = append(cuts, cutAt{m[0], &parts[i]})
		}
	}
	slices.SortStableFunc(cuts, func(a, b cutAt) int { return a.at - b.at })
	for i, c := range cuts {
		end := len(message)
		if i+1 < len(cuts) {
			end = cuts[i+1].at
		}
		if text := strings.TrimSpace(message[c.at:end]); text != "" {
			out = append(out, said{c.part, text})
		}
	}
	return out
}

// about joins the parts of one kind. Those whose kind depends on what the project holds are about health.
func about(all []said, what Complaint) string {
	var out []string
	for _, one := range all {
		if one.about(func([]ProjectText) bool { return false }) == what {
			out = append(out, one.text)
		}
	}
	return strings.Join(out, "\n")
}

// about is what one part means in a project of which holds tells whether it has any of some texts.
func (one said) about(holds func([]ProjectText) bool) Complaint {
	if one.part == nil || len(one.part.Where) > 0 && !holds(one.part.Where) {
		return ComplaintHealth
	}
	return one.part.About
}

// unhealthyLoad is the reason of a load that failed by the server's status; "" when none did.
func (s *Server) unhealthyLoad() string {
	return s.complaint(ComplaintLoad)
}

// complaint is what the server's status says about one thing, with the reason where that is in stderr alone.
func (s *Server) complaint(what Complaint) string {
	var out []string
	for _, one := range s.ready.complaints() {
		if one.about(func(texts []ProjectText) bool { return holdsAny(s, texts) }) != what {
			continue
		}
		out = append(out, one.reasoned(func() string { return s.proc.Stderr.Text() }))
	}
	return strings.Join(out, "\n")
}

// reasoned is one part with the reason that stderr gives for it.
func (one said) reasoned(stderr func() string) string {
	if one.part == nil || one.part.stderr == nil {
		return one.text
	}
	reason := ""
	for _, m := range one.part.stderr.FindAllStringSubmatch(stderr(), -1) {
		reason = m[one.part.stderr.SubexpIndex("reason")] // of the last load
	}
	if reason = strings.TrimSpace(reason); reason == "" {
		return one.text
	}
	return strings.TrimSuffix(firstLine(one.text), ".") + ": " + reason
}

// unhealthy is a status without what of its health is told in other ways, as only the project's files show.
func (s *Server) unhealthy(st Status) Status {
	if st.HealthNote != "" {
		if st.HealthNote = s.complaint(ComplaintHealth); st.HealthNote == "" {
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
	why := s.complaint(ComplaintCheck)
	if why == "" {
		return nil
	}
	if refused := s.check.lock.refused(why); refused != nil {
		return s.unlocked(refused)
	}
	title := s.check.spec.Title
	return &Unchecked{Title: title, Why: strings.TrimPrefix(why, title+" failed to start: ")}
}
