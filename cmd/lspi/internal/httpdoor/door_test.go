package httpdoor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lspi/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// log keeps what is logged.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// open serves a door at a port of its own; behind it each request is told how long its body was.
func open(t *testing.T, address string, change func(*Door)) (*Door, *log) {
	t.Helper()
	a, err := ParseAddress(address, false)
	testkit.Must(t, err)
	l, err := Listen(t.Context(), a, 0)
	testkit.Must(t, err)
	logged := &log{}
	d := New(a, l, Options{
		Token: func() (string, error) { return secret, nil },
		MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			fmt.Fprintf(w, "%s of %d bytes", r.Method, n)
		}),
		Status: func() any { return map[string]int{"sessions": 3} },
		Log:    slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if change != nil {
		change(d)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- d.Run(ctx, time.Second) }()
	t.Cleanup(func() {
		end()
		testkit.Must(t, <-ended)
	})
	return d, logged
}

// say sends what a test wrote and returns the whole of the answer's status and body; the connection is closed then.
func say(t *testing.T, d *Door, text string) (int, string, http.Header) {
	t.Helper()
	c, err := net.Dial(d.listener.Addr().Network(), d.listener.Addr().String())
	testkit.Must(t, err)
	defer c.Close()
	_, err = io.WriteString(c, strings.ReplaceAll(strings.ReplaceAll(text, "PORT", d.port), "\n", "\r\n"))
	testkit.Must(t, err)
	return hear(t, c)
}

func hear(t *testing.T, c net.Conn) (int, string, http.Header) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	testkit.Must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	testkit.Must(t, err)
	return resp.StatusCode, string(body), resp.Header
}

