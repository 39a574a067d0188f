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

// about joins the parts of one kind.
func about(all []said, what Complaint) string {
	var out []string
	for _, one := range all {
		of := ComplaintHealth
		if one.part != nil {
			of = one.part.About
		}
		if of == what {
			out = append(out, one.text)
		}
	}
	return strings.Join(out, "\n")
}

// unhealthyLoad is the reason of a load that failed by the server's status; "" when none did.
func (s *Server) unhealthyLoad() string {
	for _, one := range s.ready.complaints() {
		if one.part == nil || one.part.About != ComplaintLoad {
			continue
		}
		if one.part.stderr == nil {
			return one.text
		}
		reason := ""
		for _, m := range one.part.stderr.FindAllStringSubmatch(s.proc.stderr.text(), -1) {
			reason = m[one.part.stderr.SubexpIndex("reason")]
		}
		if reason = strings.TrimSpace(reason); reason != "" {
			return strings.TrimSuffix(one.text, ".") + ": " + reason
		}
		return one.text
	}
	return ""
}

// uncheckedWhy is why the external checker did not run by the server's status; "" when it did.
func (s *Server) uncheckedWhy() string {
	return about(s.ready.complaints(), ComplaintCheck)
}
