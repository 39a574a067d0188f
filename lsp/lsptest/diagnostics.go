package lsptest

// severities of the words that are reported (LSP 3.18, DiagnosticSeverity).
var severities = map[string]int{"BAD": 1, "WARN": 2}

func (d *documents) diagnostics(path string) []map[string]any {
	_, texts := d.snapshot()
	out := []map[string]any{}
	for _, w := range wordsIn(path, texts[path]) {
		if severity := severities[w.name]; severity != 0 {
			out = append(out, map[string]any{"range": d.span(w), "severity": severity, "source": "words",
				"message": "the word " + w.name})
		}
	}
	return out
}

func (d *documents) pull(p asked) any {
	return map[string]any{"kind": "full", "items": d.diagnostics(pathOf(p.TextDocument.URI))}
}

// publish pushes the diagnostics of a document that was opened or changed, and none for one that was closed.
func (s *Server) publish(u string) {
	params := map[string]any{"uri": u, "diagnostics": []any{}}
	s.docs.mu.Lock()
	doc := s.docs.files[pathOf(u)]
	open := doc != nil && doc.open
	if open {
		params["version"] = doc.version
	}
	s.docs.mu.Unlock()
	if open {
		params["diagnostics"] = s.docs.diagnostics(pathOf(u))
	}
	s.sendNotification("textDocument/publishDiagnostics", params)
}
