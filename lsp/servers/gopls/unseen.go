package gopls

import (
	"context"
	"path/filepath"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/golang"
	"lspi/lsp"
)

// unseenUse is [lsp.EditHooks].UnseenUse: gopls lists no use by the run time or go test, and renames a method that
// satisfies an interface of another module as any other method (0.23).
func (a *Process) unseenUse(ctx context.Context, s *lsp.Snapshot, declared lsp.Place, name, as string) string {
	text, err := s.Documents().Text(declared.Path)
	if err != nil {
		return ""
	}
	line := declared.Range.Start.Line
	if use := golang.ImpliedUse(declared.Path, text.Content(), name, as, line); use != "" {
		return use
	}
	// Of an interface's own method gopls itself looks whether its users stay assignable.
	offset, err := text.Offset(declared.Range.Start)
	head := text.Content()[strings.LastIndexByte(text.Content()[:offset], '\n')+1 : offset]
	if of, _ := lang.Receiver(head, len(head)); err != nil || of == "" {
		return ""
	}
	places, err := s.Locate(ctx, lsp.MethodImplementation, declared.Path, declared.Range.Start)
	if err != nil {
		return "gopls does not say which interfaces it satisfies"
	}
	for _, p := range places {
		// Of every type with an Error method, gopls also gives the type error for its other methods.
		if !s.Folders().Inside(p.Path) && p.Err == nil &&
			s.Documents().WordAt(p.Path, p.Range.Start) == name {
			return "it satisfies the interface with that method in " +
				filepath.Join(filepath.Base(filepath.Dir(p.Path)), filepath.Base(p.Path))
		}
	}
	return ""
}
