package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// The next steps of an error are tried, as far as that is cheap, before they are offered: one that would fail for a
// reason that can be known now is worth nothing to a model that follows it.

// probeLimit bounds the time of trying all steps of an answer; what is not tried by then is offered untried.
const probeLimit = 2 * time.Second

// probe tries where tool steps lead. The zero value knows nothing against any step.
type probe struct {
	c   *answer.Call
	ctx context.Context // of the call; it ends when the answer is returned
}

// against returns why a step would fail if it were run now; nil when nothing is known against it. Only
// failures that the same call would meet again count: a server that is starting or busy now may be
// ready when the model follows the step.
func (p probe) against(ctx context.Context, s contract.NextStep) (failure *contract.Error) {
	t, err := p.c.Tools.Lookup(s.Tool)
	if s.Kind != contract.StepTool || err != nil || p.c.Workspace.Table == nil || p.c.Workspace.Pool == nil {
		return nil
	}
	raw, err := contract.Marshal(s.Arguments)
	if err != nil || json.Unmarshal(raw, new(resolve.Target)) != nil {
		return nil
	}
	try := t.Probe
	if try == nil {
		try = probePath
	}
	defer func() {
		if recover() != nil { // the mistake shows when somebody runs it
			failure = nil
		}
	}()
	// A call of its own, so that warnings and steps of the trial do not get into the answer.
	c := p.c.Nested(t, answer.Request{Tool: s.Tool, Arguments: raw, Host: p.c.Request.Host})
	// Out of time nothing is known against the step.
	if err := try(ctx, c, raw); err != nil && ctx.Err() == nil {
		if e := answer.AsError(err); slices.Contains(lasting, e.Category()) || e.Kind == contract.KindUnresolvedName {
			return e
		}
	}
	return nil
}

// lasting are the categories of errors that the same call meets again.
var lasting = []contract.Category{contract.InvalidParams, contract.NotFound, contract.Unsupported}

// aimed returns the target that arguments name, and the path of its file; "" without one.
func aimed(c *answer.Call, raw json.RawMessage) (t resolve.Target, path string, err error) {
	if err := json.Unmarshal(raw, &t); err != nil || t.FilePath == "" {
		return t, "", err
	}
	c.Caps(t)
	path, err = c.Path(t.FilePath)
	return t, path, err
}

// probePath tries whether the file that is named exists and may be asked about.
func probePath(_ context.Context, c *answer.Call, raw json.RawMessage) error {
	_, _, err := aimed(c, raw)
	return err
}

// probePair does what switch_source_header does before its request.
func probePair(_ context.Context, c *answer.Call, raw json.RawMessage) error {
	_, path, err := aimed(c, raw)
	if err != nil || path == "" {
		return err
	}
	return pairs(c, path)
}

// probePlace tries whether the place that is named is in its file.
func probePlace(_ context.Context, c *answer.Call, raw json.RawMessage) error {
	t, path, err := aimed(c, raw)
	if err != nil || path == "" || t.Line == 0 {
		return err
	}
	text, err := c.Workspace.Text(path)
	if err == nil {
		_, err = text.Offset(contract.Position{Line: t.Line, Character: max(t.Character, 1)})
	}
	return err
}

// probeSymbol does what comes before the request of a tool whose arguments name a symbol. It starts no
// server: that takes longer than a step is worth.
func probeSymbol(ctx context.Context, c *answer.Call, raw json.RawMessage, method string) error {
	t, path, err := aimed(c, raw)
	if given, _ := answer.Object(raw); given["symbols"] != nil { // each is a question of its own
		return nil
	}
	switch {
	case err != nil:
		return err
	// A name without a file would need a search of the whole workspace; only what the servers announced is looked at.
	case path == "":
		return offered(c, method)
	case !runs(c, path): // to start one takes longer than the step is worth
		return t.Check()
	}
	look := func(ctx context.Context, s *lsp.Snapshot, at symbol.Located) error {
		return holdsSymbol(ctx, s, at, method)
	}
	// Tools that change files want the exact position, so their steps are tried by the same rule.
	if c.Tool.Class == answer.Write {
		return resolve.AtExactly(ctx, c, t, "", look)
	}
	return resolve.At(ctx, c, t, "", look)
}

// runs reports whether a server for a file runs.
func runs(c *answer.Call, path string) bool {
	routes, err := c.Routes(path)
	return err == nil && slices.ContainsFunc(c.Workspace.Pool.Running(), func(s *lsp.Server) bool {
		return slices.ContainsFunc(routes, func(r router.Route) bool { return r.Spec.ID == s.ID() })
	})
}

