package answer

import "lspi/contract"

// otherStatusStep leads to the state of other MCP servers. `lspi call` is a session of its own, which
// has started none of them: its get_server_status would show nothing. There the step is lspi doctor,
// which starts and asks each.
func otherStatusStep(c *Call, message string) contract.NextStep {
	if c.Request.Host.Row().Shell {
		return contract.NextStep{Kind: contract.StepCommand,
			Message: "See which MCP servers work here, and what is wrong with the others.", Command: "lspi doctor"}
	}
	return StatusStep(message)
}

// otherUnavailableSteps are for an MCP server that does not run.
func otherUnavailableSteps(c *Call, e *contract.Error) []contract.NextStep {
	look := otherStatusStep(c, "See the state of the MCP server and its last words.")
	if e.Facts["reason"] == "died" { // in the middle of the call
		return []contract.NextStep{look,
			{Kind: contract.StepDoc,
				Message: "Find out whether the call had an effect before it is made again. The next call starts the server anew."}}
	}
	return []contract.NextStep{look,
		{Kind: contract.StepConfig,
			Message: "If it does not start, a person can correct its table mcp_servers in the configuration; a change counts without a restart."}}
}

// othersSteps are those of a tool that another MCP server does not have.
func othersSteps(c *Call, near string) []contract.NextStep {
	out := []contract.NextStep{otherStatusStep(c, "See which MCP servers there are, and how many tools each has.")}
	if near != "" {
		out = append([]contract.NextStep{{Kind: contract.StepDoc, Message: "Use " + near + "."}}, out...)
	}
	return out
}
