package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Trust says whether code of the workspace may run, and why. It is decided once, when a session is opened.
type Trust struct {
	Trusted bool   `json:"trusted"`
	Policy  string `json:"policy"` // ask, owned or all
	By      string `json:"by"`     // what decided, of trustedBy; "" when nothing speaks for it
	Why     string `json:"why"`    // one sentence part
}

// TrustPolicies are the values of trust, from the least to the most that they trust by themselves.
var TrustPolicies = []string{"ask", "owned", "all"}

// trustVariable has the meaning of --trust.
const trustVariable = "LSPI_TRUST"

// What decides about a workspace.
const (
	byPolicy   = "policy"   // trust = "all"
	byUser     = "user"     // lspi trust
	byFolder   = "folder"   // lspi trust of a folder with all that is below it
	byWorktree = "worktree" // of a repository that is trusted
	byRemote   = "remote"   // the same remote as a repository that is trusted
	byHost     = "host"     // the user trusted it in a host
)

// judge decides about one workspace.
type judge struct {
	*loader
	store   TrustStore
	entries []TrustedWorkspace
	policy  string
}

// trustOf decides about the workspace and the host's further roots: one that is not trusted restricts all, since servers are
// shared by them.
func (l *loader) trustOf(hostRoots []string) Trust {
	j := judge{loader: l, store: OpenTrust(l.Getenv, l.Home), policy: l.policy()}
	if j.policy == "all" {
		return Trust{Trusted: true, Policy: j.policy, By: byPolicy, Why: `everything is: trust = "all"`}
	}
	var unusable error
	if dir := l.storeInside(j.store); dir == "" {
		j.entries, unusable = j.store.Workspaces()
	}
	var first Trust
	for i, root := range append([]string{l.root}, hostRoots...) {
		t := j.root(root)
		t.Policy = j.policy
		if !t.Trusted {
			if i > 0 {
				t.Why = root + ": " + t.Why
			}
			if unusable != nil {
				t.Why += "; " + unusable.Error()
			}
			return t
		}
		if i == 0 {
			first = t
		}
	}
	return first
}

// policy is the flag, else the variable, else the key.
func (l *loader) policy() string {
	for _, given := range []string{l.Flags.Trust, l.Getenv(trustVariable), lookup[string](l.merged, "trust")} {
		if slices.Contains(TrustPolicies, given) {
			return given
		}
	}
	return "owned"
}

// root decides about one root.
func (j *judge) root(root string) Trust {
	repo := repositoryOf(root, j.Home)
	if t, said := j.byEntry(repo, root); said {
		return t
	}
	if j.policy != "owned" {
		return Trust{Why: "you have not trusted it"}
	}
	if !j.owned(root) {
		return Trust{Why: "it belongs to another user"}
	}
	for _, rule := range []func(repository, string) (Trust, bool){j.byWorktree, j.byFolder, j.byHosts, j.byRemote} {
		if t, said := rule(repo, root); said {
			return t
		}
	}
	return Trust{Why: "you have not trusted it, nor a folder above it, nor its remote, nor in a host"}
}

// owned reports whether the user owns the folder and its repository.
func (j *judge) owned(root string) bool {
	git := filepath.Join(root, ".git")
	_, err := os.Lstat(git)
	return ownedByUser(root) && (err != nil || ownedByUser(git))
}

// byEntry: what lspi trust remembers of exactly this folder, or of the repository that it is a part of. A repository whose
// remote changed since is another one.
func (j *judge) byEntry(repo repository, root string) (Trust, bool) {
	for _, e := range j.entries {
		if e.Path != root && e.Path != repo.root {
			continue
		}
		if e.Origin != "" && e.Origin != repo.origin {
			return Trust{Why: fmt.Sprintf("you trusted it on %s as a clone of %s, which it is not any more", e.When.Format("2006-01-02"), e.Origin)}, true
		}
		return Trust{Trusted: true, By: byUser, Why: "you trusted it on " + e.When.Format("2006-01-02")}, true
	}
	return Trust{}, false
}

func (j *judge) byWorktree(repo repository, root string) (Trust, bool) {
	if repo.main == repo.root || !j.owned(repo.main) {
		return Trust{}, false
	}
	main := repositoryOf(repo.main, j.Home)
	for _, rule := range []func(repository, string) (Trust, bool){j.byEntry, j.byFolder, j.byHosts} {
		if t, said := rule(main, repo.main); said {
			if t.Trusted {
				t.By, t.Why = byWorktree, fmt.Sprintf("it is a worktree of %s: %s", repo.main, t.Why)
			}
			return t, true
		}
	}
	return Trust{}, false
}

func (j *judge) byFolder(_ repository, root string) (Trust, bool) {
	for _, e := range j.entries {
		if e.Below && within(e.Path, root) {
			return Trust{Trusted: true, By: byFolder, Why: "you trusted what is below " + e.Path + " and yours"}, true
		}
	}
	return Trust{}, false
}

// byHosts: one host in which the user said no outweighs those in which they said yes.
func (j *judge) byHosts(repo repository, root string) (t Trust, said bool) {
	for _, host := range hostRecords {
		for _, path := range slices.Compact([]string{root, repo.root}) {
			trusted, known, file := host.says(j.Getenv, j.Home, j.loader.root, path)
			switch {
			case !known:
				continue
			case !trusted:
				return Trust{Why: fmt.Sprintf("you do not trust it in %s (%s)", host.name, file)}, true
			case !said:
				t, said = Trust{Trusted: true, By: byHost, Why: fmt.Sprintf("you trusted it in %s (%s)", host.name, file)}, true
			}
		}
	}
	return t, said
}

func (j *judge) byRemote(repo repository, _ string) (Trust, bool) {
	for _, e := range j.entries {
		if repo.origin != "" && e.Origin == repo.origin {
			return Trust{Trusted: true, By: byRemote, Why: fmt.Sprintf("you trusted another clone of %s, %s", e.Origin, e.Path)}, true
		}
	}
	return Trust{}, false
}

// TrustPaths are the files and folders whose change may change what is trusted.
func TrustPaths(o Options) []string {
	o.fill()
	out := []string{OpenTrust(o.Getenv, o.Home).workspacesDir(), userFile(o.Getenv, o.Home)}
	for _, host := range hostRecords {
		out = append(out, host.path(o.Getenv, o.Home))
	}
	return out
}
