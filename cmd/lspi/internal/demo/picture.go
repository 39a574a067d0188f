package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
)

// The picture of a session: a terminal of so many columns, in pixels.
const (
	columns = 120
	cell    = 8.4 // the width of a character of 14 pixels in a monospaced font
	lineGap = 19
	border  = 16
	bar     = 30 // the title bar
)

// The colours of a line by what it is.
const (
	paper   = "#1b1f24"
	title   = "#2b3138"
	plain   = "#c9d1d9"
	prompt  = "#7ee787"
	told    = "#79c0ff" // the first line of an answer
	failed  = "#ff7b72" // the first line of an error
	byHand  = "#f0f6fc" // what a person types
	fonts   = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
	picture = "docs/session.svg"
)

// drawn returns a session, as Markdown shows it, as an SVG of a terminal.
func drawn(session string) string {
	body := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(session), "```console\n"), "\n```")
	var text strings.Builder
	n, first := 0, false // first: the next line begins an answer
	for _, line := range strings.Split(body, "\n") {
		typed, isCommand := strings.CutPrefix(line, "$ ")
		for i, part := range wrapped(line) {
			y := bar + border + lineGap*n + 12
			n++
			switch {
			case isCommand && i == 0:
				fmt.Fprintf(&text, `<text x="%d" y="%d" fill="%s">$</text>`+"\n", border, y, prompt)
				text.WriteString(lineAt(border+2*cell, y, byHand, strings.TrimPrefix(part, "$ ")))
			case isCommand:
				text.WriteString(lineAt(border, y, byHand, part))
			default:
				text.WriteString(lineAt(border, y, colour(line, first), part))
			}
		}
		first = isCommand && typed != ""
	}
	width, height := columns*cell+2*border, bar+2*border+lineGap*n
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="%s" font-size="14">
<title>A session of lspi in a terminal</title>
<rect width="%.0f" height="%d" rx="8" fill="%s"/>
<path d="M0 %d V8 a8 8 0 0 1 8 -8 H%.0f a8 8 0 0 1 8 8 V%d Z" fill="%s"/>
<circle cx="18" cy="15" r="5" fill="#ff5f57"/><circle cx="36" cy="15" r="5" fill="#febc2e"/><circle cx="54" cy="15" r="5" fill="#28c840"/>
%s</svg>
`, width, height, fonts, width, height, paper, bar, width-8, bar, title, text.String())
}

// lineAt returns the text of one line; "" for an empty one.
func lineAt(x float64, y int, fill, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="%s" xml:space="preserve">`, x, y, fill)
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes all
	b.WriteString("</text>\n")
	return b.String()
}

// colour returns the colour of a line of an answer; first says that the answer begins with it.
func colour(line string, first bool) string {
	switch {
	case first && strings.HasPrefix(line, "Complete answer"):
		return told
	case first:
		return failed
	}
	return plain
}

// wrapped returns a line as a terminal shows it: tabs as spaces, and broken at the last column.
func wrapped(line string) (out []string) {
	var b []rune
	for _, r := range line {
		if r == '\t' {
			for b = append(b, ' '); len(b)%8 != 0; {
				b = append(b, ' ')
			}
			continue
		}
		b = append(b, r)
	}
	for len(b) > columns {
		out, b = append(out, string(b[:columns])), b[columns:]
	}
	return append(out, string(b))
}

// draw writes the picture of the session that a Markdown file shows.
func draw(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	_, session, _, ok := parts(string(raw))
	if !ok {
		return fmt.Errorf("%s has no part %q", file, beginSession)
	}
	return os.WriteFile(picture, []byte(drawn(session)), 0o644)
}
