package lsp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/edit"
)

// Action is a code action that a server offers for a text (LSP 3.17, textDocument/codeAction).
type Action struct {
	Title     string
	Kind      string // "" when the server says none
	Preferred bool
	Disabled  string    // why it cannot be done; "" when it can
	Fixes     []Finding // the diagnostics that it is about; empty when the server names none
	// the command that only an editor can run, which is all that it does; "" when lspi can show its edit
	Editor string

	// An action is only good for the server and the moment that offered it.
	s        *Snapshot
	query    ActionQuery
	nth      int             // of those with its title and kind in the answer
	raw      json.RawMessage // as it came, for codeAction/resolve
	edit     json.RawMessage // nil when it has to be resolved or a command makes it
	command  *command
	lazy     bool // resolving gives the edit
	proposal Proposal
}

// ActionQuery is what actions are asked for.
type ActionQuery struct {
	Path  string
	Range contract.Range
	Only  []string  // kinds; nil asks for what the server offers by itself
	About []Finding // the diagnostics that an editor would show in the range, of this server
}

// Actions asks what can be done. What cannot be read in the answer is left out.
func (s *Snapshot) Actions(ctx context.Context, q ActionQuery) ([]Action, error) {
	end, err := s.act(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.requestActions(ctx, q)
}

// act waits until nothing else is done about actions: servers resolve those of the last answer only
// (typescript-language-server 6.0.2), and the edit that comes while a command runs is taken for that of the command.
func (s *Snapshot) act(ctx context.Context) (end func(), err error) {
	select {
	case s.acting <- struct{}{}:
		return func() { <-s.acting }, nil
	case <-ctx.Done():
		return nil, s.interrupted(ctx, "waiting for other code actions", ctx.Err())
	case <-s.life.Done():
		return nil, s.crashed()
	}
}

// requestActions puts the request; the caller has the turn of [Snapshot.act]. The diagnostics in the query are sent as
// the server pushed them, with their data, by which servers recognise which fix belongs to which diagnostic.
func (s *Snapshot) requestActions(ctx context.Context, q ActionQuery) ([]Action, error) {
	// Before the positions, so that an edit can be held against the texts that the actions were offered for.
	against, err := s.takeSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	start, err := s.position(ctx, q.Path, q.Range.Start)
	if err != nil {
		return nil, err
	}
	end, err := s.position(ctx, q.Path, q.Range.End)
	if err != nil {
		return nil, err
	}
	about := make([]wireDiagnostic, 0, len(q.About))
	for _, f := range q.About {
		about = append(about, f.said.wire())
	}
	told := map[string]any{"diagnostics": about, "triggerKind": 1} // invoked
	// Left out rather than empty: an empty list would ask for no kinds at all.
	if q.Only != nil {
		told["only"] = q.Only
	}
	raw, err := s.RequestRaw(ctx, MethodCodeAction, map[string]any{
		"textDocument": protocol.TextDocumentIdentifier{URI: uri.File(q.Path)},
		"range":        protocol.Range{Start: start.Position, End: end.Position},
		"context":      told,
	})
	if err != nil || raw == nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, s.Undecodable(ctx, MethodCodeAction, raw, err)
	}
	text, err := s.docs.Text(q.Path)
	if err != nil {
		return nil, err
	}
	out := make([]Action, 0, len(list))
	for _, one := range list {
		// One that cannot be read costs itself alone.
		if a, ok := s.action(one, text); ok {
			a.proposal, a.query = Proposal{against: against}, q
			for i := range out {
				if a.like(&out[i]) {
					a.nth++
				}
			}
			out = append(out, a)
		}
	}
	return out, nil
}

// like reports whether two actions look the same to a host. Servers repeat titles (a fix for each of three errors),
// so that such actions are told apart by their number in the answer.
func (a *Action) like(b *Action) bool { return a.Title == b.Title && a.Kind == b.Kind }

// anew is the same action in a new answer to the same question.
// Several actions may have one title and kind (a fix for each of three errors), so that their number among these is
// part of what they are.
func (a *Action) anew(ctx context.Context) (*Action, error) {
	all, err := a.s.requestActions(ctx, a.query)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if b := &all[i]; b.like(a) && b.nth == a.nth {
			return b, nil
		}
	}
	return nil, a.nothing(errors.New("does not offer it any more"))
}

