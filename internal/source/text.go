package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"lspi/contract"
)

// MaxBytes is the size of the largest file that is read as source text.
const MaxBytes = 32 << 20

// Text is one text with its lines. It never changes.
type Text struct {
	Path    string // absolute
	Valid   bool   // false when the file is not UTF-8; each invalid byte then counts as one character
	content string
	starts  []int32 // byte offset of each line

	sent     *Text // of Sendable; nil until that is called
	sentOnce sync.Once
	bare     *Text // of WithoutMark; nil until that is called
	bareOnce sync.Once

	generated     bool // of Generated
	generatedOnce sync.Once
}

// New indexes content. Lines end with \n, as all verified servers count them; a \r before it is not part of the
// line's text.
func New(path, content string) *Text {
	starts := make([]int32, 1, 1+strings.Count(content, "\n"))
	for i := 0; ; {
		next := strings.IndexByte(content[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
		starts = append(starts, int32(i))
	}
	return &Text{Path: path, Valid: utf8.ValidString(content), content: content, starts: starts}
}

// Read reads a file, wherever it is; what is shown to a host goes through [Reach]. A missing file, one that is not
// regular, one that may not be read and one above [MaxBytes] have errors of their own kind.
// What was read last and has not changed is not read again.
func Read(path string) (*Text, error) {
	return lately.loadBy(path, func() (*Text, string, error) {
		content, err := readText(path)
		if err != nil {
			return nil, "", err
		}
		return New(path, content), path, nil
	}, func(string) bool { return true })
}

// lately has the texts of [Read]: the checks of one question look at the same files, and so does the next question.
var lately = NewCache(8 << 20)

// ReadBytes reads the bytes of a file, with the errors of [Read].
func ReadBytes(path string) ([]byte, error) {
	content, err := readText(path)
	if err != nil {
		return nil, err
	}
	return []byte(content), nil
}

func readText(path string) (string, error) {
	f, info, err := OpenRegular(path)
	if err != nil {
		return "", readError(path, err)
	}
	defer f.Close()
	return readAll(f, info, path)
}

// readCount counts the files that were read.
var readCount atomic.Int64

// FilesRead returns how many files this process has read as source text so far, each as often as it was read.
func FilesRead() int64 { return readCount.Load() }

// readAll reads an open regular file.
func readAll(f *os.File, info fs.FileInfo, path string) (string, error) {
	readCount.Add(1)
	if info.Size() > MaxBytes {
		return "", tooLarge(path, info.Size())
	}
	var b strings.Builder
	b.Grow(int(info.Size()))
	n, err := io.Copy(&b, io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return "", readError(path, err)
	}
	if n > MaxBytes { // it grew while it was read
		return "", tooLarge(path, n)
	}
	return b.String(), nil
}

func tooLarge(path string, size int64) error {
	return contract.Errorf(contract.KindFileTooLarge,
		contract.Facts{"file_path": path, "bytes": size, "limit": MaxBytes},
		"%s has %d bytes, more than the %d that are read as source text", path, size, MaxBytes)
}

func readError(path string, err error) error {
	switch {
	case errors.Is(err, ErrNotRegular):
		return contract.Errorf(contract.KindNotAFile, contract.Facts{"file_path": path}, "%s is not a regular file",
			path)
	case errors.Is(err, fs.ErrNotExist):
		return contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": path}, "there is no file %s",
			path)
	}
	reason := err
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		reason = pe.Err
	}
	return contract.Errorf(contract.KindFileUnreadable, contract.Facts{"file_path": path, "reason": reason.Error()},
		"reading %s: %w", path, reason)
}

// Content returns the whole text as it is on disk, with a byte order mark.
func (t *Text) Content() string { return t.content }

// Sendable returns the text as JSON can carry it: each invalid byte is a replacement character, so that the host,
// lspi and a server to which the text is sent count the same characters. It is the same object each time.
func (t *Text) Sendable() *Text {
	if t.Valid {
		return t
	}
	t.sentOnce.Do(func() {
		var b strings.Builder
		b.Grow(len(t.content))
		for _, r := range t.content { // an invalid byte is U+FFFD here
			b.WriteRune(r)
		}
		t.sent = New(t.Path, b.String())
		t.sent.Valid = false
		t.sent.sentOnce.Do(func() { t.sent.sent = t.sent })
	})
	return t.sent
}

// WithoutMark returns the text without a byte order mark. It is the same object each time.
func (t *Text) WithoutMark() *Text {
	rest, has := strings.CutPrefix(t.content, "\ufeff")
	if !has {
		return t
	}
	t.bareOnce.Do(func() { t.bare = New(t.Path, rest) })
	return t.bare
}

// bytes returns about how much memory the text takes, without what Sendable adds.
func (t *Text) bytes() int { return len(t.content) + 4*len(t.starts) }

// Lines returns the number of lines. An empty text has one; a text that ends with a newline has an empty last line.
func (t *Text) Lines() int { return len(t.starts) }

// Line returns the text of line n, 1-based, without its end and without a byte order mark; "" when there is no such
// line.
func (t *Text) Line(n int) string {
	if n < 1 || n > t.Lines() {
		return ""
	}
	return strings.TrimPrefix(t.lineText(n-1), "\ufeff")
}

// Within returns the text of a range; "" when the range is not in the text.
func (t *Text) Within(r contract.Range) string {
	from, err := t.Offset(r.Start)
	if err != nil {
		return ""
	}
	to, err := t.Offset(r.End)
	if err != nil || to <= from {
		return ""
	}
	return t.content[from:to]
}

// Slice returns the text of the lines from first to last, 1-based and both included, joined by \n.
func (t *Text) Slice(first, last int) string {
	var b strings.Builder
	for n := max(first, 1); n <= min(last, t.Lines()); n++ {
		if n > max(first, 1) {
			b.WriteByte('\n')
		}
		b.WriteString(t.Line(n))
	}
	return b.String()
}

// lineText returns the text of line n, 0-based, without its end.
func (t *Text) lineText(n int) string {
	end := len(t.content)
	if n+1 < len(t.starts) {
		end = int(t.starts[n+1]) - 1
	}
	return strings.TrimSuffix(t.content[t.starts[n]:end], "\r")
}

// LineOf returns the line of a byte offset, 0-based.
func (t *Text) LineOf(offset int) int {
	return sort.Search(len(t.starts), func(i int) bool { return int(t.starts[i]) > offset }) - 1
}

// LineStart returns the byte offset at which the text of line n, 1-based, begins, behind a byte order mark.
func (t *Text) LineStart(n int) int {
	if n < 1 || n > t.Lines() {
		return len(t.content)
	}
	if t.bom(n-1) == 1 {
		return len("\ufeff")
	}
	return int(t.starts[n-1])
}
