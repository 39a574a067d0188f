package tsserver

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// isRefactoring is [lsp.ActionHooks].IsRefactoring. The command's argument is that of tsserver's
// getEditsForRefactor. It makes the new files on disk, empty, before it asks for its edit.
func isRefactoring(command string) bool { return command == "_typescript.applyRefactoring" }

// refactoringEdit is [lsp.ActionHooks].RefactoringEdit: it is tsserver's getEditsForRefactor as a WorkspaceEdit.
// Its positions are lines and UTF-16 offsets from 1; a file that is not there is to be made.
func (a *Process) refactoringEdit(ctx context.Context, arguments []json.RawMessage) (json.RawMessage, error) {
	s := a.Server
	if len(arguments) == 0 {
		return nil, s.Undecodable(ctx, lsp.MethodCodeAction, nil, errors.New("a refactoring without arguments"))
	}
	type place struct{ Line, Offset uint32 }
	var body struct {
		Edits []struct {
			FileName    string
			TextChanges []struct {
				Start, End place
				NewText    string
			}
		}
		NotApplicableReason string
	}
	if err := Ask(ctx, s, "getEditsForRefactor", arguments[0], &body); err != nil {
		return nil, err
	}
	if body.NotApplicableReason != "" {
		return nil, contract.Errorf(contract.KindRequestFailed,
			contract.Facts{"server_id": s.ID(), "method": lsp.MethodCodeAction, "refused": true}, "%s: %s", s.ID(),
			body.NotApplicableReason)
	}
	changes := []any{}
	for _, f := range body.Edits {
		file := uri.File(f.FileName)
		text := source.New(f.FileName, "")
		if _, err := os.Lstat(f.FileName); errors.Is(err, os.ErrNotExist) {
			changes = append(changes, map[string]any{"kind": "create", "uri": file})
		} else if text, err = s.Documents().Text(f.FileName); err != nil {
			return nil, err
		}
		position := func(p place) protocol.Position {
			at := protocol.Position{Line: max(p.Line, 1) - 1, Character: max(p.Offset, 1) - 1}
			return text.Encode(s.Encoding(), text.Decode(source.UTF16, at))
		}
		edits := []any{}
		for _, t := range f.TextChanges {
			edits = append(edits,
				map[string]any{"newText": t.NewText, "range": protocol.Range{Start: position(t.Start),
					End: position(t.End)}})
		}
		changes = append(changes, map[string]any{"textDocument": map[string]any{"uri": file, "version": nil},
			"edits": edits})
	}
	return json.Marshal(map[string]any{"documentChanges": changes})
}

// moveToFile is [lsp.ActionHooks].MoveToFile: the refactoring of tsserver that typescript-language-server 6.0.2 does
// not offer, because an editor has to ask for the file.
func (a *Process) moveToFile(ctx context.Context, path string, statements contract.Range, to string) (json.RawMessage,
	error) {
	text, err := a.Server.Documents().Text(path)
	if err != nil {
		return nil, err
	}
	start, err := text.Inward(source.UTF16, statements.Start)
	if err != nil {
		return nil, err
	}
	end, err := text.Inward(source.UTF16, statements.End)
	if err != nil {
		return nil, err
	}
	arguments, err := json.Marshal(map[string]any{"file": path, "startLine": start.Line + 1,
		"startOffset": start.Character + 1, "endLine": end.Line + 1, "endOffset": end.Character + 1,
		"refactor": "Move to file", "action": "Move to file",
		"interactiveRefactorArguments": map[string]string{"targetFile": to}})
	if err != nil {
		return nil, err
	}
	return a.refactoringEdit(ctx, []json.RawMessage{arguments})
}
