package jsonl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// fields are what the tests take from a line.
type fields struct {
	Text string
	On   bool
	N    int64
	List []string
	In   struct{ Text string }
}

func (f *fields) take(r *Reader) {
	r.Object(func(name []byte) {
		switch string(name) {
		case "text":
			f.Text, _ = r.String(1 << 20)
		case "on":
			f.On = r.Bool()
		case "n":
			f.N, _ = r.Int()
		case "list":
			f.List = nil
			r.Array(func() {
				s, _ := r.String(1 << 20)
				f.List = append(f.List, s)
			})
		case "in":
			r.Object(func(name []byte) {
				if string(name) == "text" {
					f.In.Text, _ = r.String(1 << 20)
				}
			})
		}
	})
}

// read is each whole line of a text, nil for one that is not valid, and the offset behind the last one.
func read(in io.Reader) (out []*fields, offset int64, err error) {
	r := NewReader(context.Background(), in, 0)
	for r.Next() {
		f := &fields{}
		f.take(r)
		switch err := r.End(); {
		case err == nil:
			out = append(out, f)
		case errors.Is(err, ErrSyntax):
			out = append(out, nil)
		}
	}
	return out, r.Offset(), r.Err()
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		size int // of a long text, in bytes
		in   func(io.Reader) io.Reader
	}{
		{2 * window, func(in io.Reader) io.Reader { return in }},
		{2 * window, iotest.DataErrReader},
		// Every place is the end of a read. The decoder looks at all it holds with each of them.
		{100, iotest.OneByteReader},
	} {
		big := strings.Repeat("x\\n", c.size/2)
		text := `{"text":"a\u00e9\ud83d\ude00\"\\\/","other":{"text":["]}{"]},"on":true,"n":-12,"list":["x","y",3],` +
			`"in":{"text":"t","more":null}}` + "\n" +
			"\n \r\n" + `{}` + "\r\n" + "garbage\n" + `{"text":"cut` + "\n" + `{"text":1,"n":"s"} {` + "\n" +
			`{"skipped":"` + big + `","text":"` + big + `"}` + "\n" + `{"text":"being written"}`
		all, offset, err := read(c.in(strings.NewReader(text)))
		if err != nil || len(all) != 7 {
			t.Fatalf("%d lines, %v", len(all), err)
		}
		first := all[0]
		if first.Text != "aé😀\"\\/" || !first.On || first.N != -12 || strings.Join(first.List, ",") != "x,y," ||
			first.In.Text != "t" {
			t.Errorf("%+v", first)
		}
		for i, whole := range []bool{true, false, true, false, false, false, true} {
			if (all[i] != nil) != whole {
				t.Errorf("line %d: %v", i, all[i])
			}
		}
		if all[6].Text != strings.ReplaceAll(big, `\n`, "\n") {
			t.Error("a long text is not whole")
		}
		if want := int64(strings.LastIndexByte(text, '\n') + 1); offset != want {
			t.Errorf("offset %d, want %d", offset, want)
		}
	}
}

func TestStringsAreCutAtWholeRunes(t *testing.T) {
	for limit, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aé", 4: "aé", 5: "aé", 6: "aé", 7: "aé😀",
		8: "aé😀b", 9: "aé😀b"} {
		r := NewReader(t.Context(), strings.NewReader(`{"text":"aé\ud83d\ude00b","n":7}`+"\n"), 0)
		var got string
		var cut bool
		var n int64
		r.Next()
		r.Object(func(name []byte) {
			if string(name) == "text" {
				got, cut = r.String(limit)
			} else {
				n, _ = r.Int()
			}
		})
		if err := r.End(); err != nil || got != want || cut != (limit < 8) || n != 7 {
			t.Errorf("at %d: %q, cut %v, %d, %v", limit, got, cut, n, err)
		}
	}
}

