package lsptest

import (
	"strings"
	"unicode/utf8"
)

// position, span and location are as in LSP 3.18, with columns in the encoding of the script.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

// units returns how many units of an encoding a rune has.
func units(r rune, encoding string) int {
	switch {
	case encoding == "utf-8":
		return utf8.RuneLen(r)
	case encoding != "utf-32" && r > 0xFFFF:
		return 2
	}
	return 1
}

// column returns the column of a byte of a line.
func column(line string, at int, encoding string) int {
	n := 0
	for _, r := range line[:at] {
		n += units(r, encoding)
	}
	return n
}

// byteAt returns the byte at a column; the end of the line for a column beyond it.
func byteAt(line string, column int, encoding string) int {
	for i, r := range line {
		if column <= 0 {
			return i
		}
		column -= units(r, encoding)
	}
	return len(line)
}

// offset returns the byte at a position of a text; the end of the text for one beyond it.
func offset(text string, p position, encoding string) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	line, _, _ := strings.Cut(text[at:], "\n")
	return at + byteAt(strings.TrimSuffix(line, "\r"), p.Character, encoding)
}

// lineOf returns a line of a text without its end; "" when there is no such line.
func lineOf(text string, n int) string {
	at := offset(text, position{Line: n}, "utf-8")
	line, _, _ := strings.Cut(text[at:], "\n")
	return strings.TrimSuffix(line, "\r")
}
