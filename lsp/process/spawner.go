package process

import "runtime"

// startSpawner keeps its thread for the life of lspi; see spawner.
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
