package tools

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/indexed"
	"lspi/tools/session"
)

// verb is the function of a tool: checked arguments in, its own fields of the answer out. Out may
// implement the interfaces of answer/limits.go, by which an answer that is too large is made smaller.
type verb[In, Out any] func(ctx context.Context, c *answer.Call, in In) (*Out, error)

// orIndex makes a verb that asks servers answer from an index of the code where none of them can ([indexed.Answer]).
func orIndex[In, Out any](run verb[In, Out], by func(context.Context, *answer.Call, *indexed.Question, In) (*Out,
	error)) verb[In, Out] {
	return func(ctx context.Context, c *answer.Call, in In) (*Out, error) {
		given := ""
		if v, ok := any(in).(interface{ GivenFile() string }); ok {
			given = v.GivenFile()
		}
		return indexed.Answer(ctx, c, given, func() (*Out, error) { return run(ctx, c, in) },
			func(ctx context.Context, c *answer.Call, q *indexed.Question) (*Out, error) { return by(ctx, c, q, in) })
	}
}

// ofWholeProject marks a tool whose answer speaks of all files of a project, whichever request it
// makes.
func ofWholeProject(t *answer.Tool) *answer.Tool {
	t.WholeProject = true
	return t
}

// diagnosing marks a tool whose answers show the errors of project files themselves.
func diagnosing(t *answer.Tool) *answer.Tool {
	t.Diagnoses = true
	return t
}

// alwaysLoaded marks a tool that hosts should show their model from the start.
func alwaysLoaded(t *answer.Tool) *answer.Tool {
	t.AlwaysLoad = true
	return t
}

// addressing marks a tool whose arguments name a symbol, about which it makes the request method; ""
// where it makes several. The mark lets a next step to the tool be tried.
func addressing(method string, t *answer.Tool) *answer.Tool {
	return probing(func(ctx context.Context, c *answer.Call, raw json.RawMessage) error {
		return probeSymbol(ctx, c, raw, method)
	}, t)
}

// probing sets a tool's [answer.Tool].Probe.
func probing(probe func(context.Context, *answer.Call, json.RawMessage) error, t *answer.Tool) *answer.Tool {
	t.Probe = probe
	return t
}

// choosing marks a tool that lists things without the argument, and does something with one of them
// when the argument names it.
func choosing(argument string, t *answer.Tool) *answer.Tool {
	t.Choice = argument
	return t
}

// saying gives a tool its own words for missing arguments, by their names.
func saying(missing map[string]string, t *answer.Tool) *answer.Tool {
	reworded := func(err error) error {
		e, ok := err.(*contract.Error)
		if !ok || e.Kind != contract.KindMissingArgument {
			return err
		}
		argument, _ := e.Facts["argument"].(string)
		if words := missing[argument]; words != "" {
			return contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": argument}, "%s", words)
		}
		return err
	}
	// Both, so that a check without a run says the same as a call.
	check, run := t.Check, t.Run
	t.Check = func(raw json.RawMessage) error { return reworded(check(raw)) }
	t.Run = func(ctx context.Context, c *answer.Call, raw json.RawMessage) (any, error) {
		body, err := run(ctx, c, raw)
		return body, reworded(err)
	}
	return t
}

// define makes a tool of a verb. Its texts come from name.md, its schemas from In and Out; methods
// become its Methods.
func define[In, Out any](name string, class answer.Class, run verb[In, Out], methods ...string) *answer.Tool {
	words := mustToolDocs(name)
	t := &answer.Tool{
		Name: name, Title: words.title, Description: words.description, Class: class, Provider: providerOf(class),
		Methods: methods,
		Input:   inputSchema[In](words), Out: reflect.TypeFor[Out](), Asks: class == answer.Navigation ||
			class == answer.Write || class == answer.DryRun || class == answer.Raw,
	}
	t.PicksServer = answer.PicksServer(*new(In))
	t.Output = sync.OnceValue(func() *jsonschema.Schema { return outputSchema[Out](t.Asks) })
	t.ListedInput = sync.OnceValue(func() json.RawMessage { return inputAsListed(t.Input, t) })
	t.ListedOutput = sync.OnceValue(func() json.RawMessage { return advertisedOutput(t.Output()) })
	// Check is for those who want to know whether arguments would be accepted without running the tool.
	t.Check = func(raw json.RawMessage) error {
		in, err := decode[In](t.Input, raw)
		if err != nil {
			return err
		}
		if symbols := namesSeveral(in); len(symbols) > 0 {
			_, err := argumentsOfEach(raw, symbols)
			return err
		}
		if v, ok := any(in).(interface{ Check() error }); ok {
			return v.Check()
		}
		return nil
	}
	var one func(ctx context.Context, c *answer.Call, raw json.RawMessage) (any, error)
	one = func(ctx context.Context, c *answer.Call, raw json.RawMessage) (any, error) {
		in, err := decode[In](t.Input, raw)
		if err != nil {
			return nil, err
		}
		// The cap on the size is known before the tool runs: windows and steps depend on it.
		c.Caps(any(&in))
		if symbols := namesSeveral(in); len(symbols) > 0 {
			none := any(new(Out))
			if v, ok := none.(interface{ none() }); ok {
				v.none()
			}
			return askSeveral(ctx, c, raw, symbols, none, one)
		}
		out, err := run(ctx, c, in)
		// A nil *Out must not become a non-nil any: the caller would take it for a body.
		if out == nil || err != nil {
			return nil, err
		}
		return out, nil
	}
	t.Run = one
	return t
}

// providerOf returns who offers the tools of a class.
func providerOf(class answer.Class) string {
	if class == answer.Recall {
		return session.Recall
	}
	return session.LSP
}

// namesSeveral returns the symbols of a call that names several ([severalIn]); nil for any other.
func namesSeveral(in any) []string {
	if v, ok := in.(interface{ several() []string }); ok {
		return v.several()
	}
	return nil
}
