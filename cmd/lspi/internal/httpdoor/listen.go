package httpdoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// Address is where the door listens.
type Address struct {
	text string // as the user wrote it
	host string // a name or an IP address; "" for every address of the machine
}

// ParseAddress checks an address such as 127.0.0.1:47100. An address that other machines can reach is an error unless
// remote is set.
func ParseAddress(given string, remote bool) (Address, error) {
	host, port, err := net.SplitHostPort(given)
	if err != nil || port == "" {
		return Address{}, fmt.Errorf("%q is not an address such as 127.0.0.1:47100", given)
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

// Listen listens at the address. When it is in use, the error says whether another lspi uses it.
func Listen(ctx context.Context, a Address) (net.Listener, error) {
	text := a.text
	if a.host == "localhost" { // always loopback, whatever /etc/hosts says
		_, port, _ := net.SplitHostPort(text)
		text = net.JoinHostPort("127.0.0.1", port)
	}
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", text)
	switch {
	case err == nil:
		return l, nil
	case !errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("listening at %s: %w", a.text, err)
	case holdsIt(ctx, text):
		return nil, fmt.Errorf(
			"listening at %s: another lspi listens there; end it with lspi daemon stop, or name another port", a.text)
	}
	return nil, fmt.Errorf("listening at %s: another program listens there, which is not lspi; name another port",
		a.text)
}

// health is what /mcp/health sends, to anybody: that lspi is up, and nothing else.
type health struct {
	Service string `json:"service"`
	Status  string `json:"status"`
}

var up = health{"lspi", "up"}

// askLimit is how long the program at an address may take to answer /mcp/health.
const askLimit = 2 * time.Second

// holdsIt reports whether another lspi listens at an address.
func holdsIt(ctx context.Context, address string) bool {
	host, port, _ := net.SplitHostPort(address)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/mcp/health",
		nil)
	if err != nil {
		return false
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // uses no proxy, unlike http.DefaultTransport
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
