package answer

import (
	"strings"

	"lspi/lsp"
)

// ComparePlaces orders by path, then position; places in the file first come first.
func ComparePlaces(a, b lsp.Place, first string) int {
	switch {
	case (a.Path == first) != (b.Path == first):
		if a.Path == first {
			return -1
		}
		return 1
	case a.Path != b.Path:
		return strings.Compare(a.Path, b.Path)
	case a.Range.Start == b.Range.Start:
		return 0
	case a.Range.Start.Before(b.Range.Start):
		return -1
	}
	return 1
}

// TrueLast orders false before true.
func TrueLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
