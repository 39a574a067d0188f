package ask

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
)

// broken explains by a project file that the server cannot read what it refused or did not find. A
// question that was refused gets an error that names the file, in place of err; an answer, or a symbol
// that was not found, gets a warning, and err is returned.
func broken(ctx context.Context, c *answer.Call, r router.Route, method string, o outcome, err error) error {
	if o.Server == nil || method == lsp.MethodDocumentSymbol || ctx.Err() != nil || c.Diagnoses() {
		return err
	}
	refused := err != nil && answer.AsError(err).Kind == contract.KindRequestFailed
	if err != nil && !refused && !notFound(err) {
		return err
	}
	file, words := lsp.Broken(o.Server.Server, r.Root)
	if file == "" {
		return err
	}
	facts := contract.Facts{"server_id": o.Server.ID(), "file_path": c.Show(file)}
	message := fmt.Sprintf("%s cannot load the project because of %s: %s", o.Server.ID(), c.Show(file), words)
	if refused {
		return contract.Errorf(contract.KindProjectBroken, facts, "%s", message)
	}
	c.Warn(contract.WarnProjectBroken, facts, message)
	c.Step(answer.DiagnosticsStep(c.Show(file)))
	return err
}