func TestWhoMayComeIn(t *testing.T) {
	t.Parallel()
	d, logged := open(t, "127.0.0.1:0", nil)
	const bearer = "Authorization: Bearer " + secret + "\n"
	for _, c := range []struct {
		name, request string
		status        int
		body          string
	}{
		{"with the token", "POST /mcp HTTP/1.1\nHost: 127.0.0.1:PORT\nContent-Length: 2\n" + bearer + "\n{}", 200,
			"POST of 2 bytes"},
		{"the scheme in another case", "GET /mcp HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: bearer " + secret +
			"\n\n", 200, "GET of 0 bytes"},
		{"localhost", "GET /mcp HTTP/1.1\nHost: LocalHost:PORT\n" + bearer + "\n", 200, ""},
		{"another loopback address", "GET /mcp HTTP/1.1\nHost: [::1]:PORT\n" + bearer + "\n", 200, ""},
		{"its own origin", "GET /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: http://127.0.0.1:PORT\n" + bearer + "\n",
			200, ""},
		{"status", "GET /mcp/status HTTP/1.1\nHost: localhost:PORT\n" + bearer + "\n", 200, `{"sessions":3}`},
		{"status by POST", "POST /mcp/status HTTP/1.1\nHost: localhost:PORT\nContent-Length: 0\n" + bearer + "\n", 405,
			""},
		{"health", "GET /mcp/health HTTP/1.1\nHost: localhost:PORT\n\n", 200, `{"service":"lspi","status":"up"}`},
		{"health by POST", "POST /mcp/health HTTP/1.1\nHost: localhost:PORT\nContent-Length: 0\n\n", 405, ""},
		{"elsewhere", "GET /.well-known/oauth-protected-resource HTTP/1.1\nHost: localhost:PORT\n\n", 404, ""},

		{"without a token", "GET /mcp HTTP/1.1\nHost: localhost:PORT\n\n", 401, "lspi daemon token"},
		{"status without a token", "GET /mcp/status HTTP/1.1\nHost: localhost:PORT\n\n", 401, ""},
		{"an empty token", "GET /mcp HTTP/1.1\nHost: localhost:PORT\nAuthorization: Bearer \n\n", 401, ""},
		{"a wrong token", "GET /mcp HTTP/1.1\nHost: localhost:PORT\nAuthorization: Bearer guessed-secret\n\n", 401, ""},
		{"the beginning of the token", "GET /mcp HTTP/1.1\nHost: localhost:PORT\nAuthorization: Bearer " +
			secret[:42] + "\n\n", 401, ""},
		{"the token as a password", "GET /mcp HTTP/1.1\nHost: localhost:PORT\nAuthorization: Basic " + secret + "\n\n",
			401, ""},
		{"two tokens", "GET /mcp HTTP/1.1\nHost: localhost:PORT\n" + bearer +
			"Authorization: Bearer guessed-secret\n\n", 401, ""},
		{"the token in the query", "GET /mcp?token=" + secret + " HTTP/1.1\nHost: localhost:PORT\n\n", 401, ""},

		{"a rebound name", "GET /mcp HTTP/1.1\nHost: evil.example:PORT\n" + bearer + "\n", 403, ""},
		{"a rebound name that looks right", "GET /mcp HTTP/1.1\nHost: localhost.evil.example:PORT\n" + bearer + "\n",
			403, ""},
		{"a name that leads to 127.0.0.1", "GET /mcp HTTP/1.1\nHost: 127.0.0.1.nip.io:PORT\n" + bearer + "\n", 403, ""},
		{"an address in another spelling", "GET /mcp HTTP/1.1\nHost: 2130706433:PORT\n" + bearer + "\n", 403, ""},
		{"every address", "GET /mcp HTTP/1.1\nHost: 0.0.0.0:PORT\n" + bearer + "\n", 403, ""},
		{"another port", "GET /mcp HTTP/1.1\nHost: localhost:1\n" + bearer + "\n", 403, ""},
		{"no port", "GET /mcp HTTP/1.1\nHost: localhost\n" + bearer + "\n", 403, ""},
		{"no name", "GET /mcp HTTP/1.0\n" + bearer + "\n", 403, ""},
		{"health at a rebound name", "GET /mcp/health HTTP/1.1\nHost: evil.example:PORT\n\n", 403, ""},
		{"a page of somebody", "GET /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: http://evil.example\n" + bearer +
			"\n", 403, ""},
		{"a page of this machine", "GET /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: http://localhost:3000\n" +
			bearer + "\n", 403, ""},
		{"a page at the right name in TLS",
			"GET /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: https://localhost:PORT\n" + bearer + "\n", 403, ""},
		{"a page in a sandbox", "GET /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: null\n" + bearer + "\n", 403, ""},
		{"two origins",
			"GET /mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: http://localhost:PORT\nOrigin: http://evil.example\n" +
				bearer + "\n", 403, ""},
		{"a page that sends no origin",
			"GET /mcp/health HTTP/1.1\nHost: localhost:PORT\nSec-Fetch-Site: cross-site\n\n", 403, ""},

		{"no HTTP", "\x16\x03\x01 garbage\n\n", 400, ""},
	} {
		status, body, header := say(t, d, c.request)
		if status != c.status || !strings.Contains(body, c.body) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
		if (status == 405) != (header.Get("Allow") != "") ||
			(status == 401) != (header.Get("WWW-Authenticate") == "Bearer") {
			t.Errorf("%s: %d has the headers %v", c.name, status, header)
		}
		if header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: a page may read it: %v", c.name, header)
		}
	}
	for _, never := range []string{secret, "guessed-secret", "evil.example"} {
		if strings.Contains(logged.text(), never) {
			t.Errorf("the log has %s:\n%s", never, logged.text())
		}
	}
	if refused := d.Refused(); refused["token"] != 8 || refused["host"] != 9 || refused["origin"] != 6 {
		t.Errorf("refused: %v", refused)
	}
}

// The answer may be lost with the connection: the server closes it on what it has not read.
func TestLongHeader(t *testing.T) {
	t.Parallel()
	d, _ := open(t, "127.0.0.1:0", nil)
	c, err := net.Dial("tcp", d.listener.Addr().String())
	testkit.Must(t, err)
	defer c.Close()
	_, _ = fmt.Fprintf(c, "GET /mcp/health HTTP/1.1\r\nHost: localhost:%s\r\nX: %s\r\n\r\n", d.port,
		strings.Repeat("x", 1<<20))
	if answer, _ := io.ReadAll(c); bytes.Contains(answer, []byte("200 OK")) {
		t.Errorf("%s", answer)
	}
}

