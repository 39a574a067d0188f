package ask

import (
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
)

// warnFetches tells, once for each server process, that the server may fetch over the network what the file
// asked about names: an answer may rest on it, and the repository decided where it comes from. s may be
// nil and path empty; then there is nothing to tell.
func warnFetches(c *answer.Call, s *lsp.Snapshot, path string) {
	if s == nil || path == "" {
		return
	}
	found := lsp.Fetches(s.Server, path)
	if len(found) == 0 {
		return
	}
	// The process is the unit: a new one fetches anew, and may be told of other things.
	key := fmt.Sprint("fetches of ", s.State().PID)
	if !answer.NotYetTold(c, key) {
		return
	}
	var what []string
	for _, f := range found {
		what = append(what, f.What)
	}
	answer.WillTell(c, key, string(contract.WarnFetches), "")
	c.Warn(contract.WarnFetches, contract.Facts{"server_id": s.ID(), "fetches": what, "file_path": c.Show(path)},
		fmt.Sprintf("%s may fetch %s over the network, because of %s; it does not in a workspace that is not trusted",
			s.ID(),
			strings.Join(what, " and "), c.Show(path)))
}