// A document has line feeds within, and needs none at its end; one without an end is not valid.
func TestDocument(t *testing.T) {
	for text, want := range map[string]string{"{\n  \"text\": \"a\"\n}": "a", "\n{\"text\":\"b\"}\n\n": "b",
		"{\n  \"text\": \"c\",\n": "", "{\"text\":\"d\"}\n{\"text\":\"e\"}": "", "": ""} {
		r := NewDocument(t.Context(), iotest.OneByteReader(strings.NewReader(text)), 0)
		var got string
		for r.Next() {
			f := &fields{}
			if f.take(r); r.End() == nil {
				got += f.Text
			}
		}
		if r.Err() != nil || r.Offset() != int64(len(text)) || got != want {
			t.Errorf("%q: %q at %d, %v", text, got, r.Offset(), r.Err())
		}
	}
}

// A line beyond the limit is passed over, and holds no more than the limit; the next one is read.
func TestALineBeyondTheLimit(t *testing.T) {
	defer func(limit int) { maxLine = limit }(maxLine)
	maxLine = 1 << 20
	long := `{"text":"` + strings.Repeat("x", maxLine) + `"}` + "\n"
	all, offset, err := read(io.MultiReader(strings.NewReader(long), strings.NewReader(`{"text":"next"}`+"\n")))
	if err != nil || len(all) != 2 || all[0] != nil || all[1] == nil || all[1].Text != "next" ||
		offset != int64(len(long)+16) {
		t.Errorf("%v, %d, %v", all, offset, err)
	}
	if all, _, _ := read(strings.NewReader(long[2:])); len(all) != 1 || all[0] != nil {
		t.Errorf("no object: %v", all)
	}
}

func TestTheContextEndsTheStream(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no longer asked for")
	endless := readerFunc(func(p []byte) (int, error) {
		cancel(why)
		return copy(p, bytes.Repeat([]byte{'x'}, len(p))), nil
	})
	r := NewReader(ctx, endless, 0)
	for r.Next() {
		r.Object(func([]byte) {})
		_ = r.End()
	}
	if !errors.Is(r.Err(), why) || r.Offset() != 0 {
		t.Errorf("%v at %d", r.Err(), r.Offset())
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The reader takes what encoding/json takes from each valid line, however the stream is divided; it never reports a
// line that has not ended, and it goes on behind what is not JSON.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{`{"text":"\ud83d\ude00\ud83dx\ud83d\n\u00","in":{"text":""}}`,
		`{"list":["a",["b"],{}],"n":1e3,"on":true}`, `{"text":"`, `{"a":[}]}`, "{}\n{}", "\xff{\"text\":\"\xff\"}"} {
		f.Add([]byte(seed), byte(1))
		f.Add([]byte(seed+"\n"), byte(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, size byte) {
		var in io.Reader = bytes.NewReader(text)
		if size > 0 {
			in = chunks{in, int(size)}
		}
		got, offset, err := read(in)
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(bytes.LastIndexByte(text, '\n') + 1); offset != want {
			t.Fatalf("offset %d, want %d", offset, want)
		}
		i := 0
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSuffix(line, []byte("\n")); len(bytes.Trim(line, "\r")) == 0 {
				continue
			}
			if i >= len(got) {
				break
			}
			compare(t, line, got[i])
			i++
		}
	})
}

// compare holds what was taken from a line against encoding/json, for lines that it accepts.
func compare(t *testing.T, line []byte, got *fields) {
	t.Helper()
	var all map[string]json.RawMessage
	if json.Unmarshal(line, &all) != nil || all == nil {
		return
	}
	if got == nil {
		t.Fatalf("%q was refused", line)
	}
	var text string
	_ = json.Unmarshal(all["text"], &text)
	if text != got.Text {
		t.Fatalf("%q: %q, want %q", line, got.Text, text)
	}
}

type chunks struct {
	io.Reader
	size int
}

func (c chunks) Read(p []byte) (int, error) { return c.Reader.Read(p[:min(len(p), c.size)]) }
