package config

import (
	"slices"

	"lspi/cmd/lspi/internal/trust"
)

// Now is a configuration that was read some time ago without the trust that the user has taken back since: the same
// one where they have taken none back, and nil where that was trust in a file which it is made of. Trust that was
// given since counts with the next [Load]. None of its files is read.
func (c *Config) Now(o Options) *Config {
	store := trust.Open(o.User())
	for _, f := range c.trusted {
		if now, ok, err := store.File(f.Path); err != nil || !ok || now.SHA256 != f.SHA256 {
			return nil
		}
	}
	return c.Judged(o)
}

// Judged is a configuration that was read some time ago with what the user says now of the workspace, where that is
// less trust than then: the same one where it is not. Trust in the files that it is made of is not looked at.
func (c *Config) Judged(o Options) *Config {
	if !c.Trust.Trusted {
		return c
	}
	user := o.User()
	now := trust.Decide(user, c.policy, c.judged...)
	if now.Trusted {
		return c
	}
	out := *c
	out.Trust = now
	out.distrust(user.HomeDir())
	return &out
}

// distrust has servers run no code of the workspace's folders.
func (c *Config) distrust(home string) {
	c.untrusted = trust.WithRepositories(c.Roots, home)
	c.Specs = slices.Clone(c.Specs)
	for i := range c.Specs {
		c.Specs[i] = c.Specs[i].Restricted(c.untrusted)
	}
}

// Apart is a folder of lspi's own with nothing in it, for programs that would take code from the folder in which
// they start; "" when there is no place for it. It may not be there yet.
func (c *Config) Apart() string { return c.apart }

// Untrusted are the folders whose programs are not run; nil when the workspace is trusted.
func (c *Config) Untrusted() []string { return c.untrusted }
