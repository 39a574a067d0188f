package edits

import (
	"slices"

	"github.com/aymanbagabas/go-udiff"

	"lspi/internal/source"
	"lspi/lsp"
)

// CompareFindings returns the findings that an edit brings and those that it removes. A finding that
// only moved with its text is neither: as often as the same words were said of a file before, they stay
// the same finding.
func CompareFindings(before, after []lsp.Finding, texts map[string]*EditedText) (appears, vanishes []lsp.Finding) {
	old := map[findingKey][]lsp.Finding{}
	for _, f := range before {
		old[keyOf(f)] = append(old[keyOf(f)], f)
	}
	var rest []lsp.Finding
	// In two passes: a finding that stands where its text moved to is the same one for certain; only what is left
	// is matched by its words, which may be those of another place.
	for _, f := range after { // those that are where they have to be
		key := keyOf(f)
		i := slices.IndexFunc(old[key], func(b lsp.Finding) bool {
			at, there := texts[b.Path].moved(b.Range.Start)
			return there && at == f.Range.Start
		})
		if i < 0 {
			rest = append(rest, f)
			continue
		}
		old[key] = slices.Delete(old[key], i, i+1)
	}
	for _, f := range rest {
		if key := keyOf(f); len(old[key]) > 0 {
			old[key] = old[key][1:]
			continue
		}
		appears = append(appears, f)
	}
	for _, f := range before { // in their order
		key := keyOf(f)
		if i := slices.IndexFunc(old[key], func(b lsp.Finding) bool { return b.Range == f.Range }); i >= 0 {
			old[key] = slices.Delete(old[key], i, i+1)
			vanishes = append(vanishes, f)
		}
	}
	// Last, because the same code at the same place counts only when the words found no partner.
	return sameAgain(vanishes, appears, texts)
}

// sameAgain removes the pairs from vanishes and appears that are one finding in other words: of the
// same severity and code at one place that the edit did not touch, such as "cannot find addd" without
// the name that it could be instead.
func sameAgain(vanishes, appears []lsp.Finding, texts map[string]*EditedText) (appear, vanish []lsp.Finding) {
	for _, f := range appears {
		i := slices.IndexFunc(vanishes, func(b lsp.Finding) bool {
			at, there := texts[b.Path].moved(b.Range.Start)
			return there && at == f.Range.Start && f.Code != "" && b.Path == f.Path && b.Severity == f.Severity &&
				b.Code == f.Code && b.Source == f.Source
		})
		if i < 0 {
			appear = append(appear, f)
			continue
		}
		vanishes = slices.Delete(slices.Clone(vanishes), i, i+1)
	}
	return appear, vanishes
}

// findingKey is what a finding says, wherever it stands.
type findingKey struct{ path, severity, code, source, message string }

// places matches positions inside of messages ("other declaration of X at a.go:3:5"), which move with
// the text.
var places = source.LazyRegexp(`:\d+(:\d+)?`)

// keyOf returns a finding's key, without the places in its message.
func keyOf(f lsp.Finding) findingKey {
	return findingKey{f.Path, f.Severity, f.Code, f.Source, places.ReplaceAllString(f.Message, ":")}
}

// smallest returns the smallest difference of the two texts, so that a whole file that is given anew
// moves only what it really changes.
func (t *EditedText) smallest() []udiff.Edit {
	if t.diff == nil {
		// Kept, because every finding of the file asks for it.
		t.diff = udiff.Strings(t.Before.Content(), t.After.Content())
	}
	return t.diff
}
