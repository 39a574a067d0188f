package edit

// SetHook makes every operation on disk pass f, before and after; an error of f is an error of the operation.
func (w *Writer) SetHook(f func(point, path string) error) { w.disk.hook = f }

// SetNoExchange lets the writer do without an atomic exchange.
func (w *Writer) SetNoExchange() { w.disk.noExchange = true }

// Lock is what Apply holds.
var Lock = (*Writer).tryLock
