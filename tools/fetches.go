package tools

import (
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/lsp"
)

// fetches tells, once for each process, that the server may fetch over the network what the file asked about names: an answer
// may rest on it, and the repository decided where it comes from.
func (c *Call) fetches(s *lsp.Server, path string) {
	if s == nil || path == "" {
		return
	}
	found := lsp.Fetches(s, path)
	if len(found) == 0 {
		return
	}
	key := fmt.Sprint("fetches of ", s.Snapshot().PID)
	if !firstTold(c, key) {
		return
	}
	var what []string
	for _, f := range found {
		what = append(what, f.What)
	}
	tells(c, key, string(contract.WarnFetches), "")
	c.warn(contract.WarnFetches, contract.Facts{"server_id": s.ID(), "fetches": what, "file_path": c.show(path)},
		fmt.Sprintf("%s may fetch over the network %s, because of %s; in a workspace that is not trusted it does not", s.ID(),
			strings.Join(what, " and "), c.show(path)))
}
