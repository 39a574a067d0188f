package mcpclient

import (
	"cmp"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"lspi/lsp/spec"
)

// Program returns the path of the command, looked up on the PATH of its environment; a relative one begins at Cwd. It
// is an error that the program is not there.
func (c *Client) Program() (string, error) {
	name := c.spec.Command
	if filepath.Base(name) != name {
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.spec.Cwd, name)
		}
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(spec.Variable(c.environment(), "PATH")) {
		if !filepath.IsAbs(dir) { // a program of whatever folder this is
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// environment returns the environment of the program.
func (c *Client) environment() []string {
	env := slices.Clip(c.spec.Environ)
	if env == nil {
		env = []string{} // nil would be the environment of this process, which may serve sessions with others
	}
	for name, value := range c.spec.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// proxy returns the function that finds the proxy of a request: by the variables that net/http reads from the
// environment of this process, here of the session's environment.
func (c *Client) proxy() func(*http.Request) (*url.URL, error) {
	env := c.environment()
	either := func(name string) string {
		return cmp.Or(spec.Variable(env, name), spec.Variable(env, strings.ToLower(name)))
	}
	of := (&httpproxy.Config{HTTPProxy: either("HTTP_PROXY"), HTTPSProxy: either("HTTPS_PROXY"),
		NoProxy: either("NO_PROXY")}).ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return of(r.URL) }
}
