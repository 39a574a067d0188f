// Package pool keeps the running language servers.
//
// The life of a server here: [Pool.Get] finds the process of a route (by [router.Key]) or starts one; callers that come meanwhile
// wait for the same start. A start belongs to the pool: an impatient caller leaves, the start goes on. A process that ends by itself
// is a crash; the next Get starts a new one, until the crash budget is used up (failures.go). Servers that nobody uses end after
// their idle time (idle.go), those used longest ago make room for others (limits.go), and one that takes more memory than all may
// have is ended even in use (memory.go). Close ends everything and waits for it.
//
// Pools of one process form a [Group]: one lock guards the slots of all of them, and limits hold over their servers together.
//
// A server that is shown texts which are not on disk is used by one caller alone meanwhile (exclusive.go).
package pool
