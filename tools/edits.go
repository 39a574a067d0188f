package tools

import (
	"encoding/json"

	"lspi/tools/answer"
)

// Edits reports whether a call may change files, so that it must not be made twice after lspi's process
// has ended. A call of an unknown tool, or with arguments that are no object, changes nothing.
// Arguments that the tool would refuse count as an edit where they may be meant as one.
func Edits(name string, arguments json.RawMessage) bool {
	name, arguments, _ = today(name, arguments)
	tool := byName(name)
	if tool == nil {
		return false
	}
	given, err := answer.Object(arguments)
	if err != nil {
		return false
	}
	says := func(argument, reads string) bool {
		v, there := given[argument]
		return there && string(v) != "null" && string(v) != reads
	}
	switch tool.Class {
	case answer.Write: // see [change.ApplyIn]
		return says("dry_run", "true") || says("apply", `""`)
	case answer.DryRun:
		return says("apply_if_clean", "false")
	}
	return false
}

// Controls reports whether a call starts or ends language servers. Making it twice does no harm.
func Controls(name string) bool {
	name, _, _ = today(name, nil)
	tool := byName(name)
	return tool != nil && tool.Class == answer.Control
}

// Has reports whether a name is that of one of lspi's own tools, in any spelling that calls may use.
func Has(name string) bool {
	name, _, _ = today(name, nil)
	return byName(name) != nil
}