// action reads a CodeAction or a Command, of which the former has a command that is an object.
func (s *Snapshot) action(raw json.RawMessage, text *source.Text) (Action, bool) {
	var w struct {
		Title       string          `json:"title"`
		Kind        string          `json:"kind"`
		IsPreferred bool            `json:"isPreferred"`
		Diagnostics json.RawMessage `json:"diagnostics"`
		Disabled    *struct {
			Reason string `json:"reason"`
		} `json:"disabled"`
		Edit    json.RawMessage `json:"edit"`
		Command json.RawMessage `json:"command"`
		Data    json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &w) != nil || strings.TrimSpace(w.Title) == "" {
		return Action{}, false
	}
	a := Action{Title: strings.Join(strings.Fields(w.Title), " "), Kind: w.Kind, Preferred: w.IsPreferred, s: s,
		raw: raw, edit: given(w.Edit)}
	// A disabled action is shown with its reason and not left out: the host learns why it cannot be done.
	if w.Disabled != nil {
		a.Disabled = cmp.Or(strings.Join(strings.Fields(w.Disabled.Reason), " "), "the server gives no reason")
	}
	var items []json.RawMessage
	if json.Unmarshal(w.Diagnostics, &items) == nil {
		found, _ := decodeDiagnostics(items)
		for _, d := range found {
			a.Fixes = append(a.Fixes, s.finding(text, d))
		}
	}
	var name string
	var whole command
	switch {
	// A string is the form of Command: the whole object is it, with its arguments.
	case json.Unmarshal(w.Command, &name) == nil && name != "":
		if json.Unmarshal(raw, &whole) == nil {
			a.command = &whole
		}
	case json.Unmarshal(w.Command, &whole) == nil && whole.Command != "":
		a.command = &whole
	}
	// Without data the server cannot know the action again.
	a.lazy = a.edit == nil && given(w.Data) != nil && s.Offers(MethodResolveAction)
	if a.Disabled == "" && a.edit == nil && !a.lazy {
		switch {
		case a.command == nil:
			return Action{}, false // it does nothing
		// A command that is not known to make an edit alone may run tests, write files or open a browser, and is
		// never run.
		case !s.shows(a.command.Command):
			a.Editor = a.command.Command
		}
	}
	return a, true
}

// shows reports whether a command's edit can be seen without anything else happening.
func (s *Snapshot) shows(name string) bool {
	if is := s.hooks.IsRefactoring; is != nil && is(name) {
		return true
	}
	return slices.Contains(s.spec.Actions.Commands, name) && s.capabilities.executes(name)
}

// ActionKinds are the kinds of actions that the server says it has; nil when it does not say.
func (s *Snapshot) ActionKinds() []string {
	var p struct {
		CodeActionKinds []string `json:"codeActionKinds"`
	}
	s.capabilities.options(MethodCodeAction, &p)
	return p.CodeActionKinds
}

// Key tells the actions of one answer from each other, as far as they do different things: two of one key are one.
func (a *Action) Key() string {
	key := []string{a.Kind, a.Title}
	switch {
	case a.edit != nil:
		key = append(key, string(a.edit))
	case a.command != nil:
		raw, _ := json.Marshal(a.command)
		key = append(key, string(raw))
	default:
		for _, f := range a.Fixes {
			key = append(key, f.Message)
		}
	}
	return strings.Join(key, "\x00")
}

