package setup

import (
	"bytes"
	_ "embed"
	"errors"
)

// The lines around the section in AGENTS.md and CLAUDE.md.
const (
	sectionBegin = "<!-- lspi: begin (lspi setup --undo removes this) -->"
	sectionEnd   = "<!-- lspi: end -->"
)

//go:embed section.md
var sectionText string

// errSection is the error for a section without a begin or end, or with several.
var errSection = errors.New("the lines that mark lspi's section are not one pair; remove them by hand")

// around returns where the section with its marks begins and ends, in bytes; from is -1 when there is none.
func around(text []byte) (from, to int, err error) {
	from = bytes.Index(text, []byte(sectionBegin))
	to = bytes.Index(text, []byte(sectionEnd))
	if from < 0 && to < 0 {
		return -1, -1, nil
	}
	if to < from || from < 0 || bytes.Count(text, []byte(sectionBegin)) != 1 ||
		bytes.Count(text, []byte(sectionEnd)) != 1 {
		return 0, 0, errSection
	}
	to += len(sectionEnd)
	if bytes.HasPrefix(text[to:], []byte("\r\n")) {
		to += 2
	} else if bytes.HasPrefix(text[to:], []byte("\n")) {
		to++
	}
	return from, to, nil
}

// withSection returns a text with the present section, in place of an older one or at the end.
func withSection(text []byte) ([]byte, error) {
	from, to, err := around(text)
	if err != nil {
		return nil, err
	}
	section := sectionBegin + "\n" + sectionText + sectionEnd + "\n"
	if from >= 0 {
		return apply(text, splice{from, to, section}), nil
	}
	switch {
	case len(text) == 0:
	case bytes.HasSuffix(text, []byte("\n")):
		section = "\n" + section
	default:
		section = "\n\n" + section
	}
	return apply(text, splice{len(text), len(text), section}), nil
}

// withoutSection returns a text without the section and the empty line before it.
func withoutSection(text []byte) ([]byte, error) {
	from, to, err := around(text)
	if err != nil || from < 0 {
		return text, err
	}
	before := text[:from]
	for _, empty := range []string{"\r\n\r\n", "\n\n"} {
		if bytes.HasSuffix(before, []byte(empty)) {
			before = before[:len(before)-len(empty)/2]
			break
		}
	}
	return append(bytes.Clone(before), text[to:]...), nil
}
