package edit

// SetHook makes every operation on disk pass f, before and after; an error of f is an error of the operation.
func (w *Writer) SetHook(f func(point, path string) error) { w.disk.hook = f }

// SetNoExchange lets the writer do without an atomic exchange, and without a rename that replaces nothing.
func (w *Writer) SetNoExchange() { w.disk.plain = true }

// SetMaxRemembered changes how many records are kept, until restore.
func SetMaxRemembered(n int) (restore func()) {
	was := maxRemembered
	maxRemembered = n
	return func() { maxRemembered = was }
}

// CallDigest names the record of a call.
var CallDigest = callDigest

// Lock is what Apply holds.
var Lock = (*Writer).tryLock
