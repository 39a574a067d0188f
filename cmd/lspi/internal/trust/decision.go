package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lspi/internal/source"
)

// Decision says whether code of the workspace may run, and why. Opening a session makes it.
type Decision struct {
	Trusted bool   `json:"trusted"`
	Policy  string `json:"policy"` // ask, owned or all
	By      string `json:"by"`     // policy, user, folder, worktree, remote, host; "" when it is not trusted
	Why     string `json:"why"`    // part of a sentence
}

// Policies are the values of the configuration key trust, the strictest first.
var Policies = []string{"ask", "owned", "all"}

// What a workspace is trusted by.
const (
	ByPolicy   = "policy"   // trust = "all"
	ByUser     = "user"     // lspi trust
	ByFolder   = "folder"   // lspi trust --below of a folder above it
	ByWorktree = "worktree" // it is a linked worktree of a trusted repository
	ByRemote   = "remote"   // it has the same remote as a trusted repository
	ByHost     = "host"     // the user trusted it in another host
)

// Decide judges the roots of a session; the first is the workspace. All roots share the servers, so one root that is
// not trusted decides for all of them.
func Decide(user User, policy string, roots ...string) Decision {
	if policy == "all" {
		return Decision{Trusted: true, Policy: policy, By: ByPolicy, Why: `everything is: trust = "all"`}
	}
	j := judge{user: user, policy: policy, workspace: roots[0]}
	var unreadable error
	if store := Open(user); store.InsideOf(j.workspace) == "" {
		j.entries, unreadable = store.Workspaces()
	}
	var first Decision
	for i, root := range roots {
		d := j.decide(root)
		d.Policy = policy
		if d.Trusted {
			if i == 0 {
				first = d
			}
			continue
		}
		if i > 0 {
			d.Why = root + ": " + d.Why
		}
		if unreadable != nil {
			d.Why += "; " + unreadable.Error()
		}
		return d
	}
	return first
}

// Paths returns the files and folders whose change may change a decision: the entries of lspi trust, the user's
// configuration, and the records of other hosts.
func Paths(user User) []string {
	out := append(Open(user).Folders(), user.ConfigFile())
	for _, host := range hostRecords {
		out = append(out, host.path(user))
	}
	return out
}

// judge decides about the roots of one session.
type judge struct {
	user      User
	policy    string
	workspace string
	entries   []TrustedWorkspace
}

// rule is one reason to trust a root or not to; said is false when it does not apply.
type rule func(repo Repository, root string) (d Decision, said bool)

// decide applies the rules in order to one root; the first that applies decides.
func (j *judge) decide(root string) Decision {
	repo := RepositoryOf(root, j.user.HomeDir())
	if d, said := j.byEntry(repo, root); said {
		return d
	}
	if j.policy != "owned" {
		return Decision{Why: "you have not trusted it"}
	}
	if !owned(root) {
		return Decision{Why: "it belongs to another user"}
	}
	if d, said := first(repo, root, j.byWorktree, j.byFolder, j.byHosts, j.byRemote); said {
		return d
	}
	return Decision{Why: "you have not trusted it, nor a folder above it, nor its remote, nor in a host"}
}

// first returns the decision of the first rule that applies; false when none does.
func first(repo Repository, root string, rules ...rule) (Decision, bool) {
	for _, rule := range rules {
		if d, said := rule(repo, root); said {
			return d, true
		}
	}
	return Decision{}, false
}

// owned reports whether the user owns the folder and its repository.
func owned(root string) bool {
	git := filepath.Join(root, ".git")
	_, err := os.Lstat(git)
	return OwnedByUser(root) && (err != nil || OwnedByUser(git))
}

// byEntry applies when the user trusted this folder, or the repository that holds it, with lspi trust. A repository
// whose remote has changed since counts as another one and is not trusted.
func (j *judge) byEntry(repo Repository, root string) (Decision, bool) {
	for _, e := range j.entries {
		if e.Path != root && e.Path != repo.Root {
			continue
		}
		when := e.When.Format("2006-01-02")
		if e.Origin != "" && e.Origin != repo.Origin {
			return Decision{Why: fmt.Sprintf("you trusted it on %s as a clone of %s, which it is not any more", when,
				e.Origin)}, true
		}
		return Decision{Trusted: true, By: ByUser, Why: "you trusted it on " + when}, true
	}
	return Decision{}, false
}

// byWorktree applies to a linked worktree, which is trusted as its main worktree is.
func (j *judge) byWorktree(repo Repository, _ string) (Decision, bool) {
	if repo.Main == repo.Root || !owned(repo.Main) {
		return Decision{}, false
	}
	main := RepositoryOf(repo.Main, j.user.HomeDir())
	d, said := first(main, repo.Main, j.byEntry, j.byFolder, j.byHosts)
	if d.Trusted {
		d.By, d.Why = ByWorktree, fmt.Sprintf("it is a worktree of %s: %s", repo.Main, d.Why)
	}
	return d, said
}

// byFolder applies when the user trusted a folder above with lspi trust --below.
func (j *judge) byFolder(_ Repository, root string) (Decision, bool) {
	for _, e := range j.entries {
		if e.Below && source.Within(e.Path, root) {
			return Decision{Trusted: true, By: ByFolder, Why: "you trusted what is below " + e.Path + " and yours"},
				true
		}
	}
	return Decision{}, false
}

// byHosts applies when the user trusted or distrusted the folder in another host. One no outweighs every yes.
func (j *judge) byHosts(repo Repository, root string) (d Decision, said bool) {
	for _, host := range hostRecords {
		for _, path := range slices.Compact([]string{root, repo.Root}) {
			trusted, known, file := host.says(j.user, j.workspace, path)
			switch {
			case !known:
			case !trusted:
				return Decision{Why: fmt.Sprintf("you do not trust it in %s (%s)", host.name, file)}, true
			case !said:
				d, said = Decision{Trusted: true, By: ByHost, Why: fmt.Sprintf("you trusted it in %s (%s)", host.name,
					file)}, true
			}
		}
	}
	return d, said
}

// byRemote applies when the user trusted another clone of the same remote.
func (j *judge) byRemote(repo Repository, _ string) (Decision, bool) {
	for _, e := range j.entries {
		if repo.Origin != "" && e.Origin == repo.Origin {
			return Decision{Trusted: true, By: ByRemote, Why: fmt.Sprintf("you trusted another clone of %s, %s",
				e.Origin, e.Path)}, true
		}
	}
	return Decision{}, false
}
