package tsserver

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"lspi/internal/source"
	"lspi/lsp"
)

// requests are the kinds of diagnostics that tsserver has. Each request is answered for the text as it was sent,
// after the project was updated; pushes of typescript-language-server 6.0.2 carry no version and lag by up to 0.4 s.
var requests = []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"}

// diagnostic is protocol.Diagnostic of tsserver: lines and UTF-16 offsets from 1.
type diagnostic struct {
	Start, End         struct{ Line, Offset uint32 }
	Text               string
	Code               json.RawMessage
	Category           string
	Source             string
	ReportsUnnecessary bool
	ReportsDeprecated  bool
}

var severities = map[string]int{"error": 1, "warning": 2, "message": 3, "suggestion": 4}

// DiagnoseFile is [lsp.DiagnosticHooks].DiagnoseFile. It asks tsserver itself, through the command that passes
// requests on.
func (a *Process) DiagnoseFile(ctx context.Context, path string, d *lsp.Diagnosis) error {
	items, text, err := a.Findings(ctx, path)
	if err != nil {
		return err
	}
	a.Tell(d, path, text, items)
	return nil
}

// Tell adds the findings in a text to d.
func (a *Process) Tell(d *lsp.Diagnosis, path string, text *source.Text, items []lsp.Diagnostic) {
	more := max(len(items)-lsp.MaxKept, 0)
	a.Server.Diagnostics().Report(d, path, text, items[:len(items)-more], more)
}

// Findings are what tsserver says of the current text of one file.
func (a *Process) Findings(ctx context.Context, path string) (items []lsp.Diagnostic, text *source.Text, err error) {
	s := a.Server
	if text, err = s.Documents().OpenDocument(ctx, path); err != nil {
		return nil, nil, err
	}
	for _, request := range requests {
		var body []diagnostic
		if err := Ask(ctx, s, request, map[string]string{"file": path}, &body); err != nil {
			return nil, nil, err
		}
		for _, t := range body {
			items = append(items, t.convert(text, s.Encoding()))
		}
	}
	return items, text, a.followProject(ctx, text)
}

// convert is the diagnostic as LSP has it: lines and characters from 0, in the encoding of the server. A position
// of 0, which tsserver should not give, counts as 1. An unknown category is severity 0, which
// [lsp.Diagnostics.Report] takes for an error.
func (t diagnostic) convert(text *source.Text, enc source.Encoding) lsp.Diagnostic {
	at := func(line, offset uint32) protocol.Position {
		p := protocol.Position{Line: max(line, 1) - 1, Character: max(offset, 1) - 1}
		return text.Encode(enc, text.Decode(source.UTF16, p))
	}
	whole := protocol.Range{Start: at(t.Start.Line, t.Start.Offset), End: at(t.End.Line, t.End.Offset)}
	out := lsp.Diagnostic{Range: lsp.SpanOf(whole),
		Severity: severities[t.Category], Code: t.Code, Source: t.Source, Message: t.Text}
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
