package stdio

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/contract"
)

// NameCalls has name called with each call of a tool, with the id of its request as it stands in the message. The
// name that it returns is passed on under key in _meta; "" names none. What a host itself puts there is taken away.
// It has to be called before Connect.
func (c *Conn) NameCalls(key string, name func(id, tool string, arguments json.RawMessage) string) {
	c.nameKey, c.name = key, name
}

// named names a call.
func (c *Conn) named(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Request)
	if !ok || c.name == nil || r.Method != "tools/call" {
		return
	}
	var head struct {
		Name      string                     `json:"name"`
		Arguments json.RawMessage            `json:"arguments"`
		Meta      map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(r.Params, &head) != nil {
		return // refused by who reads it next
	}
	id, err := json.Marshal(r.ID.Raw())
	if err != nil {
		return
	}
	name := c.name(string(id), head.Name, head.Arguments)
	if _, given := head.Meta[c.nameKey]; name == "" && !given {
		return
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(r.Params, &params) // as above
	if head.Meta == nil {
		head.Meta = map[string]json.RawMessage{}
	}
	delete(head.Meta, c.nameKey)
	if name != "" {
		head.Meta[c.nameKey], _ = contract.Marshal(name)
	}
	params["_meta"], _ = contract.Marshal(head.Meta)
	r.Params, _ = contract.Marshal(params)
}
