package catalogue

import "testing"

func TestSourcesAreOfRows(t *testing.T) {
	found := 0
	for _, spec := range Servers() {
		if spec.Sources != nil {
			found++
		}
	}
	if found != len(sources) {
		t.Errorf("%d rows have sources, and %d are named", found, len(sources))
	}
}
