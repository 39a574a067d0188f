package httpdoor

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// refusal is why a request is not served.
type refusal struct {
	status int
	reason string // for the status and the log; one of a few words
	text   string // for the client
	err    error  // for the log, when the server is at fault; else nil
}

// origin refuses what a browser sends for a page of another site. A page whose name was made to resolve to 127.0.0.1
// (DNS rebinding) has its own name in Host; a page that asks 127.0.0.1 directly has its own in Origin. No name leads to
// a Unix socket, so there Host may be anything, and no Origin is the server's own.
func (d *Door) origin(r *http.Request) *refusal {
	if !d.socket && !d.knows(r.Host, localAddr(r)) {
		return &refusal{status: http.StatusForbidden, reason: "host",
			text: "this name is not that of the server: use the address that it listens at"}
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
			return &refusal{status: http.StatusForbidden, reason: "origin", text: "web pages may not ask this server"}
		}
		return nil
	}
	host, http1 := strings.CutPrefix(strings.ToLower(origins[0]), "http://")
	if len(origins) > 1 || !http1 || d.socket || !d.knows(host, localAddr(r)) {
		return &refusal{status: http.StatusForbidden, reason: "origin", text: "web pages may not ask this server"}
	}
	return nil
}

func localAddr(r *http.Request) netip.Addr {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if local == nil {
		return netip.Addr{}
	}
	return plain(local.AddrPort().Addr())
}

func plain(ip netip.Addr) netip.Addr { return ip.Unmap().WithZone("") }

// knows reports whether host:port names this server: by the address that the connection came to, by the name that the
// user gave, or, for a connection from this machine, by any loopback address or localhost. The port has to match,
// because every program of the machine has the same names.
func (d *Door) knows(given string, local netip.Addr) bool {
	host, port, err := net.SplitHostPort(given)
	if err != nil { // there is no port
		host, port = strings.TrimSuffix(strings.TrimPrefix(given, "["), "]"), "80"
	}
	if port != d.port {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = plain(ip)
		return ip == local || ip.IsLoopback() && local.IsLoopback()
	}
	host = strings.ToLower(host)
	return host != "" && (host == d.name || host == "localhost" && local.IsLoopback())
}

// bearer refuses requests without the token. It reads the token for each request, so that a new one counts at once.
func (d *Door) bearer(r *http.Request) *refusal {
	wanted, err := d.opt.Token()
	if err != nil {
		return &refusal{status: http.StatusServiceUnavailable, reason: "no_token",
			text: "the server has no token; its log says why", err: err}
	}
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return &refusal{status: http.StatusUnauthorized, reason: "token",
			text: "a bearer token is needed: lspi daemon token prints it"}
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	if !strings.EqualFold(scheme, "bearer") || !sameToken(strings.TrimSpace(token), wanted) {
		return &refusal{status: http.StatusUnauthorized, reason: "token",
			text: "the bearer token is wrong: lspi daemon token prints the right one"}
	}
	return nil
}
