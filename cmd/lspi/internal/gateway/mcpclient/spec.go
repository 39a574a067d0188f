package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"lspi/internal/source"
	"lspi/tools/session"
)

// Spec says which server this is and how it is reached, with what a client has to know of it.
type Spec session.MCPSpec

const (
	defaultStart = 60 * time.Second
	defaultCall  = 60 * time.Second
	defaultList  = 30 * time.Second
)

// idPattern keeps room for a tool's name in the 64 characters of hosts. "__" ends the id in the names of tools.
var idPattern = source.LazyRegexp(`^[a-zA-Z0-9]([a-zA-Z0-9_-]{0,30}[a-zA-Z0-9])?$`)

// Check returns why no client can be made of a spec.
func (s *Spec) Check() error {
	if !idPattern.MatchString(s.ID) || strings.Contains(s.ID, "__") {
		return fmt.Errorf(
			"id %q: at most 32 characters of a-z, A-Z, 0-9, _ and -, with no _ or - at the ends and no __", s.ID)
	}
	if (s.Command == "") == (s.URL == "") {
		return errors.New("it needs command or url, and not both")
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			// the error of url.Parse has the URL, which may hold a secret
			return errors.New("url: it needs http:// or https:// and a host")
		}
	}
	return nil
}

func (s *Spec) timeout(set, otherwise time.Duration) time.Duration {
	if set > 0 {
		return set
	}
	return otherwise
}

// Masked is the spec for logs and statuses: values of Env and Headers, Token and the secrets of URL are "***", and
// every secret that stands somewhere else, too. Environ is left out.
func (s *Spec) Masked() Spec {
	m := NewMask(s)
	out := *s
	out.Environ, out.Secrets = nil, nil
	out.Command, out.Cwd, out.URL = m.Text(s.Command), m.Text(s.Cwd), m.Text(s.URL)
	out.Args = make([]string, len(s.Args))
	for i, a := range s.Args {
		out.Args[i] = m.Text(a)
	}
	out.Env, out.Headers = stars(s.Env), stars(s.Headers)
	if s.Token != "" {
		out.Token = masked
	}
	return out
}

func stars(values map[string]string) map[string]string {
	out := maps.Clone(values)
	for name := range out {
		out[name] = masked
	}
	return out
}

// Digest names what the server is, without its secrets: a list that was kept under it stands in for the same server
// with another token.
func (s *Spec) Digest() string {
	m := s.Masked()
	m.StartTimeout, m.CallTimeout, m.ListTimeout = 0, 0, 0
	raw, _ := json.Marshal(m) // maps are sorted
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// Equal says whether two specs are the same, so that a client goes on when the configuration was read again.
func (s *Spec) Equal(o *Spec) bool {
	a, _ := json.Marshal(s)
	b, _ := json.Marshal(o)
	return slices.Equal(a, b)
}
