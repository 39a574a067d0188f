package answer

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/tools/session"
)

// notice is a once-only notice that a call tells if its answer shows it.
type notice struct {
	key     string
	kind    string // of the warning or the error that tells it
	message string // of the warning; "" means any
}

// shownBy reports whether an answer with these warnings, or this error (nil for none), shows the
// notice.
func (t notice) shownBy(warnings []contract.Warning, err *contract.Error) bool {
	return err != nil && string(err.Kind) == t.kind || slices.ContainsFunc(warnings, func(w contract.Warning) bool {
		return string(w.Kind) == t.kind && (t.message == "" || w.Message == t.message)
	})
}

// NotYetTold reports whether the notice key is still to be told: no earlier answer has shown it, and
// this call has no warning that does.
func NotYetTold(c *Call, key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.Session.Told.Has(key) && !slices.ContainsFunc(c.notices, func(t notice) bool {
		return t.key == key && t.shownBy(c.warnings, nil)
	})
}

// WillTell notes that the call tells the notice key by a warning, or an error, of this kind. message tells
// several warnings of one kind apart; "" means any.
func WillTell(c *Call, key, kind, message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notices = append(c.notices, notice{key, kind, message})
}

// CountTold counts the notices that the answer shows as told, unless nobody waits for the answer any
// more.
func CountTold(ctx context.Context, t *session.ToldOnce, c *Call, shown contract.Envelope) {
	if ctx.Err() != nil {
		return
	}
	for _, one := range c.notices {
		if one.shownBy(shown.Warnings, shown.Error) {
			t.Add(one.key)
		}
	}
}
