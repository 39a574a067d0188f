package answer

import "lspi/contract"

// presetSteps are the steps for a tool that the preset leaves out, or for a preset that is missing or
// unreadable. All but one are for a person: no tool changes what a session may do.
func presetSteps(_ *Call, e *contract.Error) []contract.NextStep {
	preset, _ := e.Facts["preset"].(string)
	near, _ := e.Facts["closest"].(string)
	known, missing := e.Facts["known"].([]string)
	person := func(message string) contract.NextStep {
		return contract.NextStep{Kind: contract.StepConfig, Message: "A person can " + message}
	}
	const list, without = "lspi preset list shows them. lspi preset use NAME switches a session of the shared process; any other one follows --preset, LSPI_PRESET or mcp.preset.",
		"lspi preset use --none switches a session of the shared process to none; any other one follows --preset, LSPI_PRESET or mcp.preset."
	_, unreadable := e.Facts["reason"].(string)
	switch {
	case unreadable:
		return []contract.NextStep{person("correct the file as the message says; the change counts without a restart.")}
	case !missing:
		return []contract.NextStep{
			ToolStep("get_current_config", "See which tools the preset leaves."),
			person("add the tool to presets." + preset + ".tools, or choose another preset: " + list),
		}
	case near != "":
		return []contract.NextStep{person("name " + near + " in its place: lspi preset use " + near +
			" switches a session of the shared process; any other one follows --preset, LSPI_PRESET or mcp.preset. lspi preset list shows all presets.")}
	case len(known) > 0:
		return []contract.NextStep{person("name one of the presets in its place: " + list)}
	}
	return []contract.NextStep{person("write [presets." + preset + "] in the configuration, or name no preset: " +
		without)}
}
