package answer

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/tools/session"
)

// What is told once in a session, or once for each process of a server, counts as told when an answer that shows it
// was returned: one that is cancelled, or that has no room for it, leaves it to the next.

// telling is something that a call tells if its answer shows it.
type telling struct {
	key     string
	kind    string // of the warning or the error that tells it
	message string // of the warning; "" means any
}

// shownBy reports whether an answer tells it.
func (t telling) shownBy(warnings []contract.Warning, err *contract.Error) bool {
	return err != nil && string(err.Kind) == t.kind || slices.ContainsFunc(warnings, func(w contract.Warning) bool {
		return string(w.Kind) == t.kind && (t.message == "" || w.Message == t.message)
	})
}

// FirstTold reports whether neither an earlier answer nor this one has told something yet.
func FirstTold(c *Call, key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.Session.Told.Has(key) && !slices.ContainsFunc(c.telling, func(t telling) bool {
		return t.key == key && t.shownBy(c.warnings, nil)
	})
}

// Tells notes that the call tells something by a warning or an error.
func Tells(c *Call, key, kind, message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.telling = append(c.telling, telling{key, kind, message})
}

// Returned counts what an answer shows as told, unless nobody waits for the answer any more.
func Returned(ctx context.Context, t *session.ToldOnce, c *Call, shown contract.Envelope) {
	if ctx.Err() != nil {
		return
	}
	for _, one := range c.telling {
		if one.shownBy(shown.Warnings, shown.Error) {
			t.Add(one.key)
		}
	}
}
