package everywhere

import (
	"context"
	"regexp"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/tools/answer"
	"lspi/tools/git"
)

// remote is an address of a repository as git writes it: a URL, or host:path.
var remote = source.LazyRegexp(`^(?:[a-z+]+://)?(?:[^@/]*@)?([^:/]+)(?::\d+)?[:/]+(.*?)(?:\.git)?/?$`)

// Ask searches for a query where scope wants that; nil without an error where it does not, and where the engine fails,
// of which the answer then warns. The error is for a scope that nothing can be done with.
func Ask(ctx context.Context, c *answer.Call, scope, query string) (*Found, error) {
	engine := c.Session.Settings.Search
	switch {
	case scope == "":
		return nil, nil
	case scope != Scope:
		return nil, answer.Invalid("scope", "must be %q, not %q", Scope, scope)
	case engine.URL == "":
		c.Step(contract.NextStep{Kind: contract.StepConfig,
			Message: "Set search.url in your own configuration of lspi to the address of a Zoekt web server (docs/everywhere.md)."})
		return nil, answer.Invalid("scope", "needs a search engine, and the configuration names none")
	}
	own := named(git.Origin(ctx, c.Workspace.Root, c.Workspace.Table.Environ))
	found, err := Engine(engine).Search(ctx, query, own)
	if err != nil {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": Scope, "error": err.Error()},
			"the other repositories were not searched: "+err.Error())
		return nil, nil
	}
	message := "what is found in other repositories is text and the symbols of ctags, as of the commits that the search engine " +
		"has indexed; nothing there is resolved, and later commits are not in it"
	if found.Cut != "" {
		message += "; " + found.Cut
	}
	c.Warn(contract.WarnTextMatches, contract.Facts{"total": found.Matches, "returned": found.Returned}, message)
	return found, nil
}

// Scope is the argument that asks for the search.
const Scope = "everywhere"

// named is the name under which an engine has the repository with an address: its host and path, as zoekt-git-index
// names it; "" for a folder.
func named(address string) string {
	parts := remote.FindStringSubmatch(address)
	if parts == nil || strings.HasPrefix(address, "/") || strings.HasPrefix(address, ".") {
		return ""
	}
	return parts[1] + "/" + parts[2]
}

// Name is the part of a qualified symbol name that stands in texts: its last word.
func Name(qualified string) string {
	words := word.FindAllString(qualified, -1)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

var word = regexp.MustCompile(`[\p{L}\p{N}_$]+`)
