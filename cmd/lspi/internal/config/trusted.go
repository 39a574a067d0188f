package config

import (
	"slices"

	"lspi/cmd/lspi/internal/folders"
	"lspi/cmd/lspi/internal/trust"
	"lspi/lsp/spec"
)

// Now is a configuration that was read some time ago without the trust that the user has taken back since: the same one where they have taken
// none back, and nil where that was trust in a file which it is made of. Trust that was given since counts with the next [Load]. None of its
// files is read.
func (c *Config) Now(o Options) *Config {
	user := o.User()
	store := trust.Open(user)
	for _, f := range c.trusted {
		if now, ok, err := store.File(f.Path); err != nil || !ok || now.SHA256 != f.SHA256 {
			return nil
		}
	}
	if !c.Trust.Trusted {
		return c
	}
	now := trust.Decide(user, c.policy, c.judged...)
	if now.Trusted {
		return c
	}
	out := *c
	out.Trust, out.Specs = now, restricted(c.Specs, c.Roots, user.HomeDir())
	return &out
}

// restricted are servers that run no code of these folders.
func restricted(specs []spec.Spec, roots []string, home string) []spec.Spec {
	untrusted, out := folders.WithRepositories(roots, home), slices.Clone(specs)
	for i := range out {
		out[i] = out[i].Restricted(untrusted)
	}
	return out
}
