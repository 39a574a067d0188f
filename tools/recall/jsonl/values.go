package jsonl

import "strconv"

// Object calls member for each member of the object that comes next, with its name, which is valid until the reader is used again. member takes
// the value, or leaves it, and then it is skipped. Another value than an object is skipped.
func (r *Reader) Object(member func(name []byte)) {
	if !r.enter('{') {
		return
	}
	defer func() { r.deep-- }()
	for first := true; ; first = false {
		b, ok := r.value()
		if !ok || r.closes(b, '}') {
			return
		}
		if !first && !r.take(',') || !r.memberName() || !r.take(':') {
			return
		}
		r.each(func() { member(r.name) })
	}
}

// Array calls element for each element of the array that comes next; element takes it, or leaves it. Another value than an array is skipped.
func (r *Reader) Array(element func()) {
	if !r.enter('[') {
		return
	}
	defer func() { r.deep-- }()
	for first := true; ; first = false {
		b, ok := r.value()
		if !ok || r.closes(b, ']') || !first && !r.take(',') {
			return
		}
		r.each(element)
	}
}

// each lets a caller take one value, and skips it when the caller did not.
func (r *Reader) each(take func()) {
	if _, ok := r.value(); !ok {
		return
	}
	before := r.base + int64(r.next)
	take()
	if r.lineErr == nil && r.base+int64(r.next) == before {
		r.Skip()
	}
}

// enter takes the opening bracket of a value; it skips a value of another kind.
func (r *Reader) enter(open byte) bool {
	b, ok := r.value()
	switch {
	case !ok:
		return false
	case r.deep == maxDeep, b != open && r.deep == 0:
		r.fail(ErrSyntax)
		return false
	case b != open:
		r.Skip()
		return false
	}
	r.deep++
	r.next++
	return true
}

// closes takes the closing bracket if it is there.
func (r *Reader) closes(b, want byte) bool {
	if b != want {
		return false
	}
	r.next++
	return true
}

// memberName reads the name of a member into r.name; of a long one the begin.
func (r *Reader) memberName() bool {
	b, ok := r.value()
	if !ok || b != '"' {
		r.fail(ErrSyntax)
		return false
	}
	r.name, _ = r.quoted(r.name[:0], maxKey)
	return r.lineErr == nil
}

// Kind is the first byte of the next value: '"', '{', '[', 't', 'f', 'n', a digit or '-'. It is 0 when there is none.
func (r *Reader) Kind() byte {
	b, _ := r.value()
	return b
}

// String takes the next value as a string of at most limit bytes, in valid UTF-8 and cut at a whole rune; cut tells that there was more. Another
// value than a string is skipped and gives "".
func (r *Reader) String(limit int) (text string, cut bool) {
	if r.Kind() != '"' {
		r.Skip()
		return "", false
	}
	r.text, cut = r.quoted(r.text[:0], limit)
	if cap(r.text) > window {
		defer func() { r.text = nil }() // a long one is rare, and not worth its memory
	}
	return string(r.text), cut
}

// Bool takes the next value, and is whether it is true.
func (r *Reader) Bool() bool {
	is := r.Kind() == 't'
	r.Skip()
	return is
}

// Int takes the next value as an integer. Another value is skipped and not ok.
func (r *Reader) Int() (n int64, ok bool) {
	if b := r.Kind(); b != '-' && (b < '0' || b > '9') {
		r.Skip()
		return 0, false
	}
	r.text = r.plain(r.text[:0])
	n, err := strconv.ParseInt(string(r.text), 10, 64)
	return n, err == nil
}

// Skip takes the next value, of whatever kind, and keeps nothing of it. Brackets within it are counted, not matched.
func (r *Reader) Skip() {
	open := 0
	for {
		b, ok := r.value()
		if !ok {
			return
		}
		switch b {
		case '"':
			r.overString()
		case '{', '[':
			open++
			r.next++
		case '}', ']':
			open--
			r.next++
		case ',', ':':
			r.next++
		default:
			r.plain(nil)
		}
		if open < 0 || r.lineErr == nil && open == 0 && (b == ',' || b == ':') {
			r.fail(ErrSyntax)
		}
		if open <= 0 {
			return
		}
	}
}

// plain takes a number or a word, and appends at most maxKey bytes of it to out, if out is not nil.
func (r *Reader) plain(out []byte) []byte {
	taken := 0
	for ; ; taken++ {
		b, ok := r.inLineOrEnd()
		if !ok || b != '-' && b != '+' && b != '.' && (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') {
			break
		}
		if out != nil && len(out) < maxKey {
			out = append(out, b)
		}
		r.next++
	}
	if taken == 0 {
		r.fail(ErrSyntax)
	}
	return out
}

// inLineOrEnd is inLine without failing at the line feed.
func (r *Reader) inLineOrEnd() (byte, bool) {
	if r.lineErr != nil {
		return 0, false
	}
	b, ok := r.peek()
	return b, ok && b != '\n'
}
