package watch

import (
	"context"
	"testing"

	"lspi/internal/testkit"
)

// What is changed while barriers are held off is seen as one change: by none that waits meanwhile, also one that
// was begun early, and as a whole behind that. What a journal holds it lets go, also when it is closed.
func TestHold(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		gate, waits := make(chan struct{}, 1), make(chan struct{}, 10)
		o.Hold = func(ctx context.Context) (func(), error) {
			waits <- struct{}{}
			select {
			case gate <- struct{}{}:
				return func() { <-gate }, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		b := newBench(t, o, "a", "1", "b", "1")
		<-waits
		gate <- struct{}{} // an edit begins
		b.write("a", "22")
		early := b.j.Early(t.Context())
		<-waits
		marks := make(chan Mark, 2)
		for _, ctx := range []context.Context{early, t.Context()} {
			go func() {
				m, err := b.j.Barrier(ctx)
				if err != nil {
					t.Error(err)
				}
				marks <- m
			}()
		}
		if changes, ok := b.j.Since(b.mark); len(changes) > 0 || !ok {
			t.Errorf("half of the edit: %v", changes)
		}
		b.write("b", "22")
		<-gate
		<-marks
		if changes, ok := b.j.Since(b.mark); len(changes) != 2 || !ok {
			t.Errorf("the edit: %v", changes)
		}
		<-marks
		gate <- struct{}{}
		go func() { _, _ = b.j.Barrier(t.Context()) }()
		testkit.Must(t, b.j.Close())
		<-gate
		select {
		case gate <- struct{}{}:
		default:
			t.Error("the closed journal holds on")
		}
	})
}