// Propose gets the edit that the action makes: its own, that of codeAction/resolve, or the one that its command
// asks for, which is caught. beside names a command that the server wants to be run besides, which nobody does; ""
// when there is none.
func (a *Action) Propose(ctx context.Context) (p *Proposal, beside string, err error) {
	end, err := a.s.act(ctx)
	if err != nil {
		return nil, "", err
	}
	defer end()
	// typescript-language-server 6.0.2 resolves actions of its last answer only, and another caller may have asked
	// since.
	if a.lazy {
		if a, err = a.anew(ctx); err != nil {
			return nil, "", err
		}
	}
	// The new answer may have the edit already.
	if a.lazy {
		if err := a.resolve(ctx); err != nil {
			return nil, "", err
		}
	}
	made := a.proposal
	raw := a.edit
	switch {
	// The edit comes first and the command after it (LSP 3.17, CodeAction). The command is named, because without
	// it the action is not whole.
	case raw != nil && a.command != nil && !slices.Contains(a.s.spec.Actions.Follow, a.command.Command):
		beside = a.command.Command
	case raw == nil && a.command == nil:
		return nil, "", a.nothing(errors.New("it has no edit"))
	case raw == nil && !a.s.shows(a.command.Command):
		return nil, "", contract.Errorf(contract.KindEditRejected,
			contract.Facts{"reason": "editor_only", "command": a.command.Command, "server_id": a.s.ID()},
			"%q runs the command %s of %s, which may do more than edit files, so only an editor runs it", a.Title,
			a.command.Command, a.s.ID())
	case raw == nil:
		if own := a.s.hooks; own.IsRefactoring != nil && own.IsRefactoring(a.command.Command) {
			raw, err = own.RefactoringEdit(ctx, a.command.Arguments)
		} else {
			raw, err = a.s.editOf(ctx, a.command)
		}
	}
	if err != nil {
		return nil, "", err
	}
	if made.Edit, err = edit.Decode(raw); err != nil {
		return nil, "", err
	}
	// An edit without changes would be shown as a successful preview of nothing.
	if made.Edit.Empty() {
		return nil, "", a.nothing(ErrNoEffect)
	}
	return &made, beside, nil
}

// ErrNoEffect is wrapped by the error of an action that was offered and changes nothing.
var ErrNoEffect = errors.New("the action changes nothing")

// nothing is the error for an action that cannot be had.
func (a *Action) nothing(why error) error {
	return contract.Errorf(contract.KindRequestFailed,
		contract.Facts{"server_id": a.s.ID(), "method": MethodCodeAction, "refused": true},
		"%s offered %q, but %w", a.s.ID(), a.Title, why)
}

// resolve is codeAction/resolve (LSP 3.16).
func (a *Action) resolve(ctx context.Context) error {
	raw, err := a.s.RequestRaw(ctx, MethodResolveAction, a.raw)
	if err != nil {
		return err
	}
	var w struct {
		Edit    json.RawMessage `json:"edit"`
		Command *command        `json:"command"`
	}
	if raw != nil {
		if err := json.Unmarshal(raw, &w); err != nil {
			return a.s.Undecodable(ctx, MethodResolveAction, raw, err)
		}
	}
	a.edit = given(w.Edit)
	// The command that was there stays where it alone makes the edit.
	if w.Command != nil && w.Command.Command != "" && (a.edit != nil || a.command == nil) {
		a.command = w.Command
	}
	return nil
}

// editOf runs a command that changes nothing but by workspace/applyEdit, and gives the edit that it asks for. It needs
// the turn of [Snapshot.act].
func (s *Snapshot) editOf(ctx context.Context, c *command) (json.RawMessage, error) {
	s.catch.begin()
	// Between begin and end the server asks for its edit; it is kept and refused, and the server then calls its own
	// command failed.
	_, err := s.RequestRaw(ctx, MethodExecuteCommand, c)
	caught := s.catch.end()
	switch {
	// What came before the end may be half of the edit.
	case fatalTo(err):
		return nil, err
	// asked again, it says the same
	case len(caught) > 0 && caught[0] != nil && bytes.Equal(caught[0], caught[len(caught)-1]):
		return caught[0], nil // that it was not applied is an error to some servers
	case err != nil:
		return nil, err
	case len(caught) > 1:
		return nil, contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "several_edits",
			"server_id": s.spec.ID},
			"the command %s of %s makes several edits, each on top of the one before, which cannot be shown as one",
			c.Command, s.spec.ID)
	}
	return nil, contract.Errorf(contract.KindRequestFailed,
		contract.Facts{"server_id": s.spec.ID, "method": MethodExecuteCommand, "refused": true},
		"the command %s of %s changes nothing", c.Command, s.spec.ID)
}

// fatalTo reports whether an error of a command means that what it asked for may not be all: the server ended,
// nobody waits or it took too long.
func fatalTo(err error) bool {
	var e *contract.Error
	return err != nil && (FatalAnswer(err) || errors.As(err, &e) && e.Category() == contract.Timeout)
}

// command is LSP's Command.
type command struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}
