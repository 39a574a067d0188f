package tools

import (
	"context"
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

// leftOutOfTrial warns of sources that the server does not read and that hold names of what an edit changes, as an answer about
// these names does: whether it breaks them nobody has looked.
func leftOutOfTrial(ctx context.Context, c *Call, s *lsp.Server, texts map[string]*editedText) {
	contents := map[string]string{}
	for path, t := range texts {
		contents[path] = t.after.Content()
	}
	ctx, cancel := context.WithTimeout(ctx, leftOutLimit)
	defer cancel()
	files, names, all := lsp.LeftOutUsers(ctx, s, contents)
	asked := ""
	if len(names) == 0 && len(texts) == 1 {
		for path := range texts {
			asked = path
		}
	}
	c.leaveOut(s, files, all, asked, names...)
}
