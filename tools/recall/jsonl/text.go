package jsonl

import (
	"unicode/utf16"
	"unicode/utf8"
)

// overString takes a string and keeps nothing of it.
func (r *Reader) overString() {
	r.next++ // the quote
	r.restOfString()
}

// restOfString takes a string from within it to its end.
func (r *Reader) restOfString() {
	for {
		if _, ok := r.inLine(); !ok {
			return
		}
		held := r.buf[r.next:r.end]
		i := 0
		for i < len(held) && held[i] != '"' && held[i] != '\\' && held[i] != '\n' {
			i++
		}
		r.next += i
		switch {
		case i == len(held):
		case held[i] == '"':
			r.next++
			return
		case held[i] == '\\':
			r.next++
			if _, ok := r.inLine(); ok {
				r.next++
			}
		}
	}
}

// quoted takes a string and appends what it says to out, whole runes up to limit bytes; cut tells that there was more.
func (r *Reader) quoted(out []byte, limit int) (_ []byte, cut bool) {
	r.next++ // the quote
	for !cut {
		b, ok := r.inLine()
		if !ok {
			return out, false
		}
		switch b {
		case '"':
			r.next++
			return valid(out), false
		case '\\':
			out = r.escaped(out)
		default:
			out = r.run(out, limit)
		}
		cut = len(out) > limit
	}
	r.restOfString()
	return valid(whole(out[:limit])), true
}

// run appends bytes up to an escape, the end of the string or just over the limit.
func (r *Reader) run(out []byte, limit int) []byte {
	i := r.next
	for stop := min(r.end, r.next+limit-len(out)+1); i < stop && r.buf[i] != '"' && r.buf[i] != '\\' && r.buf[i] != '\n'; {
		i++
	}
	out = append(out, r.buf[r.next:i]...)
	r.next = i
	return out
}

// whole leaves out the begin of a rune at the end.
func whole(text []byte) []byte {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

// valid is text with U+FFFD for each byte that is not UTF-8.
func valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return []byte(string([]rune(string(text))))
}

// escaped takes an escape and appends what it stands for.
func (r *Reader) escaped(out []byte) []byte {
	r.next++ // the backslash
	return r.afterBackslash(out)
}

func (r *Reader) afterBackslash(out []byte) []byte {
	b, ok := r.inLine()
	if !ok {
		return out
	}
	r.next++
	switch b {
	case '"', '\\', '/':
		return append(out, b)
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'u':
		return r.unicode(out)
	}
	r.fail(ErrSyntax)
	return out
}

// unicode takes four hexadecimal digits, and a second escape when they are the first half of a pair. A half alone is U+FFFD.
func (r *Reader) unicode(out []byte) []byte {
	c := r.hex()
	for utf16.IsSurrogate(c) {
		b, ok := r.inLine()
		if !ok || b != '\\' {
			return utf8.AppendRune(out, utf8.RuneError)
		}
		r.next++
		if b, ok = r.inLine(); !ok || b != 'u' {
			return r.afterBackslash(utf8.AppendRune(out, utf8.RuneError))
		}
		r.next++
		low := r.hex()
		if pair := utf16.DecodeRune(c, low); pair != utf8.RuneError {
			return utf8.AppendRune(out, pair)
		}
		out = utf8.AppendRune(out, utf8.RuneError)
		c = low
	}
	return utf8.AppendRune(out, c)
}

// hex takes four hexadecimal digits.
func (r *Reader) hex() rune {
	var c rune
	for range 4 {
		b, ok := r.inLine()
		if !ok {
			return utf8.RuneError
		}
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			r.fail(ErrSyntax)
			return utf8.RuneError
		}
		c = c<<4 | rune(b)
		r.next++
	}
	return c
}
