package process

import (
	"runtime"
	"sync"
)

// spawner is the one thread that starts processes. On Linux the parent-death signal is sent when the thread that
// forked ends, and the thread of an ordinary goroutine may end long before lspi.
var spawner = sync.OnceValue(startSpawner)

type spawnJob struct {
	start func() error
	done  chan error
}

func onSpawner(start func() error) error {
	job := spawnJob{start, make(chan error, 1)}
	spawner() <- job
	return <-job.done
}

// startSpawner starts the thread, which lives as long as lspi.
func startSpawner() chan<- spawnJob {
	jobs := make(chan spawnJob)
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job.done <- job.start()
		}
	}()
	return jobs
}
