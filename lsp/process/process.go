package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// stderrBytes is how many bytes of the end of a server's stderr are kept.
const stderrBytes = 16 << 10

// drainTime is how long stderr is read after the group was killed: only a process that has left the group can still
// keep it open.
const drainTime = 200 * time.Millisecond

// Process is one server process with its group. It ends by Stop or Kill, or by itself. It is the stream of a
// connection: Read reads its stdout, Write writes to its stdin.
type Process struct {
	// Stderr has the end of what the process has written to stderr.
	Stderr *Ring

	cmd      *exec.Cmd
	stdin    *os.File
	stdout   *os.File
	job      any           // what the platform needs to end the group; set before Spawn returns
	received atomic.Uint64 // bytes of stdout
	done     chan struct{}
	once     sync.Once
	state    *os.ProcessState // set before done is closed

	mu     sync.Mutex // held to signal the group and to reap the process, after which its id may be another's
	reaped bool       // guarded by mu
}

// pipes are the three standard streams: first the server's ends, then ours.
type pipes struct{ stdin, stdout, stderr, in, out, err *os.File }

func newPipes() (p pipes, err error) {
	for _, ends := range [][2]**os.File{{&p.stdin, &p.in}, {&p.out, &p.stdout}, {&p.err, &p.stderr}} {
		if *ends[0], *ends[1], err = os.Pipe(); err != nil {
			closeAll(p.stdin, p.stdout, p.stderr, p.in, p.out, p.err)
			return p, err
		}
	}
	return p, nil
}

// CanSpawn returns why no process can be started now, as far as making pipes shows: descriptors may have run out.
func CanSpawn() error {
	p, err := newPipes()
	if err == nil {
		closeAll(p.stdin, p.stdout, p.stderr, p.in, p.out, p.err)
	}
	return err
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // of a nil file it is an error
	}
}

// Spawn starts a program in a process group of its own, with the arguments args, in dir and with the environment env.
// As far as the platform allows it ends with lspi, also when lspi is killed. Its errors are those of the system (see
// [Shortage]).
func Spawn(path string, args []string, dir string, env []string) (*Process, error) {
	pipe, err := newPipes()
	if err != nil {
		return nil, err
	}
	p := &Process{Stderr: newRing(stderrBytes), done: make(chan struct{}), stdin: pipe.in, stdout: pipe.out}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir, p.cmd.Env = dir, env
	p.cmd.SysProcAttr = groupAttr()
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = pipe.stdin, pipe.stdout, pipe.stderr
	err = onSpawner(p.cmd.Start)
	closeAll(pipe.stdin, pipe.stdout, pipe.stderr)
	if err != nil {
		closeAll(pipe.in, pipe.out, pipe.err)
		return nil, err
	}
	p.job = newJob(p.cmd.Process)
	go p.wait(pipe.err)
	return p, nil
}

// wait reaps the process and kills what is left of its group, so that its pipes end.
func (p *Process) wait(stderr *os.File) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(p.Stderr, stderr)
	}()
	p.reap()
	_ = stderr.SetReadDeadline(time.Now().Add(drainTime))
	<-read
	_ = stderr.Close()
	p.state = p.cmd.ProcessState
	close(p.done)
}

// reap waits for the end of the process and kills what is left of its group. Where the system can wait without
// reaping, it kills the group before it reaps the dead leader, while the id certainly is the group's.
func (p *Process) reap() {
	ended := awaitExit(p.PID())
	if !ended {
		_ = p.cmd.Wait()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	killGroup(p)
	if ended {
		_ = p.cmd.Wait()
	}
	p.reaped = true
}

// signal calls f, which signals the group, unless the process was reaped.
func (p *Process) signal(f func(*Process)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		f(p)
	}
}

// Stop ends the process. It closes stdin; after grace it asks the group to end; after another grace it kills the
// group. It returns when the process was reaped, after three times grace or two times grace and a second at most.
// Language servers end at the end of stdin; launchers do not always pass it on.
func (p *Process) Stop(grace time.Duration) {
	p.once.Do(func() {
		_ = p.stdin.Close()
		if p.Gone(grace) {
			return
		}
		p.signal(termGroup)
		if p.Gone(grace) {
			return
		}
		p.signal(killGroup)
		p.Gone(max(grace, time.Second))
	})
}

// Done is closed when the process was reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Received returns how many bytes of stdout were read.
func (p *Process) Received() uint64 { return p.received.Load() }

// Kill kills the group and does not wait.
func (p *Process) Kill() { p.signal(killGroup) }

// Gone waits for the end of the process, at most for within, and reports whether it has ended.
func (p *Process) Gone(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// Exit describes how the process ended, for people: "exit status 2", "signal: killed". It is valid after Done.
func (p *Process) Exit() string {
	if p.state == nil {
		return "unknown"
	}
	return p.state.String()
}

// Read, Write and Close make the process the stream of a connection. Close closes only the pipes.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	p.received.Add(uint64(n))
	return n, err
}

func (p *Process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

func (p *Process) Close() error { return errors.Join(p.stdin.Close(), p.stdout.Close()) }

// PID returns the process id, which is also that of the group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Usage is what all processes of a group use together: launchers of npm, and rust-analyzer's server of procedural
// macros, have children in the same group.
type Usage struct {
	Memory uint64        // resident, in bytes
	CPU    time.Duration // of the living processes
}
