package answer

// ServerArgument is embedded by the arguments of tools that ask about a file or a symbol. It picks one
// of several servers of the file, such as basedpyright beside pyright.
type ServerArgument struct {
	ServerID string `json:"server_id"`
}

func (a ServerArgument) server() string { return a.ServerID }

// PicksServer reports whether a tool's arguments embed [ServerArgument].
func PicksServer(arguments any) bool {
	_, ok := arguments.(interface{ server() string })
	return ok
}

// Picked returns the id of the server that the call names; "" lets routing choose.
func (c *Call) Picked() string { return c.picked }
