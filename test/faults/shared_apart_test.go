//go:build linux

package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

var (
	otherEnvironment = &fault{group: groupShared, name: "sessions with different GOFLAGS ask at the same time",
		servers: []string{gopls}}
	otherSettings = &fault{group: groupShared,
		name: "sessions with different settings of one server ask at the same time", servers: []string{gopls}}
	otherRights = sharedFault("one session is read-only and another one edits")
)

// tag is a build tag; each of two files is in the build with it, or without it.
const tag = "special"

// Sessions do not share a server that would answer one of them wrong.
func TestOtherEnvironment(t *testing.T) {
	atBoth(t, otherEnvironment, func(c *cell, p *project) { p.apart(c, as{env: []string{"GOFLAGS=-tags=" + tag}}) })
}

func TestOtherSettings(t *testing.T) {
	atBoth(t, otherSettings, func(c *cell, p *project) { p.apart(c, as{config: "other.toml"}) })
}

// apart has two hosts ask with the tag and two without it, while the files change.
func (p *project) apart(c *cell, tagged as) {
	with := *p
	with.files = map[string]string{}
	for name, text := range p.files {
		with.files[name] = text
	}
	use := func(condition, function string, down int) string {
		return fmt.Sprintf(
			"//go:build %s\n\npackage app\n\nimport \"ex.com/shop/lib\"\n\n%sfunc %s() int { return lib.Greet() }\n",
			condition, strings.Repeat("//\n", down), function)
	}
	with.files["app/tagged.go"], with.files["app/plain.go"] = use(tag, "Tagged", 0), use("!"+tag, "Plain", 0)
	u := with.user(c)
	u.configure("other.toml",
		entry{project: p, more: fmt.Sprintf("workspace_configuration = { gopls = { buildFlags = [\"-tags=%s\"] } }\n",
			tag)})
	var hosts []*host
	for i := range hostsTogether {
		hosts = append(hosts, u.greet([]as{{}, tagged}[i%2]))
	}
	const rounds = 10
	c.again()
	for round := range rounds {
		change{write: map[string]string{"app/tagged.go": use(tag, "Tagged", round),
			"app/plain.go": use("!"+tag, "Plain", 2*round)}}.by(c, u.dir)
		var calls []*pending
		for _, h := range hosts {
			calls = append(calls, h.start("find_references", p.question()))
		}
		for i, call := range calls {
			a := call.envelope(c)
			if round == 0 {
				a = loaded(func() *reply { return hosts[i].call("find_references", p.question()) })
			}
			truth := slices.DeleteFunc(with.truth(c, u.dir), func(place string) bool {
				return strings.HasPrefix(place, []string{"app/tagged.go:", "app/plain.go:"}[i%2])
			})
			if wrong := difference(a.places(), truth); !a.OK || wrong != "" {
				c.breaks("host %d: %s %s", i, a.shape(), wrong)
			}
		}
	}
	c.measured()
	u.sharedBy(hosts)
	if servers := u.status()[0].servers(); len(servers) != 2 {
		c.breaks("servers: %v", servers)
	}
	c.says("each has its own answers, of two servers in one process")
}

// The rights of one session do not change those of others.
func TestOtherRights(t *testing.T) {
	atBoth(t, otherRights, func(c *cell, p *project) {
		u := p.user(c)
		reader := as{flags: []string{"--read-only"}}
		hosts := []*host{u.host(reader), u.host(as{}), u.host(reader), u.host(as{})}
		u.sharedBy(hosts)
		if servers := u.status()[0].servers(); len(servers) != 1 {
			c.breaks("servers: %v", servers)
		}
		c.again()
		edits := 0
		for round := range 3 {
			var calls []*pending
			for i, h := range hosts {
				calls = append(calls, h.start("edit_symbol", u.insertion(p.home, fmt.Sprintf("Extra%d%d", round, i))))
			}
			for i, call := range calls {
				a, name := call.envelope(c), fmt.Sprintf("Extra%d%d", round, i)
				made := u.count(p.home, name)
				edits += made
				switch {
				case i%2 == 0 && (a.Reason() != "read_only" || made != 0):
					c.breaks("the read-only host: %s, %d × %s", a.shape(), made, name)
				case i%2 == 1 && a.OK != (made == 1):
					c.breaks("the other host: %s, %d × %s", a.shape(), made, name)
				}
			}
		}
		c.measured()
		if edits < 3 { // of two at the same time one may find that the file has changed
			c.breaks("%d edits were made", edits)
		}
		for i, h := range hosts {
			if lists := strings.Contains(h.toolNames(), " rename_symbol "); lists != (i%2 == 1) {
				c.breaks("host %d is offered:%s", i, h.toolNames())
			}
		}
		u.truth = p.truth(c, u.dir)
		u.again(hosts)
		c.says("refused to the one, made for the other, seen by both")
	})
}

// toolNames are those that a host is offered, with blanks around them.
func (h *host) toolNames() string {
	h.Helper()
	var list struct{ Tools []struct{ Name string } }
	testkit.Must(h, json.Unmarshal(h.Request("tools/list", map[string]any{}).Wait(h), &list))
	names := " "
	for _, t := range list.Tools {
		names += t.Name + " "
	}
	return names
}