// A name is known only on the address that it belongs to: at an address that other machines reach, a request from
// there cannot call it localhost.
func TestNamesOfTheServer(t *testing.T) {
	t.Parallel()
	d := &Door{port: "47100", name: "build.example"}
	for _, c := range []struct {
		given, local string
		known        bool
	}{
		{"192.0.2.7:47100", "192.0.2.7", true},
		{"build.example:47100", "192.0.2.7", true},
		{"Build.Example:47100", "127.0.0.1", true},
		{"[2001:db8::7]:47100", "2001:db8::7", true},
		{"localhost:47100", "192.0.2.7", false},
		{"127.0.0.1:47100", "192.0.2.7", false},
		{"192.0.2.8:47100", "192.0.2.7", false},
		{"build.example.:47100", "192.0.2.7", false},
		{"127.0.0.1:47100", "::1", true},
		{":47100", "127.0.0.1", false},
		{"", "127.0.0.1", false},
		{"[::1", "::1", false},
	} {
		if got := d.knows(c.given, plain(netip.MustParseAddr(c.local))); got != c.known {
			t.Errorf("%q at %s: known is %v", c.given, c.local, got)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	d, _ := open(t, "127.0.0.1:0", func(d *Door) { d.bodyLimit = 200 * time.Millisecond })
	unhurried, _ := open(t, "127.0.0.1:0", nil)
	head := func(bearer string, length string) string {
		return "POST /mcp HTTP/1.1\nHost: localhost:PORT\nAuthorization: Bearer " + bearer + "\n" + length + "\n\n"
	}
	t.Run("giant", func(t *testing.T) {
		resp := post(t, unhurried, secret, io.LimitReader(endless{}, 1<<30))
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s", resp.Status)
		}
	})
	t.Run("as large as allowed", func(t *testing.T) {
		if resp := post(t, unhurried, secret,
			bytes.NewReader(make([]byte, maxBody))); resp.StatusCode != http.StatusOK {
			t.Errorf("%s", resp.Status)
		}
	})
	for _, c := range []struct {
		name, request string
		status        int
	}{
		{"slow", head(secret, "Content-Length: 100") + "{", 408},
		{"slow in chunks", head(secret, "Transfer-Encoding: chunked") + "1\n{\n", 408},
		{"slow by who may not", head("guessed", "Content-Length: 100") + "{", 401},
		{"of no length", head(secret, "Content-Length: -1"), 400},
		{"of two lengths", head(secret, "Content-Length: 1\nContent-Length: 2"), 400},
		{"broken chunks", head(secret, "Transfer-Encoding: chunked") + "zz\n", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", d.listener.Addr().String())
			testkit.Must(t, err)
			defer conn.Close()
			_, err = io.WriteString(conn, strings.ReplaceAll(strings.ReplaceAll(c.request, "PORT", d.port), "\n",
				"\r\n"))
			testkit.Must(t, err)
			if status, body, _ := hear(t, conn); status != c.status {
				t.Errorf("%d %s", status, body)
			}
			// returns when the server has closed it
			if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
				t.Error(err)
			}
		})
	}
}

// endless is a body that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func post(t *testing.T, d *Door, token string, body io.Reader) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+d.listener.Addr().String()+"/mcp",
		body)
	testkit.Must(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	testkit.Must(t, err)
	resp.Body.Close()
	return resp
}

// Only so many requests are served at a time, and a header that does not come frees its place.
func TestTooManyAtATime(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	d, _ := open(t, "127.0.0.1:0", func(d *Door) {
		d.requests = make(chan struct{}, 2)
		d.opt.MCP = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			inside <- struct{}{}
			<-leave
		})
	})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { post(t, d, secret, strings.NewReader("{}")) })
		<-inside
	}
	resp := post(t, d, secret, strings.NewReader("{}"))
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
	close(leave)
	all.Wait()
}

// Connections beyond the limit wait until one ends.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	d, _ := open(t, "127.0.0.1:0", nil)
	var silent []net.Conn
	for range maxConnections {
		c, err := net.Dial("tcp", d.listener.Addr().String())
		testkit.Must(t, err)
		silent = append(silent, c)
	}
	status := make(chan int)
	go func() {
		got, _, _ := say(t, d, "GET /mcp/health HTTP/1.1\nHost: localhost:PORT\n\n")
		status <- got
	}()
	testkit.Must(t, testkit.Eventually(10*time.Second, func() bool {
		return len(d.listener.(*limited).slots) == maxConnections
	}))
	for _, c := range silent {
		c.Close()
	}
	if got := <-status; got != http.StatusOK {
		t.Errorf("%d", got)
	}
}

