package session

import (
	"context"
	"math"
	"sync"

	"golang.org/x/sync/semaphore"
)

// gate lets any number pass at the same time, or one shut it, in the order in which they come. It is a
// sync.RWMutex whose waits end with a context. The zero value is open.
type gate struct {
	once sync.Once
	room *semaphore.Weighted // who passes takes 1 of it, who shuts the gate takes all; made by once
}

// wholeRoom is the room of a gate: more than ever pass at the same time.
const wholeRoom = math.MaxInt64

// hold passes the gate; it waits while somebody has shut it or waits to. The only error is the end of
// ctx.
func (g *gate) hold(ctx context.Context) (release func(), err error) { return g.take(ctx, 1) }

// shut waits until nobody is inside, and keeps everybody out until open is called. The only error is
// the end of ctx.
func (g *gate) shut(ctx context.Context) (open func(), err error) { return g.take(ctx, wholeRoom) }

// take takes n of the room. back returns it; only its first call counts.
func (g *gate) take(ctx context.Context, n int64) (back func(), err error) {
	g.once.Do(func() { g.room = semaphore.NewWeighted(wholeRoom) })
	if g.room.Acquire(ctx, n) != nil {
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(func() { g.room.Release(n) }), nil
}
