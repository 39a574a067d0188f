package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/tools/session"
)

// binding decides which workspace a session over HTTP has. Its host did not start lspi and could name any folder, so
// only folders within daemon.http_roots of the user's own configuration count; that file is read again each time.
type binding struct {
	session  *wiring
	settings session.Settings // in effect while there is no workspace

	mu     sync.Mutex
	wanted *chosen // the workspace that bind_workspace named; guarded by mu
	opened *chosen // the workspace of the open session; nil before it is open; guarded by mu
}

// chosen is a workspace that may be opened.
type chosen struct {
	trust.FoundWorkspace
	real string // the folder that the host named, with symbolic links resolved
}

// reach returns what hosts over HTTP may open: the folders that the user allows, and the workspaces that are open.
func (b *binding) reach() trust.Reach {
	r := trust.Reach{Allowed: config.LoadUser(b.session.options).Daemon.HTTPRoots, User: b.session.options.User()}
	for _, w := range b.session.process.Status() {
		r.Open = append(r.Open, w.Root)
	}
	return r
}

// bind answers bind_workspace: cwd chooses the workspace until one is open; then any other folder is an error.
func (b *binding) bind(cwd string) error {
	root, real, err := b.reach().Match(cwd)
	if err != nil {
		return notMatched(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened != nil {
		if b.opened.Root == root || b.opened.real == real {
			return nil
		}
		return contract.Errorf(contract.KindWorkspaceAlreadySet,
			contract.Facts{"given": cwd, "workspace_root": b.opened.Root},
			"this session has the workspace %s, and can have no other", b.opened.Root)
	}
	b.wanted = &chosen{trust.FoundWorkspace{Root: root, From: "bind_workspace"}, real}
	return nil
}

// open opens a session in the workspace that was bound, else in that of the host's roots.
func (b *binding) open(ctx context.Context, hostRoots []string) (*session.Session, error) {
	reach := b.reach()
	w, err := b.choose(reach, hostRoots)
	if err == nil {
		bound := *b.session
		bound.options.Workspace = &w.FoundWorkspace
		bound.admits = func(c *config.Config) error { return admits(reach, c) }
		var opened *session.Session
		if opened, err = bound.open(ctx, nil); err == nil {
			overHTTP(&opened.Settings)
			b.mu.Lock()
			b.opened = w
			b.mu.Unlock()
			return opened, nil
		}
	}
	var known *session.SessionError
	if errors.As(err, &known) {
		overHTTP(&known.Settings)
		return nil, err
	}
	return nil, &session.SessionError{Settings: b.settings, Err: err}
}

// overHTTP adapts settings to a host that did not start lspi: it names its workspace with bind_workspace, and the
// session of a client in whose environment this process was started is not the host's.
func overHTTP(s *session.Settings) {
	s.Binds, s.Transcripts.SessionIDs = true, nil
}

// choose returns the workspace to open. A session that is opened again, because trust has changed, keeps its first one.
func (b *binding) choose(reach trust.Reach, hostRoots []string) (*chosen, error) {
	b.mu.Lock()
	w := b.opened
	if w == nil {
		w = b.wanted
	}
	b.mu.Unlock()
	if w != nil {
		return w, nil
	}
	for _, given := range hostRoots {
		root, real, err := reach.Match(given)
		switch {
		case err != nil:
			return nil, notMatched(err)
		case w == nil:
			w = &chosen{trust.FoundWorkspace{Root: root, From: "the host's roots"}, real}
		case real != w.Root && !slices.Contains(w.Others, real):
			w.Others = append(w.Others, real)
		}
	}
	if w == nil {
		return nil, contract.Errorf(contract.KindWorkspaceNotSet, contract.Facts{"known": reach.Known()},
			"this session has no workspace yet: over HTTP its host says which project it is about")
	}
	return w, nil
}

// admits returns an error for a configuration that adds folders which hosts over HTTP may not reach.
func admits(reach trust.Reach, c *config.Config) error {
	for _, dir := range c.Table().Allowed() {
		if !reach.Allows(dir) {
			return contract.Errorf(contract.KindWorkspaceNotMatched,
				contract.Facts{"given": dir, "reason": trust.NotAllowed, "known": reach.Known()},
				"the configuration of %s adds %s, which is not within the folders that the user allows over HTTP (daemon.http_roots)", c.Workspace, dir)
		}
	}
	return nil
}

// notMatched turns the reason why a folder matches no workspace into the error that hosts get.
func notMatched(err error) error {
	var none *trust.NoMatchError
	if !errors.As(err, &none) {
		return err
	}
	facts := contract.Facts{"given": none.Given, "reason": none.Reason, "known": none.Known}
	if none.Candidates != nil {
		facts["candidates"] = none.Candidates
	}
	return contract.Errorf(contract.KindWorkspaceNotMatched, facts, "finding the workspace: %w", err)
}
