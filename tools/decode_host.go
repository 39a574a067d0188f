package tools

import (
	"encoding/json"
	"slices"

	"lspi/answer"
)

// hostArguments are what hosts add to the arguments of any tool and do not take out again before they call it. No tool has
// an argument of these names, and none says anything to lspi.
var hostArguments = []string{
	"wait_for_previous", // gemini-cli 0.61 adds it to every schema: whether its scheduler runs the call in parallel
}

// withoutHosts are the arguments of a call without those of the host; what is no object stays as it is.
func withoutHosts(raw json.RawMessage) json.RawMessage {
	given, err := answer.Object(raw)
	if err != nil || !slices.ContainsFunc(hostArguments, func(name string) bool { return given[name] != nil }) {
		return raw
	}
	for _, name := range hostArguments {
		delete(given, name)
	}
	out, err := json.Marshal(given)
	if err != nil {
		return raw
	}
	return out
}
