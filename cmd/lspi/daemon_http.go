package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/httpdoor"
	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/cmd/lspi/internal/trust"
)

// The HTTP side of the shared process: lspi daemon run --http.

// The limits on sessions over HTTP.
const (
	maxHTTPSessions = 64
	httpIdle        = 30 * time.Minute // a session ends after so long without a request or an open stream
)

// doorFlags say whether and where the shared process serves HTTP.
type doorFlags struct {
	address string
	remote  bool
	retry   bool // take the next free port when the one of the address is taken
}

// furtherPorts is how many ports --http-port-retry tries beyond the one of the address.
const furtherPorts = 100

func (f *doorFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "http", "",
		"serve MCP over HTTP, too, at this `address`, such as 127.0.0.1:47100, or unix:/path for a socket of mode 0600")
	cmd.Flags().BoolVar(&f.remote, "http-allow-remote", false,
		"allow an address that other machines reach; the token then crosses the network unencrypted")
	cmd.Flags().BoolVar(&f.retry, "http-port-retry", false,
		"when the port is taken, listen at the next free one; lspi status has the address")
}

// parse returns the address; nil without --http.
func (f doorFlags) parse() (*httpdoor.Address, error) {
	if f.address == "" {
		if f.remote || f.retry {
			return nil, &usageError{errors.New("--http-allow-remote and --http-port-retry need --http"),
				"lspi daemon run"}
		}
		return nil, nil
	}
	at, err := httpdoor.ParseAddress(f.address, f.remote)
	if err != nil {
		return nil, &usageError{err, "lspi daemon run"}
	}
	if f.retry && at.IsSocket() {
		return nil, &usageError{errors.New("--http-port-retry needs an address with a port"), "lspi daemon run"}
	}
	return &at, nil
}

// further returns how many ports beyond the one of the address may be tried.
func (f doorFlags) further() int {
	if f.retry {
		return furtherPorts
	}
	return 0
}

// tokenPath returns the file of the token; "" when no home folder is known.
func tokenPath() string {
	dir := trust.User{}.StateDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "http-token")
}

// token returns the bearer token for HTTP and creates it when there is none.
func token() (string, error) {
	path := tokenPath()
	if path == "" {
		return "", errors.New("there is no place for a token: no home folder is known")
	}
	return httpdoor.Token(path)
}

func newDaemonTokenCommand() *cobra.Command {
	var renew bool
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Print the token that hosts over HTTP need",
		Long: "token prints the bearer token of lspi daemon run --http and creates it when there is none. Whoever has it can\n" +
			"ask about everything in the folders of daemon.http_roots, and edit it unless lspi is read-only.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := token()
			if path := tokenPath(); renew && path != "" {
				t, err = httpdoor.RenewToken(path)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), t)
			return err
		},
	}
	cmd.Flags().BoolVar(&renew, "new", false, "make another one; the old one is refused from then on")
	return cmd
}

// openedDoor is the HTTP side of a shared process that serves HTTP.
type openedDoor struct {
	*httpdoor.Door
	url    string
	mcp    *mcpserver.HTTP
	cancel context.CancelFunc
	served chan struct{} // closed when the HTTP server has ended
}

// openDoor serves HTTP until closeDoor, and prints the address to errs. further is as in [httpdoor.Listen].
func (d *shared) openDoor(ctx context.Context, at httpdoor.Address, further int, errs io.Writer) error {
	if _, err := token(); err != nil {
		return err
	}
	l, err := httpdoor.Listen(ctx, at, further)
	if err != nil {
		return err
	}
	o := &openedDoor{url: httpdoor.URL(l), served: make(chan struct{})}
	o.mcp = mcpserver.NewHTTP(mcpserver.HTTPOptions{New: d.httpSession, MaxSessions: maxHTTPSessions, Idle: httpIdle,
		Log: d.log})
	o.Door = httpdoor.New(at, l, httpdoor.Options{Token: token, MCP: o.mcp, Status: func() any {
		return d.status()
	}, Log: d.log})
	d.door = o
	ctx, o.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(o.served)
		if err := o.Run(ctx, endLimit); err != nil {
			d.log.Error("serving HTTP has ended", "error", err)
		}
	}()
	fmt.Fprintf(errs, "lspi: MCP over HTTP at %s; lspi daemon token prints the token\n", o.url)
	if folder := httpdoor.GroupFolder(l); folder != "" {
		fmt.Fprintf(errs, "lspi: the group of %s may connect, too, because this folder has the setgid bit\n", folder)
	}
	if len(userConfig().Daemon.HTTPRoots) == 0 {
		fmt.Fprintln(errs,
			"lspi: no workspace can be chosen over HTTP: daemon.http_roots of your own configuration names no folder "+
				"that exists")
	}
	return nil
}

// closeDoor ends the sessions over HTTP. After lspi daemon stop it waits for calls in flight, up to stopLimit.
func (d *shared) closeDoor(why error) {
	o := d.door
	if o == nil {
		return
	}
	if errors.Is(why, daemon.ErrStopped) {
		ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		o.mcp.Finish(ctx)
	}
	o.cancel()
	o.mcp.Close()
	<-o.served
}

// httpSession returns the options for a new session over HTTP, and what to call after its end. The session uses the
// environment of this process.
func (d *shared) httpSession() (mcpserver.ServiceOptions, func()) {
	s := &wiring{options: (&request{}).options(), logs: newLogs(d.out), process: d.process, live: &live{},
		watcher: &d.watcher, events: d.events.Recorder()}
	user := config.LoadUser(s.options)
	s.logs.follow(user, config.Flags{})
	_ = s.record(user)
	settings := settingsOf(user)
	settings.Trust, settings.Configuration, settings.Warnings = nil, nil, nil // they belong to a workspace
	b := &binding{session: s, settings: settings}
	overHTTP(&b.settings)
	d.mu.Lock()
	d.bound[b] = true
	d.mu.Unlock()
	return mcpserver.ServiceOptions{Version: version().Version, Settings: b.settings, Open: b.open, Bind: b.bind,
			Warmup: s.warmup(user), Log: s.logs.log, Cache: s.mcpListCache(), Events: s.events,
			Watch: func(refresh func()) func() { return s.live.watch(s.watcher, refresh) }},
		func() {
			d.mu.Lock()
			delete(d.bound, b)
			d.mu.Unlock()
			s.close()
		}
}
