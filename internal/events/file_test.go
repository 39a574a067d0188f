package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// TestMain lets the test binary act as another process that writes the same file: FILE SESSION LINES MAX.
func TestMain(m *testing.M) {
	if args := strings.Fields(os.Getenv("LSPI_TEST_EVENTS")); len(args) == 4 {
		lines, _ := strconv.Atoi(args[2])
		most, _ := strconv.ParseInt(args[3], 10, 64)
		if err := writeLines(args[0], args[1], lines, most); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testkit.Run(m))
}

// writeLines writes numbered lines of a host, from four sessions at once.
func writeLines(path, host string, lines int, most int64) error {
	files := &Files{max: most}
	var work sync.WaitGroup
	for i := range 4 {
		r := files.Recorder()
		if err := r.Follow(Options{Path: path}); err != nil {
			return err
		}
		work.Go(func() {
			defer r.Close()
			for n := range lines / 4 {
				r.DecodeFailed(Undecoded{Provider: MCP, Server: host, Name: fmt.Sprint(n*4 + i),
					Reason: strings.Repeat("x", n%200)})
				for files.waiting(path) > maxQueue/2 { // the test is about whole lines, not about lost ones
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	work.Wait()
	return nil
}

// waiting is how much is queued for a file.
func (f *Files) waiting(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if used := f.open[path]; used != nil {
		used.mu.Lock()
		defer used.mu.Unlock()
		return len(used.queue)
	}
	return 0
}

// read decodes every line of a file.
func read(t *testing.T, path string) (out []line) {
	t.Helper()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	if len(raw) > 0 && raw[len(raw)-1] != '\n' {
		t.Errorf("%s ends within a line", path)
	}
	for n, text := range bytes.Split(bytes.TrimSuffix(raw, []byte{'\n'}), []byte{'\n'}) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%s:%d: %v: %.200s", path, n+1, err, text)
		}
		out = append(out, l)
	}
	return out
}

// processes has two processes write the same file at once.
func processes(t *testing.T, path string, lines int, most int64) {
	t.Helper()
	var work sync.WaitGroup
	for _, host := range []string{"one", "two"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("LSPI_TEST_EVENTS=%s %s %d %d", path, host, lines, most),
			"GORACE=atexit_sleep_ms=0")
		work.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	work.Wait()
}

// Each line of several sessions in several processes is whole and there once.
func TestSeveralProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	lines := testkit.Times(1_500, 4_000)
	processes(t, path, lines, MaxBytes)
	seen := map[string]int{}
	for _, l := range read(t, path) {
		seen[l.Server+" "+l.Name]++
	}
	for _, host := range []string{"one", "two"} {
		for n := range lines {
			if seen[fmt.Sprint(host, " ", n)] != 1 {
				t.Fatalf("line %d of %s is there %d times", n, host, seen[fmt.Sprint(host, " ", n)])
			}
		}
	}
	testkit.Equal(t, len(seen), 2*lines)
}

// A file that is full is moved by one of the processes, and the others go to the new one.
func TestFullFileOfSeveralProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	const most = 200 << 10
	processes(t, path, 4_000, most)
	all := append(read(t, path+".1"), read(t, path)...)
	newest := all[len(all)-1] // of the process that ended last; the other's may have been moved away since
	testkit.Holds(t, "3996 3997 3998 3999", newest.Name)
	for _, name := range []string{path, path + ".1"} {
		at, err := os.Stat(name)
		testkit.Must(t, err)
		if at.Size() > most+2*maxQueue { // a batch of each process
			t.Errorf("%s has %d bytes", name, at.Size())
		}
	}
	if at, _ := os.Stat(path + ".1"); at.Size() < most {
		t.Errorf("%s was moved with %d bytes", path, at.Size())
	}
}

func recorder(t *testing.T, files *Files, o Options) *Recorder {
	t.Helper()
	r := files.Recorder()
	testkit.Must(t, r.Follow(o))
	t.Cleanup(r.Close)
	return r
}

func told(r *Recorder, n int) {
	r.DecodeFailed(Undecoded{Name: fmt.Sprint(n)})
}

// names are those of the lines of a file.
func names(t *testing.T, path string) (out []string) {
	t.Helper()
	for _, l := range read(t, path) {
		out = append(out, l.Name)
	}
	return out
}

// Sessions share a file, follow another one, and end; what is said meanwhile goes nowhere else.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "new", "first"), filepath.Join(dir, "second")
	files := &Files{}
	a, b := recorder(t, files, Options{Path: first}), recorder(t, files, Options{Path: first})
	testkit.Equal(t, len(files.open), 1)
	told(a, 1)
	told(b, 2)
	testkit.Must(t, a.Follow(Options{Path: second}))
	told(a, 3)
	told(b, 4)
	b.Close()
	told(b, 5)
	a.Close()
	testkit.Equal(t, len(files.open), 0)
	testkit.Diff(t, names(t, first), []string{"1", "2", "4"})
	testkit.Diff(t, names(t, second), []string{"3"})
	at, err := os.Stat(first)
	testkit.Must(t, err)
	if at.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", at.Mode())
	}
	b.Close() // once more does no harm
	var nobody *Recorder
	testkit.Must(t, nobody.Follow(Options{Path: first}))
	testkit.Equal(t, nobody.On(), false)
	nobody.Close()
}

