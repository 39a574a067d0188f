package process

import (
	"strings"

	"lspi/internal/source"
)

// Reason returns the line of stderr that says why the process ended, as far as its last lines tell; "" when it wrote
// nothing. That is the last line, unless a stack trace or advice comes last: then it is the message before that. It
// has at most 300 bytes.
func (r *Ring) Reason() string { return shorten(whyEnded(strings.Split(r.Text(), "\n"))) }

// maxMessage bounds the lines of a message from its first line to the stack trace.
const maxMessage = 6

var (
	// aside matches a line of a stack trace, or what a runtime writes behind one.
	aside = source.LazyRegexp(`^\s*$` +
		`|^\s` + // the frames of node, Java and .NET, the source line of Python, a panic within a panic
		`|^\d+: ` + // a frame of Rust and of V8
		`|^(?i:stack backtrace:)$|^-{3,}|^[}\]]+$|^Node\.js v\d` +
		`|^goroutine \d+.*\[.*\]:$|^created by |^panic\(|^[\w./*()\[\]·{}-]+\.[\w.*()\[\]·{}-]+\(.*\)$|^\[signal |^exit status \d+$|^r\w{1,5} +0x` +
		`|^Caused by: |^(info|help|hint|note): ` +
		`|^Error: (Could not create the Java Virtual Machine|A fatal exception has occurred)\.`)
	// said matches an indented line that is a message all the same: Go's second panic, and the text of a C++ exception.
	said = source.LazyRegexp(`^\s+(panic: |what\(\): )`)
	// first matches the first line of a message, which more of the message or a stack trace may follow.
	first = source.LazyRegexp(`^\s*panic: |^fatal error: |^\w*error(\[\w+\])?: |panicked at ` +
		`|^(Uncaught |Unhandled exception[.:] |Exception in thread ".*" )?[\w$.]*(Error|Exception|Rejection)( \[\w+\])?: `)
	// instructed matches the first line of what .NET writes when it lacks a framework; instructions follow.
	instructed = source.LazyRegexp(`^(You must install or update \.NET|It was not possible to find any compatible framework version)`)
)

func whyEnded(lines []string) string {
	last := len(lines) - 1
	for last >= 0 && (aside.MatchString(lines[last]) && !said.MatchString(lines[last])) {
		last--
	}
	if last < 0 {
		return strings.TrimSpace(lines[len(lines)-1])
	}
	if at := afterTraceback(lines); at >= 0 && at <= last && last-at < maxMessage {
		return lines[at]
	}
	for i := last; i >= 0; i-- {
		if instructed.MatchString(lines[i]) {
			return lines[i]
		}
	}
	// Without a stack trace behind it, the last line is the message; those above are others.
	if last == len(lines)-1 {
		return strings.TrimSpace(lines[last])
	}
	for i := last; i >= max(0, last-maxMessage) && strings.TrimSpace(lines[i]) != ""; i-- {
		if !first.MatchString(lines[i]) {
			continue
		}
		// Since 1.73 Rust writes the message in the line below the place.
		if strings.Contains(lines[i], "panicked at ") && strings.HasSuffix(lines[i], ":") && i < last {
			return strings.TrimSpace(lines[i+1])
		}
		return strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(lines[last])
}

// afterTraceback returns the index of the line with the exception of Python's last traceback; -1 when there is none.
func afterTraceback(lines []string) int {
	at, inside := -1, false
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "Traceback (most recent call last):"):
			inside = true
		case inside && line != "" && line[0] != ' ':
			at, inside = i, false
		}
	}
	return at
}

// shorten returns at most 300 bytes of a line, without \r at its end.
func shorten(line string) string {
	line = strings.TrimRight(line, "\r")
	if len(line) > 300 {
		line = strings.ToValidUTF8(line[:300], "") + "…"
	}
	return line
}
