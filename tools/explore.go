package tools

import (
	"context"
	"encoding/json"

	"lspi/tools/answer"
	"lspi/tools/explore"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
	"lspi/tools/tests"
)

// explores reports whether the call is about how several declarations go together.
func (in symbolBundleIn) explores() bool { return len(in.Symbols) > 0 || in.Question != "" }

// explored is what such a call asks for.
func (in symbolBundleIn) explored() explore.Request {
	return explore.Request{Symbols: in.Symbols, Question: in.Question}
}

// checkExplored refuses what says nothing of an exploration.
func (in symbolBundleIn) checkExplored() error {
	const with = "cannot be given together with symbols or question"
	switch {
	case in.Query != "":
		return answer.Invalid("query", with)
	case in.FilePath != "":
		return answer.Invalid("file_path", with)
	case in.SymbolName != "":
		return answer.Invalid("symbol_name", with)
	case in.Line > 0 || in.Character > 0:
		return answer.Invalid("line", with)
	case in.Scope != "":
		return answer.Invalid("scope", with)
	case in.Index > 0:
		return answer.Invalid("index", with)
	}
	return in.explored().Check(exploreTools())
}

// exploring makes a tool answer calls that explore by [explore.Explore], and all others as before.
func exploring(t *answer.Tool) *answer.Tool {
	one, probe := t.Run, t.Probe
	t.Run = func(ctx context.Context, c *answer.Call, raw json.RawMessage) (any, error) {
		in, err := decode[symbolBundleIn](t.Input, raw)
		if err != nil || !in.explores() {
			return one(ctx, c, raw)
		}
		c.Caps(any(&in))
		if err := in.checkExplored(); err != nil {
			return nil, err
		}
		out, err := explore.Explore(ctx, c, in.explored(), exploreTools())
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	t.Probe = func(ctx context.Context, c *answer.Call, raw json.RawMessage) error {
		if in, err := decode[symbolBundleIn](t.Input, raw); err != nil || in.explores() {
			return err
		}
		return probe(ctx, c, raw)
	}
	return t
}

// exploreTools are the functions by which an exploration asks what other tools ask as well.
func exploreTools() explore.Tools {
	return explore.Tools{
		Target: exploredTarget, Roots: hierarchyRoots, References: allReferences, IsTestFile: tests.IsFile,
		Search: "search_workspace_symbols",
		TestAt: tests.At,
		Listed: func(c *answer.Call, h symbol.SymbolHit) string { return shownSymbol(c, h).text },
	}
}

// exploredTarget is the target that a name, or a place as answers write it, means.
func exploredTarget(name string) (t resolve.Target, err error) {
	one := map[string]json.RawMessage{}
	if err := named(one, name); err != nil {
		return t, err
	}
	raw, err := json.Marshal(one)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err == nil {
		err = t.Check()
	}
	return t, err
}