// What cannot be a file is an error, and records nothing until it is mended.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	testkit.Write(t, filepath.Join(dir, "file"), "")
	files := &Files{}
	r := files.Recorder()
	for _, path := range []string{dir, filepath.Join(dir, "file", "events"), os.DevNull} {
		if err := r.Follow(Options{Path: path}); err == nil || r.On() {
			t.Errorf("%s: %v", path, err)
		}
	}
	told(r, 1)
	path := filepath.Join(dir, "events")
	testkit.Must(t, r.Follow(Options{Path: path}))
	told(r, 2)
	if err := r.Follow(Options{Path: dir}); err == nil {
		t.Error("no error")
	}
	told(r, 3)
	r.Close()
	testkit.Diff(t, names(t, path), []string{"2"})
}

// A file that is taken away is begun anew; while it cannot be, lines are counted, and the log hears of it once.
func TestFileTakenAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	var log bytes.Buffer
	files := &Files{Log: slog.New(slog.NewTextHandler(&log, nil))}
	r := recorder(t, files, Options{Path: path})
	f := files.open[path]
	told(r, 1)
	testkit.Wait(t, "the line is written", func() bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() > 0
	})
	testkit.Must(t, os.Rename(path, path+".old"))
	told(r, 2)
	testkit.Wait(t, "the file is there", func() bool { _, err := os.Stat(path); return err == nil })
	testkit.Must(t, os.Remove(path))
	testkit.Must(t, os.Mkdir(path, 0o755))
	lost := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.lost
	}
	for n := range 3 {
		told(r, 3)
		testkit.Wait(t, "the line is lost", func() bool { return lost() == n+1 })
	}
	testkit.Must(t, os.Remove(path))
	told(r, 4)
	r.Close()
	testkit.Diff(t, names(t, path+".old"), []string{"1"})
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	testkit.Holds(t, string(raw), `"event":"events.lost","lines":3}`)
	testkit.Diff(t, names(t, path), []string{"4", ""})
	testkit.Equal(t, strings.Count(log.String(), "events are not written"), 1, log.String())
}

// What comes faster than the disk takes it is lost and counted; who tells it does not wait.
func TestSlowDisk(t *testing.T) {
	f := &file{of: &Files{}, ready: make(chan struct{}, 1)} // nobody writes it
	one := append(bytes.Repeat([]byte{'x'}, 1<<10), '\n')
	for range maxQueue/len(one) + 10 {
		f.append(one)
	}
	lines, _ := f.take()
	first, _, _ := bytes.Cut(lines, []byte{'\n'})
	testkit.Holds(t, string(first), `"event":"events.lost","lines":10}`)
	if lines, _ = f.take(); len(lines) > 0 {
		t.Errorf("twice: %.100s", lines)
	}
}

// A line that a full disk has cut ends before the next one begins.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	files := &Files{}
	r := recorder(t, files, Options{Path: path})
	r.mu.Lock()
	f := r.target.Load().file
	r.mu.Unlock()
	_, err := f.out.WriteString(`{"event":`)
	testkit.Must(t, err)
	f.torn = true // nothing was queued yet, so that run does not look
	told(r, 1)
	r.Close()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	lines := strings.Split(string(raw), "\n")
	testkit.Equal(t, lines[0], `{"event":`)
	if !json.Valid([]byte(lines[1])) || len(lines) != 3 {
		t.Errorf("%q", lines)
	}
}
