package tsserver

import (
	"context"
	"encoding/json"
	"strings"
)

// renameAnew is [lsp.EditHooks].RenameAnew. Where a module exports what is renamed, tsserver keeps the old name for
// those who import it (export { b as a }), so that their uses stay; asked without such prefixes and suffixes it renames
// these as well. A shorthand property cannot do without: { a } stands for two symbols, and tsserver renames one.
func (a *Process) renameAnew(ctx context.Context, path string, first json.RawMessage,
	again func() (json.RawMessage, error)) (json.RawMessage, error) {
	var plain struct {
		Changes map[string][]struct{ NewText string }
	}
	if json.Unmarshal(first, &plain) != nil {
		return first, nil // whoever reads the edit says what is wrong with it
	}
	aliased, expanded := false, false
	for _, edits := range plain.Changes {
		for _, e := range edits {
			aliased = aliased || strings.Contains(e.NewText, " as ")
			expanded = expanded || strings.Contains(e.NewText, ":")
		}
	}
	if !aliased || expanded {
		return first, nil
	}
	select {
	case a.renaming <- struct{}{}:
		defer func() { <-a.renaming }()
	case <-ctx.Done():
		return nil, a.Server.Failure(ctx, "configure", context.Cause(ctx))
	}
	if err := a.prefixes(ctx, path, false); err != nil {
		return nil, err
	}
	whole, err := again()
	// Not by ctx, which may be over: the next rename in the file must have them again.
	if back := a.prefixes(context.WithoutCancel(ctx), path, true); err == nil {
		err = back
	}
	return whole, err
}

// prefixes has tsserver write, or leave out, what keeps an old name beside the new one, for renames in a file.
func (a *Process) prefixes(ctx context.Context, path string, on bool) error {
	return Ask(ctx, a.Server, "configure", map[string]any{"file": path, "formatOptions": map[string]any{},
		"preferences": map[string]any{"providePrefixAndSuffixTextForRename": on}}, nil)
}
