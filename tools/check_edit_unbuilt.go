package tools

import (
	"fmt"

	"lspi/contract"
	"lspi/lsp"
)

// warnUnbuilt says which edits change code that a server does not build: it reports nothing there, so that no new error says
// nothing. Such an edit is neither recommended nor applied, because the answer is partial ([difference.why]).
func warnUnbuilt(c *Call, spec *lsp.Spec, lines []lsp.UnbuiltLine) {
	if len(lines) == 0 {
		return
	}
	found := make([]holder, len(lines))
	for i, l := range lines {
		found[i] = holder{l.Path, l.Line}
	}
	where := found[0].show(c)
	if len(found) > 1 {
		where = fmt.Sprintf("%d files, the first place at %s", len(found), where)
	}
	c.warnHolders(contract.WarnNotBuilt, contract.Facts{"server_id": spec.ID}, found, fmt.Sprintf(
		"the edit changes code that %s does not build, in %s: it reports no errors there, whatever the edit breaks", spec.ID, where))
}
