package lsptest

import (
	"encoding/json"
	"maps"

	"go.lsp.dev/jsonrpc2"
)

// byDefault does what a well-behaved server does with a message.
func (s *Server) byDefault(m *incoming) {
	m.settled = true
	if m.method == "exit" {
		code := 1
		if s.isShutDown() {
			code = 0
		}
		s.end(Exit{Code: code, Cause: "exit notification"})
		return
	}
	if !m.id.IsValid() {
		return // documents.observe has seen the notification
	}
	if s.isShutDown() {
		s.reply(m, nil, errShutDown)
		return
	}
	answer := s.answers[m.method]
	if answer == nil {
		s.reply(m, nil, methodNotFound(m.method))
		return
	}
	result, err := answer(s, m.params)
	s.replyWith(m, result, err)
}

func (s *Server) isShutDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shutdown
}

// answersOf returns the default answers for a language, by method.
func answersOf(language string) map[string]func(*Server, json.RawMessage) (any, error) {
	answers := map[string]func(*Server, json.RawMessage) (any, error){
		"initialize": (*Server).initialize,
		"shutdown": func(s *Server, _ json.RawMessage) (any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.shutdown = true
			return nil, nil
		},
	}
	if language == "words" {
		maps.Copy(answers, wordsAnswers)
	}
	return answers
}

func (s *Server) initialize(json.RawMessage) (any, error) {
	capabilities, err := s.capabilities()
	if err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "script: capabilities: %v", err)
	}
	name := s.script.ServerName
	if name == "" {
		name = "fakels"
	}
	info := map[string]string{"name": name}
	if s.script.ServerVersion != "" {
		info["version"] = s.script.ServerVersion
	}
	return map[string]any{"capabilities": capabilities, "serverInfo": info}, nil
}

// fullCapabilities are those of a server that serves all of the words language.
const fullCapabilities = `{
	"textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
	"definitionProvider": true, "declarationProvider": true, "typeDefinitionProvider": true, "implementationProvider": true,
	"referencesProvider": true, "hoverProvider": true, "documentSymbolProvider": true, "workspaceSymbolProvider": true,
	"callHierarchyProvider": true, "renameProvider": {"prepareProvider": true},
	"diagnosticProvider": {"interFileDependencies": false, "workspaceDiagnostics": false},
	"workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}}
}`

func (s *Server) capabilities() (any, error) {
	text := s.script.Capabilities
	if text == nil {
		text = json.RawMessage(fullCapabilities)
	}
	var capabilities, patch any
	if err := json.Unmarshal(text, &capabilities); err != nil {
		return nil, err
	}
	if s.script.CapabilitiesPatch != nil {
		if err := json.Unmarshal(s.script.CapabilitiesPatch, &patch); err != nil {
			return nil, err
		}
		capabilities = merge(capabilities, patch)
	}
	if object, ok := capabilities.(map[string]any); ok && s.script.PositionEncoding != "" {
		object["positionEncoding"] = s.script.PositionEncoding
	}
	return capabilities, nil
}

// merge applies a JSON merge patch to a value (RFC 7396).
func merge(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, ok := target.(map[string]any)
	if !ok {
		t = make(map[string]any)
	}
	for name, v := range p {
		if v == nil {
			delete(t, name)
		} else {
			t[name] = merge(t[name], v)
		}
	}
	return t
}