// Without a token nobody comes in, and the log says why.
func TestWithoutToken(t *testing.T) {
	t.Parallel()
	d, logged := open(t, "127.0.0.1:0", func(d *Door) {
		d.opt.Token = func() (string, error) { return "", errors.New("the disk is gone") }
	})
	for _, given := range []string{"", secret} {
		if resp := post(t, d, given, strings.NewReader("{}")); resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%q: %s", given, resp.Status)
		}
	}
	testkit.Holds(t, logged.text(), "the disk is gone", "the log does not say why")
}

// Ten thousand refusals are some lines of the log.
func TestRefusalsDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	var r refusals
	lines := 0
	for range 10_000 {
		if _, worth := r.add("token"); worth {
			lines++
		}
	}
	if lines != 14 || r.count["token"] != 10_000 {
		t.Errorf("%d lines for %v", lines, r.count)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given        string
		here, remote bool
	}{
		{"127.0.0.1:47100", true, true},
		{"127.9.9.9:47100", true, true},
		{"[::1]:47100", true, true},
		{"localhost:47100", true, true},
		{"0.0.0.0:47100", false, true},
		{"[::]:47100", false, true},
		{":47100", false, true},
		{"192.0.2.7:47100", false, true},
		{"localhost.evil.example:47100", false, true},
		{"127.0.0.1", false, false},
		{"127.0.0.1:", false, false},
		{"127.0.0.1:99999", false, false},
		{"47100", false, false},
		{"", false, false},
		{"http://127.0.0.1:47100", false, false},
		{"unix:/run/lspi.sock", runtime.GOOS != "windows", runtime.GOOS != "windows"},
		{"unix:lspi.sock", false, false},
		{"unix:", false, false},
	} {
		if _, err := ParseAddress(c.given, false); (err == nil) != c.here {
			t.Errorf("%q: %v", c.given, err)
		}
		if _, err := ParseAddress(c.given, true); (err == nil) != c.remote {
			t.Errorf("%q with --http-allow-remote: %v", c.given, err)
		}
	}
}

func TestAddressInUse(t *testing.T) {
	t.Parallel()
	d, _ := open(t, "127.0.0.1:0", nil)
	again, err := ParseAddress(d.listener.Addr().String(), false)
	testkit.Must(t, err)
	if _, err := Listen(t.Context(), again, 0); err == nil || !strings.Contains(err.Error(), "another lspi") {
		t.Errorf("held by lspi: %v", err)
	}
	stranger := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"service": "other", "status": "up"})
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	go func() { _ = stranger.Serve(l) }()
	defer stranger.Close()
	again, err = ParseAddress(l.Addr().String(), false)
	testkit.Must(t, err)
	if _, err := Listen(t.Context(), again, 0); err == nil || !strings.Contains(err.Error(), "not lspi") {
		t.Errorf("held by another program: %v", err)
	}
}

// With further ports the next free one is used, and an address whose ports are all taken says so.
func TestNextFreePort(t *testing.T) {
	t.Parallel()
	first := twoPorts(t)
	a, err := ParseAddress(fmt.Sprintf("localhost:%d", first), false)
	testkit.Must(t, err)
	if l, err := Listen(t.Context(), a, 1); err == nil {
		l.Close()
		t.Errorf("listens at %s, where two ports are taken", l.Addr())
	} else {
		testkit.Holds(t, err.Error(), "not lspi; the next port is taken, too", "what was tried")
	}
	l, err := Listen(t.Context(), a, 100)
	testkit.Must(t, err)
	defer l.Close()
	got := l.Addr().(*net.TCPAddr)
	if got.Port <= first+1 || got.Port > first+100 || URL(l) != fmt.Sprintf("http://127.0.0.1:%d/mcp", got.Port) {
		t.Errorf("beside %d: %s, %s", first, got, URL(l))
	}
}

