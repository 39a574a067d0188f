package answer

// ServerArgument picks one of several servers of a file, such as basedpyright beside pyright. Tools that ask about
// a file or a symbol embed it.
type ServerArgument struct {
	ServerID string `json:"server_id"`
}

func (a ServerArgument) server() string { return a.ServerID }

// PicksServer reports whether arguments have a [ServerArgument].
func PicksServer(arguments any) bool {
	_, ok := arguments.(interface{ server() string })
	return ok
}

// Picked is the id of the server that alone is asked; "" when none was named.
func (c *Call) Picked() string { return c.picked }
