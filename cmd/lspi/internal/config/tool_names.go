package config

import (
	"fmt"
	"strings"

	"lspi/tools/session"
)

// The names of tools in lists and tables, and the defaults of their arguments.

// checkTool finds the name of a tool in whatever case, also by the name that the original lspi had for it.
func checkTool(c *checker, at place, s string) (string, bool) {
	if tool, ok := c.tool(s); ok {
		return tool, true
	}
	unknown := "unknown tool " + quoted(s)
	return s, c.known(at, s, c.tools, unknown, unknown+"; lspi tools lists them", "run: lspi tools")
}

// checkAllowed is checkTool for a list of what is allowed. An unknown name stays in it, where it allows nothing, so
// that the other names count and a list of which every name is wrong allows no tool.
func checkAllowed(c *checker, at place, s string) (string, bool) {
	return c.allowed(at, s, "unknown tool "+quoted(s))
}

// allowed is checkAllowed with the words for a name that is unknown.
func (c *checker) allowed(at place, s, unknown string) (string, bool) {
	if tool, ok := c.tool(s); ok {
		return tool, true
	}
	message, fix := unknown+"; lspi tools lists them", "run: lspi tools"
	if near := nearest(s, c.tools); near != "" {
		message, fix = fmt.Sprintf("%s: did you mean %q?", unknown, near), fmt.Sprintf("write %q", near)
	}
	c.findAt(SeverityWarning, FindingBadValue, at.path, fix, "%s", message)
	return s, true
}

// tool is the name of a tool as it is listed. The tools of other MCP servers, whose names have "__", nobody knows
// before the servers are asked.
func (c *checker) tool(s string) (string, bool) {
	if name := session.Listed(strings.TrimSpace(s)); strings.Contains(name, "__") {
		return name, true
	}
	if now, ok := session.OriginalTool(s); ok {
		s = now
	}
	for _, tool := range c.tools {
		if strings.EqualFold(tool, strings.TrimSpace(s)) {
			return tool, true
		}
	}
	return s, len(c.tools) == 0
}

// checkPresetTool is [checkAllowed] that takes patterns of all tools, and names the preset: its warnings are told
// where the place in the file is not.
func checkPresetTool(c *checker, at place, s string) (string, bool) {
	if name := session.Listed(strings.TrimSpace(s)); strings.ContainsAny(name, "*?") {
		return name, true
	}
	preset, _, _ := strings.Cut(strings.TrimPrefix(at.path, "presets."), ".")
	return c.allowed(at, s, fmt.Sprintf("the preset %s names the unknown tool %s", preset, quoted(s)))
}

// checkArgument takes a default of a tool's argument. One that is wrong, or of a tool that there is not, is left out.
func checkArgument(c *checker, at place, name string, value any) (any, bool) {
	value, ok := c.jsonValue(at, value)
	if !ok || c.arguments == nil {
		return value, ok
	}
	if err := c.arguments(strings.TrimSuffix(strings.TrimPrefix(at.path, "tools."), "."+name), name,
		value); err != nil {
		c.wrong(FindingBadValue, at.path, "%s", err)
		return nil, false
	}
	return value, true
}
