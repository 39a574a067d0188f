// Package indextest makes small SCIP indexes for tests, in the format of real ones.
package indextest

import (
	"os"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/proto"

	"lspi/internal/testkit"
)

// Document is a file of an index. Its occurrences are found in its text: the n-th of a word, from 0.
type Document struct {
	Path, Text  string
	Occurrences []Occurrence
	Symbols     []*scip.SymbolInformation
}

// Occurrence is one place of a symbol.
type Occurrence struct {
	Symbol, Word string
	N            int
	Roles        scip.SymbolRole
	At           []int32 // instead of where the word is; an empty one has no range
}

// Index returns an index that a tool makes, in one encoding.
func Index(tool string, enc scip.PositionEncoding, documents ...Document) *scip.Index {
	out := &scip.Index{Metadata: &scip.Metadata{ToolInfo: &scip.ToolInfo{Name: tool, Version: "1.0"}}}
	for _, d := range documents {
		made := &scip.Document{RelativePath: d.Path, PositionEncoding: enc, Symbols: d.Symbols}
		for _, o := range d.Occurrences {
			at := o.At
			if at == nil {
				at = find(d.Text, o.Word, o.N, enc)
			}
			//lint:ignore SA1019 rust-analyzer, scip-typescript and scip-python write this form
			made.Occurrences = append(made.Occurrences, &scip.Occurrence{Range: at, Symbol: o.Symbol,
				SymbolRoles: int32(o.Roles)})
		}
		out.Documents = append(out.Documents, made)
	}
	return out
}

// find returns the range of the n-th occurrence of a word.
func find(text, word string, n int, enc scip.PositionEncoding) []int32 {
	at := 0
	for ; ; n-- {
		at += strings.Index(text[at:], word)
		if n == 0 {
			break
		}
		at += len(word)
	}
	line := int32(strings.Count(text[:at], "\n"))
	before := text[strings.LastIndex(text[:at], "\n")+1 : at]
	return []int32{line, units(before, enc), units(before+word, enc)}
}

func units(text string, enc scip.PositionEncoding) int32 {
	switch enc {
	case scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart:
		return int32(len(text))
	case scip.PositionEncoding_UTF32CodeUnitOffsetFromLineStart:
		return int32(utf8.RuneCountInString(text))
	}
	return int32(len(utf16.Encode([]rune(text))))
}

// Write writes an index to a file.
func Write(t testing.TB, path string, x *scip.Index) {
	t.Helper()
	raw, err := proto.Marshal(x)
	testkit.Must(t, err)
	testkit.Must(t, os.WriteFile(path, raw, 0o600))
}
