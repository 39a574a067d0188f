package lsp

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"

	"lspi/lsp/spec"
	"lspi/lsp/wire"
)

// clientRequests takes what a server sends by itself: its requests, and its notifications.
type clientRequests struct {
	spec         *spec.Spec
	log          *slog.Logger
	capabilities *capabilities
	settings     map[string]any
	folders      *Folders
	store        *diagnosticStore
	check        *checkRun
	ready        *readiness
	loads        *loads
	catch        *catcher
	hooks        *Hooks // set by newServer, before anything is heard
}

// answer answers the server's own requests. Whatever lspi cannot do is refused in the form that the specification has
// for it, so that no server waits for an answer that never comes.
func (c *clientRequests) answer(_ context.Context, method string, params json.RawMessage) (any, error) {
	// No answer waits for anything but a short lock, because some servers do nothing else until their request is
	// answered.
	switch method {
	case "workspace/configuration":
		return c.configuration(params)
	case "workspace/workspaceFolders":
		return c.folders.workspaceFolders(), nil
	case "client/registerCapability":
		return nil, c.register(params)
	case "client/unregisterCapability":
		return nil, c.unregister(params)
	case "window/workDoneProgress/create":
		return nil, nil // every token is listened to
	case "window/showMessageRequest":
		return nil, nil // there is nobody to choose; null means that no action was selected
	case "window/showDocument":
		return map[string]bool{"success": false}, nil
	case "workspace/applyEdit":
		return c.catch.applyEdit(params), nil
	// The server says that its diagnostics are outdated; nothing is pulled here, only those who wait for a push
	// look again.
	case "workspace/diagnostic/refresh":
		c.store.refresh()
		return nil, nil
	case "workspace/semanticTokens/refresh", "workspace/inlayHint/refresh", "workspace/inlineValue/refresh",
		"workspace/codeLens/refresh", "workspace/foldingRange/refresh":
		return nil, nil // lspi shows none of them
	}
	return nil, &wire.ResponseError{Code: wire.CodeMethodNotFound, Message: "lspi does not handle " + method}
}

// configuration answers workspace/configuration from the spec's settings: one value for each item, null for a
// section that is not set, as LSP 3.17 has it. An empty object would not be kinder to servers that null ends: the
// HTML server of VS Code finds nothing in styles with one. What a server needs is in its row
// ([spec.Spec].Settings).
func (c *clientRequests) configuration(params json.RawMessage) (any, error) {
	var p struct {
		Items []struct {
			Section  string `json:"section"`
			ScopeURI string `json:"scopeUri"`
		} `json:"items"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &wire.ResponseError{Code: wire.CodeInvalidParams, Message: err.Error()}
	}
	// One value for each item in their order, whatever is set: a shorter answer would shift the settings of all
	// sections behind it.
	out := make([]any, len(p.Items))
	for i, item := range p.Items {
		// Without a scope the settings are those of the server.
		root, _ := URIToPath(item.ScopeURI)
		out[i] = spec.At(c.settings, item.Section)
		if f := c.hooks.Configuration; f != nil && root != "" {
			out[i] = f(root, item.Section, out[i])
		}
	}
	return out, nil
}

// registration is LSP's Registration and Unregistration: the second has no options.
type registration struct {
	ID              string          `json:"id"`
	Method          string          `json:"method"`
	RegisterOptions json.RawMessage `json:"registerOptions"`
}

// register answers client/registerCapability. It keeps everything, also methods that lspi does not use: whether the
// server offers a method is asked by name.
func (c *clientRequests) register(params json.RawMessage) error {
	var p struct {
		Registrations []registration `json:"registrations"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return &wire.ResponseError{Code: wire.CodeInvalidParams, Message: err.Error()}
	}
	for _, r := range p.Registrations {
		var watch watchList
		if r.Method == MethodDidChangeWatched {
			// Other registrations only say that the method is offered.
			watch = parseWatchers(r.RegisterOptions)
		}
		c.capabilities.register(r.Method, r.ID, watch)
	}
	return nil
}

// unregister answers client/unregisterCapability.
func (c *clientRequests) unregister(params json.RawMessage) error {
	var p struct {
		Unregisterations []registration `json:"unregisterations"` // spelt so in the specification
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return &wire.ResponseError{Code: wire.CodeInvalidParams, Message: err.Error()}
	}
	for _, r := range p.Unregisterations {
		c.capabilities.unregister(r.Method, r.ID)
	}
	return nil
}

// hear takes the server's notifications, in their order, before any later response.
func (c *clientRequests) hear(method string, params json.RawMessage) {
	// First of all, so that nothing below ever sees the name of a copy.
	if rename := c.hooks.RenameFiles; rename != nil {
		params = rename(params)
	}
	switch method {
	case "$/progress":
		c.ready.progress(params)
		// Both hear of every progress; each knows its own by token or title.
		c.check.progress(params)
	case "experimental/serverStatus":
		c.ready.serverStatus(params)
	case "textDocument/publishDiagnostics":
		c.store.publish(params)
	case c.hooks.RegionsMethod:
		c.store.regions(params)
	case "window/logMessage", "window/showMessage":
		c.loads.message(params)
		c.ready.logged(params)
		c.logMessage(method, params)
	}
	if r := c.spec.Readiness; r.Sign == spec.SignMessage && len(r.Tokens) > 0 && r.Tokens[0] == method {
		c.loads.status(params)
		// Some servers send the same notification for several things; the second token is then the word that tells
		// the right one.
		if len(r.Tokens) < 2 || strings.Contains(string(params), r.Tokens[1]) {
			c.ready.message()
		}
	}
}

// logMessage passes the server's log on to lspi's own, on its lowest level, and builds nothing where that is off:
// servers log much.
func (c *clientRequests) logMessage(method string, params json.RawMessage) {
	if !c.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	var p struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
	if json.Unmarshal(params, &p) == nil {
		c.log.Debug(method, "server_message", Cut(p.Message, 2000), "type", p.Type)
	}
}

// catcher takes the edits that a server wants applied (workspace/applyEdit) while a command of it runs.
// begin and end are called in the turn of [Snapshot.act], so that one command runs at a time and each edit belongs
// to it.
type catcher struct {
	mu      sync.Mutex
	running bool              // guarded by mu
	caught  []json.RawMessage // guarded by mu
}

// maxCaught bounds the edits of one command that are kept: more than one is refused anyway.
const maxCaught = 2

// applyEdit keeps the edit of a command that runs and says that it was not applied: it is shown first. Any other is
// refused: nothing changes files but the edit tools.
func (c *catcher) applyEdit(params json.RawMessage) map[string]any {
	var p struct {
		Edit json.RawMessage `json:"edit"`
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		return map[string]any{"applied": false, "failureReason": "lspi applies no edits on a server's own request"}
	}
	if err := json.Unmarshal(params, &p); err == nil {
		// Two are enough to know that there were several; more would only take memory.
		if len(c.caught) < maxCaught {
			c.caught = append(c.caught, p.Edit)
		}
	}
	return map[string]any{"applied": false, "failureReason": "lspi shows the edit before it is applied"}
}

// begin catches from here on. What came before belongs to no command, and is dropped.
func (c *catcher) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running, c.caught = true, nil
}

// end gives what was caught since begin, and refuses edits from here on.
func (c *catcher) end() []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	caught := c.caught
	c.running, c.caught = false, nil
	return caught
}
