package index

import (
	"github.com/scip-code/scip/bindings/go/scip"

	"lspi/internal/source"
)

// knownEncodings are the units of tools that leave position_encoding unspecified, by the name in their tool_info.
//
// scip-typescript 0.4.0 takes places from getLineAndCharacterOfPosition of the TypeScript compiler, and scip-python
// 0.6.6 from convertOffsetToPosition of pyright: both count the code units of a JavaScript string. An index of each
// over a line with characters beyond U+FFFF shows it (TestUnitsOfTools). scip-go 0.2.9 and rust-analyzer 1.97 say UTF-8
// themselves.
var knownEncodings = map[string]source.Encoding{
	"scip-typescript": source.UTF16,
	"scip-python":     source.UTF16,
}

// encodingOf returns the unit of the columns of a document; false when nobody says it.
func encodingOf(tool string, of scip.PositionEncoding) (source.Encoding, bool) {
	switch of {
	case scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart:
		return source.UTF8, true
	case scip.PositionEncoding_UTF16CodeUnitOffsetFromLineStart:
		return source.UTF16, true
	case scip.PositionEncoding_UTF32CodeUnitOffsetFromLineStart:
		return source.UTF32, true
	}
	known, ok := knownEncodings[tool]
	return known, ok
}
