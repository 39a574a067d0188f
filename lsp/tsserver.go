package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspi/contract"
	"lspi/source"
)

// tsserverRequests are the kinds of diagnostics that tsserver has. Each request is answered for the text as it was sent,
// after the project was updated; pushes of typescript-language-server 6.0.2 carry no version and lag by up to 0.4 s.
var tsserverRequests = []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"}

// tsserverDiagnostic is protocol.Diagnostic of tsserver: lines and UTF-16 offsets from 1.
type tsserverDiagnostic struct {
	Start, End         struct{ Line, Offset uint32 }
	Text               string
	Code               json.RawMessage
	Category           string
	Source             string
	ReportsUnnecessary bool
	ReportsDeprecated  bool
}

var tsserverSeverities = map[string]int{"error": 1, "warning": 2, "message": 3, "suggestion": 4}

// tsserver asks tsserver itself, through the command that passes requests on.
func (s *Server) tsserver(ctx context.Context, path string, d *Diagnosis) error {
	text, err := s.OpenDocument(ctx, path)
	if err != nil {
		return err
	}
	var items []Diagnostic
	for _, request := range tsserverRequests {
		var body []tsserverDiagnostic
		if err := s.AskTSServer(ctx, request, map[string]string{"file": path}, &body); err != nil {
			return err
		}
		for _, t := range body {
			items = append(items, t.diagnostic(text, s.Encoding()))
		}
	}
	more := max(len(items)-maxKept, 0)
	d.add(s, path, text, items[:len(items)-more], more)
	return nil
}

// diagnostic is t as LSP has it.
func (t tsserverDiagnostic) diagnostic(text *source.Text, enc source.Encoding) Diagnostic {
	at := func(line, offset uint32) protocol.Position {
		p := protocol.Position{Line: max(line, 1) - 1, Character: max(offset, 1) - 1}
		return text.Encode(enc, text.Decode(source.UTF16, p))
	}
	whole := protocol.Range{Start: at(t.Start.Line, t.Start.Offset), End: at(t.End.Line, t.End.Offset)}
	out := Diagnostic{Range: spanOfRange(whole),
		Severity: tsserverSeverities[t.Category], Code: t.Code, Source: t.Source, Message: t.Text}
	if out.Source == "" {
		out.Source = "typescript"
	}
	if t.ReportsUnnecessary {
		out.Tags = append(out.Tags, 1)
	}
	if t.ReportsDeprecated {
		out.Tags = append(out.Tags, 2)
	}
	return out
}

// maxRecentTurns bounds how often a server is asked that searched another project.
const maxRecentTurns = 4

// recentProjectSymbols is [Server.WorkspaceSymbols] at a server that searches the project of the document asked about last. Its timer of
// diagnostics counts as a question about other documents (typescript-language-server 6.0.2), so that tsserver itself is asked what that
// project has. limited is true, too, when the server never searched it.
func recentProjectSymbols(ctx context.Context, s *Server, query string) (found []WorkspaceSymbol, limited bool, err error) {
	for turn := 1; ; turn++ {
		recent := s.Recent()
		if found, limited, err = s.QuerySymbols(ctx, query); err != nil || recent == "" {
			return found, limited, err
		}
		var items []struct{ Name, File string }
		arguments := map[string]any{"file": recent, "searchValue": query}
		if err = s.AskTSServer(ctx, "navto", arguments, &items); err != nil {
			return nil, false, err
		}
		lacks := false
		for _, item := range items {
			lacks = lacks || !slices.ContainsFunc(found, func(w WorkspaceSymbol) bool {
				return w.Name == item.Name && strings.EqualFold(w.Place.Path, filepath.FromSlash(item.File))
			})
		}
		if !lacks {
			return found, limited, nil
		}
		if turn == maxRecentTurns {
			return found, true, nil
		}
		if _, err := s.Hover(ctx, recent, contract.Position{Line: 1, Character: 1}); err != nil && ctx.Err() != nil {
			return nil, false, err
		}
	}
}

// Recent is the open document that was asked about last; "" when none is open.
func (s *Server) Recent() string {
	s.docs.mu.Lock()
	defer s.docs.mu.Unlock()
	if front := s.docs.order.Front(); front != nil {
		return front.Value.(*document).path
	}
	return ""
}