// offered is an error when all running servers refuse a request, as far as their announced capabilities
// tell.
func offered(c *answer.Call, method string) error {
	running := slices.DeleteFunc(c.Workspace.Pool.Running(), func(s *lsp.Server) bool {
		return !s.Spec().Roles.Has(spec.RoleNavigation)
	})
	if method == "" || len(running) == 0 || slices.ContainsFunc(running, func(s *lsp.Server) bool {
		return s.Offers(method)
	}) {
		return nil
	}
	return notOffered(running[0], method)
}

// notOffered is the error of a server that does not have a request.
func notOffered(s *lsp.Server, method string) error {
	return contract.Errorf(contract.KindRequestUnsupported, contract.Facts{"server_id": s.ID(), "method": method},
		"%s does not offer %s", s.ID(), method)
}

// holdsSymbol is an error when a server does not answer a request, or knows nothing at a place.
// Requests that only show a place may show one that holds nothing.
func holdsSymbol(ctx context.Context, s *lsp.Snapshot, at symbol.Located, method string) error {
	if method != "" && !s.Offers(method) {
		return notOffered(s.Server, method)
	}
	if method == lsp.MethodHover || method == lsp.MethodDefinition || !s.Offers(lsp.MethodDefinition) {
		return nil
	}
	// A definition is the cheap sign that there is a symbol. Where there is none, a hover is enough.
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if len(places) > 0 || fatal(err) {
		return err
	}
	if s.Offers(lsp.MethodHover) {
		if said, err := s.Hover(ctx, at.Path, at.At); fatal(err) || err == nil && said != nil {
			return err
		}
	}
	return contract.Errorf(contract.KindNotAnIdentifier, contract.Facts{"file_path": at.Path, "line": at.At.Line,
		"character": at.At.Character},
		"there is no symbol at %s:%d:%d", at.Path, at.At.Line, at.At.Character)
}

// filter returns the steps that would not fail, and others in place of those that would: where the
// request is not offered the uses of the symbol, else what stands around the place. A step to the tool
// that was called keeps its words, without the call.
func (p probe) filter(steps []contract.NextStep) []contract.NextStep {
	ctx, cancel := context.WithTimeout(p.ctx, probeLimit)
	defer cancel()
	var out []contract.NextStep
	for _, s := range steps {
		failure := p.against(ctx, s)
		switch {
		case failure == nil || answer.Repeats(p.c, s): // which is for when something was fixed
			out = append(out, s)
			continue
		case failure.Category() == contract.Unsupported:
			s = contract.NextStep{Kind: contract.StepTool, Tool: "find_references",
				Message: "Find the uses of the symbol.", Arguments: addressed(s.Arguments)}
			if p.c.Request.Tool != s.Tool && p.c.Runnable(s) && p.against(ctx, s) == nil {
				out = append(out, s)
				continue
			}
		case s.Tool == p.c.Request.Tool: // it says what was wrong, though something else is wrong, too
			out = append(out, contract.NextStep{Kind: contract.StepDoc, Message: s.Message})
		}
		// In place of a step that would fail: what a person would look at first.
		if around := p.around(s.Arguments); p.against(ctx, around) == nil {
			out = append(out, around)
		}
	}
	return distinctSteps(out)
}

// around returns a step that shows what is there where a symbol was looked for.
func (p probe) around(arguments map[string]any) contract.NextStep {
	if file := asText(arguments["file_path"]); file != "" {
		return contract.NextStep{Kind: contract.StepTool, Tool: "get_document_symbols",
			Message:   "See the symbols of the file with their lines.",
			Arguments: map[string]any{"file_path": file}}
	}
	if name := symbol.LastComponent(asText(arguments["symbol_name"])); name != "" {
		return contract.NextStep{Kind: contract.StepTool, Tool: "search_workspace_symbols",
			Message:   "Search for the name in the whole workspace.",
			Arguments: map[string]any{"query": name}}
	}
	return answer.StatusStep("See what each server offers.")
}

// asText returns a string among the arguments of a step, whether it is a Go string or still JSON; ""
// for anything else.
func asText(v any) string {
	if raw, err := json.Marshal(v); err == nil {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return ""
}

// addressed returns the arguments that address a symbol.
func addressed(arguments map[string]any) map[string]any {
	out := map[string]any{}
	for _, name := range answer.TargetNames {
		if v, ok := arguments[name]; ok {
			out[name] = v
		}
	}
	return out
}

// distinctSteps drops steps that make the same call.
func distinctSteps(steps []contract.NextStep) []contract.NextStep {
	seen := map[string]bool{}
	return slices.DeleteFunc(steps, func(s contract.NextStep) bool {
		raw, err := contract.Marshal(s.Arguments)
		key := string(s.Kind) + s.Tool + s.Command + string(raw)
		if s.Kind != contract.StepTool && s.Kind != contract.StepCommand {
			key += s.Message
		}
		again := err == nil && seen[key]
		seen[key] = true
		return again
	})
}
