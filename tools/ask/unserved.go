package ask

import (
	"errors"
	"slices"

	"lspi/contract"
	"lspi/tools/answer"
)

// Unserved is why no server answers a question, so that an index of the code may (package indexed).
type Unserved struct {
	Kind     contract.Kind // of the error of the server, or that of a server which still loads
	ServerID string        // "" where no server is meant
	Why      string
	Unknown  bool // the servers are there, and do not know the symbol or the file
	Partial  bool // a server has answered with what it has read so far
}

// noAnswer are the errors by which a server gives no answer, and another source may.
var noAnswer = []contract.Kind{contract.KindServerNotInstalled, contract.KindServerStartFailed,
	contract.KindServerDisabled, contract.KindMemoryLimit, contract.KindRestricted, contract.KindServerCrashed,
	contract.KindStillIndexing, contract.KindRequestTimeout, contract.KindNoServerForExtension,
	contract.KindCommandNotFound}

// NoServer returns why no server answered; nil when one has, or when the error is about what was asked.
func NoServer(c *answer.Call, err error) *Unserved {
	if err == nil {
		loads := c.WarningsThat(func(k contract.WarningKind) bool { return k == contract.WarnIndexing })
		if len(loads) == 0 {
			return nil
		}
		id, _ := loads[0].Facts["server_id"].(string)
		return &Unserved{Kind: contract.KindStillIndexing, ServerID: id, Why: loads[0].Message, Partial: true}
	}
	var e *contract.Error
	if !errors.As(err, &e) {
		return nil
	}
	u := &Unserved{Kind: e.Kind, Why: e.Message}
	u.ServerID, _ = e.Facts["server_id"].(string)
	u.Unknown = e.Kind == contract.KindSymbolNotFound || e.Kind == contract.KindOutsideWorkspace
	if u.Unknown || slices.Contains(noAnswer, e.Kind) {
		return u
	}
	return nil
}
