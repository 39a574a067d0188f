package tools

import (
	"encoding/json"
	"slices"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// table is filled in init, because tools that list tools are in it themselves.
var table []*answer.Tool

func init() {
	table = []*answer.Tool{
		findDefinition, findImplementations, findReferences, callHierarchy, typeHierarchy,
		hover, getDocumentSymbols, searchWorkspaceSymbols,
		getDiagnostics, symbolBundle, changeImpact, switchSourceHeader, getCurrentConfig, listServers, getServerStatus,
		renameSymbol, codeActions, editSymbol, checkEdit, restartServer, stopServer, lspRequest,
		getFirstRequest, getRequest, listSessions, bindWorkspace,
	}
}

// All returns every tool in the order in which hosts see them.  Order and schemas never depend on a server.
func All() []*answer.Tool { return slices.Clone(table) }

// byName returns the tool of a name; nil for none.
func byName(name string) *answer.Tool {
	for _, t := range table {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Lookup finds a tool by name; the error names the closest one.
func Lookup(name string) (*answer.Tool, error) {
	if t := byName(name); t != nil {
		return t, nil
	}
	var names []string
	for _, t := range All() {
		names = append(names, t.Name)
	}
	facts := contract.Facts{"tool": name}
	if near := contract.Closest(name, names); near != "" {
		facts["closest"] = near
		return nil, contract.Errorf(contract.KindUnknownTool, facts, "there is no tool %q; the closest is %s", name,
			near)
	}
	return nil, contract.Errorf(contract.KindUnknownTool, facts, "there is no tool %q", name)
}

// unknown is the error of [Lookup] for a session: a tool that the session does not have is no help as
// the closest one.
func unknown(s *session.Settings, name string, err error) error {
	if id, tool, ok := session.ServerOf(name); ok {
		if near := nearServer(s, id, tool); near != "" {
			meant := session.ServerTool(near, tool)
			return contract.Errorf(contract.KindUnknownTool, contract.Facts{"tool": name, "closest": meant},
				"there is no MCP server %q; the closest is %s", id, near)
		}
	}
	near, _ := answer.AsError(err).Facts["closest"].(string)
	if t := byName(near); t == nil || answer.Refuses(s, t) == nil {
		return err
	}
	return contract.Errorf(contract.KindUnknownTool, contract.Facts{"tool": name}, "there is no tool %q", name)
}

// nearServer returns the MCP server of the session that an unknown id most likely means; "" when none
// is near, or the session would not have a tool of this name there. Whether the server has the tool
// only the server knows.
func nearServer(s *session.Settings, id, tool string) string {
	var ids []string
	for _, m := range s.MCPServers {
		e := &session.Entry{Name: session.ServerTool(m.ID, tool), Provider: session.ServerProvider(m.ID),
			Class: session.Read}
		if !m.LeftOut && answer.Refused(s, e) == nil {
			ids = append(ids, m.ID)
		}
	}
	return contract.Closest(id, ids)
}

// today returns a call in today's words, where it uses those of the original lspi; notes say what
// differs.
func today(name string, arguments json.RawMessage) (string, json.RawMessage, []string) {
	return session.OriginalCall(name, arguments, func(tool, argument string) bool {
		t := byName(tool)
		return t != nil && t.Input.Properties[argument] != nil
	})
}

// Served returns the tools that a configuration serves, in their order. Exactly these can be called.
func Served(s *session.Settings) []*answer.Tool {
	return slices.DeleteFunc(All(), func(t *answer.Tool) bool { return answer.Refuses(s, t) != nil })
}

// known is the table of tools as package answer sees it ([answer.Tools]).
type known struct{}

func (known) Lookup(name string) (*answer.Tool, error) { return Lookup(name) }

func (known) Names(s *session.Settings) []string {
	var out []string
	for _, t := range Served(s) {
		out = append(out, t.Name)
	}
	return out
}
