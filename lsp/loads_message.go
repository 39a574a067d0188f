package lsp

import (
	"regexp"
	"strings"
)

// loadOutcome is what a message says of the load of one project.
type loadOutcome struct {
	folder string // "" for all projects
	reason string
}

// matched is what the first of the patterns that a text matches says, by project; ok is false when none does.
func matched(patterns []*regexp.Regexp, text string) (out []loadOutcome, ok bool) {
	for _, p := range patterns {
		if p.SubexpIndex("uri") >= 0 {
			out = matchedEach(p, text)
		} else if m := p.FindStringSubmatch(text); m != nil {
			out = matchedOnce(p, m)
		} else {
			continue
		}
		if len(out) > 0 {
			return out, true
		}
	}
	return nil, false
}

// matchedOnce is one match with a list of folders, or without any.
func matchedOnce(p *regexp.Regexp, m []string) (out []loadOutcome) {
	reason := m[0]
	if i := p.SubexpIndex("reason"); i >= 0 {
		reason = m[i]
	}
	reason = kept(reason)
	i := p.SubexpIndex("folders")
	if i < 0 {
		return []loadOutcome{{"", reason}}
	}
	for folder := range strings.SplitSeq(m[i], "/...") {
		if folder = strings.TrimSpace(folder); folder != "" {
			out = append(out, loadOutcome{strings.Clone(folder), reason})
		}
	}
	return out
}

// matchedEach are the matches of a pattern that names one folder by its URI; the reason of each goes up to the next.
func matchedEach(p *regexp.Regexp, text string) (out []loadOutcome) {
	all := p.FindAllStringSubmatchIndex(text, -1)
	for n, m := range all {
		end := len(text)
		if n+1 < len(all) {
			end = all[n+1][0]
		}
		i := 2 * p.SubexpIndex("uri")
		folder, ok := pathOf(text[m[i]:m[i+1]])
		if !ok { // then nobody knows which
			folder = ""
		}
		out = append(out, loadOutcome{folder, kept(text[m[0]:end])})
	}
	return out
}

// kept is what is remembered of a reason.
func kept(reason string) string {
	return strings.TrimSpace(strings.Clone(reason[:min(len(reason), maxLoadReason)]))
}

// fail notes a load that failed. It needs mu.
func (l *loads) fail(one loadOutcome) {
	if _, known := l.failedBy[one.folder]; !known && one.folder != "" && len(l.failedBy) >= maxLoadFolders {
		one.folder, l.over = "", true
	}
	l.failedBy[one.folder] = one.reason
}

// findNothing notes a load that found nothing. It needs mu.
func (l *loads) findNothing(folder string) {
	if len(l.nothing) >= maxLoadFolders && !l.nothing[folder] {
		l.fail(loadOutcome{folder, "it found no package"})
		return
	}
	l.nothing[folder] = true
}

// recover forgets the folders that were too many, when every other one has loaded since. It needs mu.
func (l *loads) recover() {
	if l.over && len(l.failedBy) == 1 {
		delete(l.failedBy, "")
		l.over = false
	}
}
