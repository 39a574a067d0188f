package httpdoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/trust"
)

// Address is where the door listens: at a port, or at a Unix socket.
type Address struct {
	text   string // as the user wrote it
	host   string // a name or an IP address; "" for every address of the machine, and for a socket
	socket string // the absolute path of the socket; "" for a port
}

// socketPrefix begins the address of a Unix socket; its path follows.
const socketPrefix = "unix:"

// ParseAddress checks an address such as 127.0.0.1:47100 or unix:/path. An address that other machines can reach is an
// error unless remote is set.
func ParseAddress(given string, remote bool) (Address, error) {
	if path, ok := strings.CutPrefix(given, socketPrefix); ok {
		if !filepath.IsAbs(path) {
			return Address{}, fmt.Errorf("%q names no socket: its path has to be absolute", given)
		}
		return Address{text: given, socket: filepath.Clean(path)}, nil
	}
	host, port, err := net.SplitHostPort(given)
	if err != nil || port == "" {
		return Address{}, fmt.Errorf("%q is not an address such as 127.0.0.1:47100 or unix:/path", given)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return Address{}, fmt.Errorf("%q is not an address: there is no port %q", given, port)
	}
	a := Address{text: given, host: strings.ToLower(host)}
	if !remote && !a.loopback() {
		return Address{},
			fmt.Errorf("%s can be reached from other machines: name 127.0.0.1, [::1] or localhost, or allow it with --http-allow-remote", given)
	}
	return a, nil
}

// IsSocket reports whether the address is that of a Unix socket.
func (a Address) IsSocket() bool { return a.socket != "" }

// loopback reports whether only this machine can reach the address. A name other than localhost counts as remote: what
// it resolves to may change.
func (a Address) loopback() bool {
	ip, err := netip.ParseAddr(a.host)
	return err == nil && ip.Unmap().IsLoopback() || a.host == "localhost"
}

func (a Address) literal() bool {
	_, err := netip.ParseAddr(a.host)
	return err == nil || a.host == ""
}

// URL returns what clients are told of a listener of [Listen]: the URL of MCP, or unix: and the path of the socket.
func URL(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return socketPrefix + l.Addr().String()
	}
	return "http://" + l.Addr().String() + "/mcp"
}

// GroupFolder returns the folder whose group may connect to a listener of [Listen] besides the user; "" when no group
// may. Folders inherit the setgid bit, and so the user need not know that this one has it.
func GroupFolder(l net.Listener) string {
	if l.Addr().Network() != "unix" {
		return ""
	}
	path := l.Addr().String()
	if info, err := os.Stat(path); err != nil || info.Mode()&groupMode != groupMode {
		return ""
	}
	return filepath.Dir(path)
}

// Listen listens at the address. When its port is taken, up to further higher ports are tried, and the first free one
// is used. When none is free, the error says whether another lspi has the address.
func Listen(ctx context.Context, a Address, further int) (net.Listener, error) {
	if a.socket != "" {
		return listenSocket(ctx, a.socket)
	}
	host, name, _ := net.SplitHostPort(a.text)
	if a.host == "localhost" { // always loopback, whatever /etc/hosts says
		host = "127.0.0.1"
	}
	first, err := net.LookupPort("tcp", name)
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", a.text, err)
	}
	at := func(port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
	var c net.ListenConfig
	for port := first; port <= min(first+further, math.MaxUint16); port++ {
		l, err := c.Listen(ctx, "tcp", at(port))
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("listening at %s: %w", at(port), err)
		}
	}
	ways := "name another port, or let lspi take the next free one with --http-port-retry"
	switch {
	case further == 1:
		ways = "the next port is taken, too"
	case further > 1:
		ways = fmt.Sprintf("the next %d ports are taken, too", further)
	}
	if holdsIt(ctx, "tcp", at(first)) {
		return nil, fmt.Errorf("listening at %s: another lspi listens there; end it with lspi daemon stop, or %s",
			a.text, ways)
	}
	return nil, fmt.Errorf("listening at %s: another program listens there, which is not lspi; %s", a.text, ways)
}

// groupMode lets a group connect to a socket.
const groupMode = 0o060

// listenSocket listens at a Unix socket that only the user can reach (mode 0600), and that nobody else can replace. A
// socket that a killed process left is replaced; whatever else is in its place stays.
//
// In a folder with the setgid bit the socket belongs to the folder's group, and this group may connect (mode 0660). So
// an administrator admits a proxy that runs as a user of its own, as Debian's Caddy does: a port instead could be taken
// by any user of the machine while lspi is down, and would then be sent the token.
func listenSocket(ctx context.Context, path string) (net.Listener, error) {
	if err := trust.OnlyUserWrites(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("listening at %s: the folder of the socket: %w", path, err)
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("listening at %s: there is something else, which is no socket", path)
		}
		c, err := new(net.Dialer).DialContext(ctx, "unix", path)
		switch {
		case err == nil:
			c.Close()
			who := "another program listens there, which is not lspi; name another path"
			if holdsIt(ctx, "unix", path) {
				who = "another lspi listens there; end it with lspi daemon stop, or name another path"
			}
			return nil, fmt.Errorf("listening at %s: %s", path, who)
		case !errors.Is(err, syscall.ECONNREFUSED):
			return nil, fmt.Errorf("listening at %s: %w", path, err)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("listening at %s: %w", path, err)
		}
	}
	l, err := daemon.Bind(path)
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", path, err)
	}
	l.SetUnlinkOnClose(true)
	folder, err := os.Stat(filepath.Dir(path))
	if err == nil && folder.Mode()&os.ModeSetgid != 0 {
		err = os.Chmod(path, 0o600|groupMode)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("listening at %s: %w", path, err)
	}
	return l, nil
}

// health is what /mcp/health sends, to anybody: that lspi is up, and nothing else.
type health struct {
	Service string `json:"service"`
	Status  string `json:"status"`
}

var up = health{"lspi", "up"}

// askLimit is how long the program at an address may take to answer /mcp/health.
const askLimit = 2 * time.Second

// holdsIt reports whether another lspi listens at an address, or at the socket of a path.
func holdsIt(ctx context.Context, network, address string) bool {
	if host, port, err := net.SplitHostPort(address); network == "tcp" && err == nil {
		if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
			address = net.JoinHostPort("127.0.0.1", port)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	host := address
	if network == "unix" {
		host = "localhost"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/mcp/health", nil)
	if err != nil {
		return false
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, DialContext: dial}, // uses no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var told health
	return resp.StatusCode == http.StatusOK &&
		json.NewDecoder(io.LimitReader(resp.Body, 1<<10)).Decode(&told) == nil && told == up
}
