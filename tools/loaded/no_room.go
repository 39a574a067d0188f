package loaded

import (
	"errors"

	"lspi/contract"
	"lspi/tools/answer"
)

// NoRoom reports whether a server gets no more projects because of its memory, which [lsp.Server.Reach] told as err,
// and warns that the answer lacks those.
func NoRoom(c *answer.Call, err error) bool {
	e := (*contract.Error)(nil)
	if !errors.As(err, &e) || e.Kind != contract.KindMemoryLimit {
		return false
	}
	c.Warn(contract.WarnPartFailed, contract.Facts{"part": "projects", "server_id": e.Facts["server_id"],
		"reason": e.Kind}, e.Message+"; the others are not in this answer")
	return true
}
