package gopls

import (
	"slices"
	"sync"

	"lspi/internal/lang/golang"
)

// declaredTexts remembers what the last texts declare: each step of one check_edit compares the same two texts, and
// the one on disk is that of the next check_edit, too. To read the declarations of 50 KB takes 2 ms.
type declaredTexts struct {
	mu   sync.Mutex
	last []declaredText // the one that was asked for last is the last; guarded by mu
}

type declaredText struct {
	text string
	golang.Declarations
}

// maxDeclaredTexts bounds the texts that are remembered: those before and after an edit of a few files.
const maxDeclaredTexts = 8

// of is [golang.DeclarationsOf] for a text. The result is shared and must not be changed.
func (t *declaredTexts) of(text string) golang.Declarations {
	t.mu.Lock()
	i := slices.IndexFunc(t.last, func(d declaredText) bool { return d.text == text })
	if i >= 0 {
		defer t.mu.Unlock()
		found := t.last[i]
		t.last = append(slices.Delete(t.last, i, i+1), found)
		return found.Declarations
	}
	t.mu.Unlock()
	found := declaredText{text, golang.DeclarationsOf(text)}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last[max(0, len(t.last)+1-maxDeclaredTexts):], found)
	return found.Declarations
}
