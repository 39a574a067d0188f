package lsp

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"

	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lsp/spec"
	"lspi/source"
)

// clientCapabilities is what lspi tells every server that it can do. Data, because configuration is laid over it as
// data; a test holds it to the types of the specification.
//
//go:embed client_capabilities.json
var clientCapabilities []byte

// initializeParams are LSP's InitializeParams. The capabilities and options are free-form here because configuration
// may add what no specification knows.
type initializeParams struct {
	ProcessID             int               `json:"processId"`
	ClientInfo            clientInfo        `json:"clientInfo"`
	Locale                string            `json:"locale"`
	RootPath              string            `json:"rootPath"`
	RootURI               uri.URI           `json:"rootUri"`
	Capabilities          map[string]any    `json:"capabilities"`
	InitializationOptions map[string]any    `json:"initializationOptions,omitempty"`
	WorkspaceFolders      []workspaceFolder `json:"workspaceFolders"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// initializeResult is decoded loosely: a provider or a version of the wrong type must not cost the whole server.
type initializeResult struct {
	Capabilities map[string]json.RawMessage `json:"capabilities"`
	ServerInfo   struct {
		Name    json.RawMessage `json:"name"`
		Version json.RawMessage `json:"version"`
	} `json:"-"`
}

// parseInitialize reads the answer to initialize.
func parseInitialize(raw json.RawMessage) (initializeResult, error) {
	var result initializeResult
	err := json.Unmarshal(raw, &result)
	var rest struct {
		ServerInfo json.RawMessage `json:"serverInfo"`
	}
	if err == nil && json.Unmarshal(raw, &rest) == nil {
		_ = json.Unmarshal(rest.ServerInfo, &result.ServerInfo)
	}
	return result, err
}

// text is a JSON string, or what else stands there as it is.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// handshake is initialize and initialized (LSP 3.17, lifecycle messages), then the settings.
func (s *Server) handshake(ctx context.Context) error {
	params, err := s.initializeParams()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := s.wire.Call(ctx, "initialize", params, &raw); err != nil {
		return err
	}
	result, err := parseInitialize(raw)
	if err != nil {
		return contract.Errorf(contract.KindServerStartFailed, contract.Facts{"server_id": s.spec.ID},
			"reading the answer of %s to initialize: %w", s.spec.ID, err)
	}
	s.capabilities.set(result.Capabilities)
	s.encoding = source.ParseEncoding(s.capabilities.text("positionEncoding"))
	s.info.Name, s.info.Version = text(result.ServerInfo.Name), text(result.ServerInfo.Version)
	if err := s.wire.Notify(ctx, "initialized", struct{}{}); err != nil {
		return err
	}
	for _, method := range s.spec.Notify {
		if err := s.wire.Notify(ctx, method, nil); err != nil {
			return err
		}
	}
	if len(s.settings) == 0 {
		return nil
	}
	return s.wire.Notify(ctx, "workspace/didChangeConfiguration", map[string]any{"settings": s.settings})
}

func (s *Server) initializeParams() (*initializeParams, error) {
	var caps map[string]any
	if err := json.Unmarshal(clientCapabilities, &caps); err != nil {
		return nil, fmt.Errorf("reading lspi's own client capabilities: %w", err)
	}
	options := maps.Clone(s.options)
	if p := s.spec.Project; p != nil && p.Option != "" {
		if dir := s.projects.Folder(s.folders.root); dir != "" {
			options = spec.Merge(options, map[string]any{p.Option: cmp.Or(s.projects.index, dir)})
		}
	}
	return &initializeParams{
		ProcessID:             os.Getpid(),
		ClientInfo:            clientInfo{Name: "lspi"},
		Locale:                "en",
		RootPath:              s.folders.root,
		RootURI:               uri.File(s.folders.root),
		Capabilities:          spec.Merge(caps, s.spec.Capabilities),
		InitializationOptions: options,
		WorkspaceFolders:      s.folders.workspaceFolders(),
	}, nil
}
