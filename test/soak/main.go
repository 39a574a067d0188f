//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with arguments and output given. It returns 0 when no answer was wrong and nothing leaked, 1 otherwise, 2
// for a wrong command line.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	if err != nil {
		return 2
	}
	s, err := prepare(ctx, o, out)
	if err == nil {
		err = s.run(ctx)
	}
	switch {
	case err != nil:
		fmt.Fprintln(errs, "soak:", err)
		return 1
	case s.report.failed():
		fmt.Fprintln(errs, "soak: failed; see above and", o.work)
		return 1
	}
	_ = os.RemoveAll(s.options.work)
	return 0
}

func parse(args []string, errs io.Writer) (o options, err error) {
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&o.server, "server", "gopls", "the language server: "+strings.Join(servers(), ", "))
	f.DurationVar(&o.length, "for", 20*time.Minute, "how long")
	f.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano())%1_000_000, "the seed of edits and questions")
	f.IntVar(&o.steps, "steps", 0, "end after so many steps")
	f.BoolVar(&o.faults, "faults", true, "kill and hold servers, cancel calls")
	f.IntVar(&o.fresh, "fresh", 40, "ask a fresh server as well, every so many steps; 0 never")
	f.StringVar(&o.program, "lspi", "", "the binary (default: it is built)")
	f.StringVar(&o.work, "work", "", "an empty folder for the tree (default: a temporary one)")
	f.StringVar(&o.only, "only", "", "ask this tool alone")
	f.BoolVar(&o.loop, "loop", false,
		"the edit loop: an error into one file, its diagnostics, the error mended, its diagnostics; -steps times")
	f.IntVar(&o.hosts, "hosts", 0,
		"this many hosts share one lspi, and are killed as well; 0: one host with an lspi of its own")
	f.BoolVar(&o.log, "log", false, "keep lspi's debug log in the work folder")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if !slices.Contains(servers(), o.server) || f.NArg() > 0 {
		f.Usage()
		return o, errors.New("usage")
	}
	return o, nil
}

func servers() (out []string) {
	for _, l := range languages {
		out = append(out, l.server)
	}
	return out
}

// prepare makes the work folder and builds lspi unless a binary is given.
func prepare(ctx context.Context, o options, out io.Writer) (*soak, error) {
	var err error
	if o.work == "" {
		if o.work, err = os.MkdirTemp("", "soak-"+o.server+"-"); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return nil, err
	}
	if o.work, err = filepath.Abs(o.work); err != nil {
		return nil, err
	}
	if o.work, err = filepath.EvalSymlinks(o.work); err != nil {
		return nil, err
	}
	if o.program == "" {
		o.program = filepath.Join(o.work, "lspi")
		if said, err := exec.CommandContext(ctx, "go", "build", "-o", o.program,
			"lspi/cmd/lspi").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building lspi: %w\n%s", err, said)
		}
	}
	i := slices.IndexFunc(languages, func(l language) bool { return l.server == o.server })
	fmt.Fprintf(out, "soak of %s for %v, seed %d, in %s\n", o.server, o.length, o.seed, o.work)
	return &soak{options: o, out: out, language: languages[i], report: newReport()}, nil
}
