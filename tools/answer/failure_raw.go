package answer

import (
	"encoding/json"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// neverPassedSteps are the steps after a refused call of lsp_request whose method is not known to only read; nil for
// every other call. No configuration allows such a method, so none is proposed.
func neverPassedSteps(c *Call) []contract.NextStep {
	if c.Tool == nil || c.Tool.Class != Raw {
		return nil
	}
	given, _ := Object(c.Request.Arguments)
	var method string
	_ = json.Unmarshal(given["method"], &method)
	var specs []spec.Spec
	if c.Workspace.Table != nil {
		specs = c.Workspace.Table.Specs
	}
	if method == "" || slices.Contains(lsp.RawMethods(specs), method) {
		return nil
	}
	return []contract.NextStep{{Kind: contract.StepDoc, Message: fmt.Sprintf("No configuration allows %s: %s passes on only "+
		"methods that read. Another tool may do what the method does. %s", CutText(method, 100), c.Tool.Name,
		toolsInWords(c))}}
}