// twoPorts listens at two successive ports until the test ends, and returns the first.
func twoPorts(t *testing.T) int {
	t.Helper()
	for range 100 {
		one, err := net.Listen("tcp", "127.0.0.1:0")
		testkit.Must(t, err)
		port := one.Addr().(*net.TCPAddr).Port
		two, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
		if err == nil {
			t.Cleanup(func() { one.Close(); two.Close() })
			return port
		}
		one.Close()
	}
	t.Fatal("no two successive ports are free")
	return 0
}

// A Unix socket is the user's alone. Clients send any Host there; nothing that comes from a page is served.
func TestSocket(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no Unix sockets")
	}
	dir, err := os.MkdirTemp("", "lspi") // the path of a socket has to be short
	testkit.Must(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	const bearer = "Authorization: Bearer " + secret + "\n"
	t.Run("serves", func(t *testing.T) {
		d, _ := open(t, "unix:"+path, nil)
		if info, err := os.Stat(path); err != nil || info.Mode() != os.ModeSocket|0o600 {
			t.Errorf("%v, %v", info, err)
		}
		if got := URL(d.listener); got != "unix:"+path {
			t.Errorf("clients are told %s", got)
		}
		for _, c := range []struct {
			name, request string
			status        int
		}{
			{"with the token", "GET /mcp HTTP/1.1\nHost: localhost\n" + bearer + "\n", 200},
			{"another name", "GET /mcp HTTP/1.1\nHost: lspi\n" + bearer + "\n", 200},
			{"no name", "GET /mcp HTTP/1.1\nHost: \n" + bearer + "\n", 200},
			{"health", "GET /mcp/health HTTP/1.1\nHost: x\n\n", 200},
			{"without a token", "GET /mcp HTTP/1.1\nHost: localhost\n\n", 401},
			{"a page", "GET /mcp HTTP/1.1\nHost: localhost\nOrigin: http://localhost\n" + bearer + "\n", 403},
		} {
			if status, body, _ := say(t, d, c.request); status != c.status {
				t.Errorf("%s: %d %s", c.name, status, body)
			}
		}
		again, err := ParseAddress("unix:"+path, false)
		testkit.Must(t, err)
		if _, err := Listen(t.Context(), again, 0); err == nil || !strings.Contains(err.Error(), "another lspi") {
			t.Errorf("held by lspi: %v", err)
		}
	})
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	testkit.Must(t, err)
	left.SetUnlinkOnClose(false)
	left.Close() // as a killed process leaves it
	a, err := ParseAddress("unix:"+path, false)
	testkit.Must(t, err)
	l, err := Listen(t.Context(), a, 0)
	testkit.Must(t, err)
	l.Close()
	testkit.Write(t, path, "precious")
	if _, err := Listen(t.Context(), a, 0); err == nil {
		t.Error("a file was replaced")
	}
	testkit.Must(t, os.Remove(path))
	testkit.Must(t, os.Chmod(dir, 0o777))
	if _, err := Listen(t.Context(), a, 0); err == nil {
		t.Error("listens where anybody may replace the socket")
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "http-token")
	var all sync.WaitGroup
	made := make([]string, 20)
	for i := range made {
		all.Go(func() { made[i], _ = Token(path) })
	}
	all.Wait()
	for _, token := range made {
		if token != made[0] || len(token) != 43 {
			t.Fatalf("tokens: %q", made)
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	next, err := RenewToken(path)
	if err != nil || next == made[0] {
		t.Errorf("renewed: %v, %v", next == made[0], err)
	}
	testkit.Must(t, os.WriteFile(path, []byte("too short\n"), 0o600))
	if token, err := Token(path); err == nil || strings.Contains(err.Error(), "too short") {
		t.Errorf("%q, %v", token, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	testkit.Must(t, os.WriteFile(path, []byte(secret+"\n"), 0o600))
	testkit.Must(t, os.Chmod(path, 0o640))
	if token, err := Token(path); err == nil {
		t.Errorf("others may read it, and it is used: %q", token)
	}
	testkit.Must(t, os.Rename(path, path+".real"))
	testkit.Must(t, os.Chmod(path+".real", 0o600))
	testkit.Must(t, os.Symlink(path+".real", path))
	if token, err := Token(path); err == nil {
		t.Errorf("it is a link, and it is used: %q", token)
	}
}
