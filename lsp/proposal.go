package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/edit"
)

// Proposal is an edit that the server wants, with what it had been told of the files when it was asked.
type Proposal struct {
	Edit *edit.Edit

	against *Snapshot // of the moment before the server was asked for it
}

// PlanOptions say how a [Proposal] becomes a plan.
type PlanOptions struct {
	Roots []string                 // the folders in which files may be changed, absolute
	Label func(path string) string // the name of a file in its diff
	// Protected are the places in Roots in which none may be.
	Protected edit.Protected
	// Holds reports whether the text that a replacement takes away is what the edit is about; nil takes all.
	Holds func(r edit.Replacement) bool
}

// Also adds the renaming of further uses, which the server has left out, to a proposed rename. The file of each is
// opened. old is their text, by which they are known again.
func (s *Snapshot) Also(ctx context.Context, p *Proposal, path string, at contract.Position, old, name string) error {
	start, err := s.position(ctx, path, at)
	if err != nil {
		return err
	}
	at.Character += utf8.RuneCountInString(old)
	end, err := s.position(ctx, path, at)
	if err == nil {
		p.Edit.Replace(path, start.Position, end.Position, name)
	}
	return err
}

// Misplaced is a replacement of a text that is not what the edit is about.
type Misplaced struct {
	Path string
	edit.Replacement
}

// proposeBy is the edit that a request gives.
func (s *Snapshot) proposeBy(ctx context.Context, ask func() (json.RawMessage, error)) (*Proposal, error) {
	// Before the request, so that what changes while the server works at the edit is found. A snapshot after it
	// would call the new texts those that the edit is about.
	against, err := s.takeSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := ask()
	if err != nil {
		return nil, err
	}
	// null is an edit that changes nothing (LSP 3.17, rename), and is decoded like any other.
	if raw == nil {
		raw = json.RawMessage("null")
	}
	p := &Proposal{against: against}
	p.Edit, err = edit.Decode(raw)
	return p, err
}

// Planned is the plan of a [Proposal] with what is known of the texts that it is about.
type Planned struct {
	*edit.Plan
	Misplaced []Misplaced // replacements that PlanOptions.Holds does not want
	Behind    []string    // files that changed since the server was asked: the edit is about older texts
	Unseen    []string    // files that the server was left to read itself

	seen []string // files of which the server had the text that is on disk
}

// Plan makes the plan of an edit that was proposed. What is Behind or Unseen in it is unverified in the snapshot: the
// one means that the server has to be asked anew, the other that [Snapshot.ShowUnverified] is to open the files
// before.
func (s *Snapshot) Plan(ctx context.Context, p *Proposal, o PlanOptions) (*Planned, error) {
	out := &Planned{}
	// Also when the plan fails: a plan often fails because the server's texts are old, and the doubt makes the
	// caller show it the files.
	defer func() { out.noteUnverified(s.verified, s.spec.Serves) }()
	var unopened []string // that the server read itself, and that have had one text since before its process began
	changed := sync.OnceValues(s.folders.Changed)
	var err error
	out.Plan, err = p.Edit.Plan(edit.Options{Roots: o.Roots, Protected: o.Protected, Label: o.Label,
		Encoding: s.encoding, IgnoresMark: s.spec.IgnoresMark, DropGone: s.spec.Freshness.DeletedStay,
		Seen: func(path, content string, version *int32) error {
			// Nothing is refused here: the caller decides whether an edit about older texts is asked for again.
			switch p.analysed(path, content, version) {
			case analysedOther:
				out.Behind = append(out.Behind, path)
			case analysedUnknown:
				if files, all := changed(); s.Initial.Ready && !p.against.open(path) &&
					s.folders.journal.Tracks(path) && !all && !files[path] {
					unopened = append(unopened, path)
				} else {
					out.Unseen = append(out.Unseen, path)
				}
			case analysedThis:
				out.seen = append(out.seen, path)
			}
			return nil
		}})
	if err != nil {
		return nil, err
	}
	// What the build wrote for itself follows the sources at the next build.
	if made := s.hooks.WrittenByTool; made != nil {
		out.Outside = slices.DeleteFunc(out.Outside, made)
	}
	// After the plan, since the files of the plan are compared, and after its reading: what changes later is found
	// by the digests when it is applied.
	if err := p.compare(ctx, out); err != nil {
		return nil, err
	}
	for _, f := range out.Files {
		for _, r := range f.Edits {
			// A new file has no text that could be about anything else.
			if o.Holds != nil && f.Kind != edit.Create && !o.Holds(r) {
				out.Misplaced = append(out.Misplaced, Misplaced{f.Path, r})
			}
		}
	}
	// An index on disk may be older than the process, and then the places show it.
	if len(out.Misplaced) > 0 {
		out.Unseen = append(out.Unseen, unopened...)
	}
	return out, nil
}

// noteUnverified notes in a verification what the plan has found out.
func (p *Planned) noteUnverified(v *verification, serves func(base string) bool) {
	for _, path := range p.Behind {
		v.noteUnverified(path, contract.Range{}, true)
	}
	for _, path := range p.seen {
		v.believe(path, contract.Range{})
	}
	for _, path := range p.Unseen {
		// A file that cannot be opened would stay unverified, and the edit would be asked for again without end.
		if serves(baseName(path)) { // else it cannot be opened: nobody knows the language
			v.noteUnverified(path, contract.Range{}, false)
		}
	}
}

// analysedText says which text of a file the server computed its edit from.
type analysedText uint8

const (
	analysedThis    analysedText = iota
	analysedOther                // another text than that on disk
	analysedUnknown              // unknown: the server read the file from the disk at a time of its own
)

// open reports whether a document was open at the moment of the snapshot.
func (s *Snapshot) open(path string) bool {
	_, open := s.versions[path]
	return open
}

// analysed compares a text on disk with what the server was sent before it was asked. A server names the version of
// documents that are open; 0 is that of a file that it read itself (gopls 0.23).
func (p *Proposal) analysed(path, content string, version *int32) analysedText {
	// A file that was not open was read by the server itself, at a moment that nobody knows.
	if !p.against.open(path) {
		return analysedUnknown
	}
	sent := p.against.versions[path]
	now, has := p.against.docs.state(path)
	text := source.New(path, content)
	if p.against.spec.IgnoresMark {
		text = text.WithoutMark()
	}
	switch {
	// Three ways to be another text: lspi sent a newer one meanwhile, the server computed against another version,
	// or the disk has changed and was not told of yet.
	case now != sent, version != nil && *version > 0 && *version != sent, has.Content() != text.Sendable().Content():
		return analysedOther
	// Sent is not enough at a server that counts what it has parsed.
	case !p.against.docs.parsed(path, p.against.asked):
		return analysedUnknown
	}
	return analysedThis
}

// compare finds the files of the plan that changed since the server was told of changes, up to now: the digests of the
// others belong to the moment of its answer.
func (p *Proposal) compare(ctx context.Context, plan *Planned) error {
	// A barrier, because events of changes that were made before this call may still be on their way.
	marks, err := p.against.folders.barriers(ctx)
	if err != nil {
		return p.against.interrupted(ctx, "waiting for file changes", err)
	}
	for t := range marks {
		mark, known := p.against.told[t]
		// The server did not have its files when it was asked, so that the edit is not about them.
		if !known { // a folder that came meanwhile
			continue
		}
		changes, ok := t.journal.Since(mark)
		if !ok {
			return ErrRestartNeeded
		}
		for _, c := range changes {
			// From is the old name of a file that the edit renames: its text counts as well.
			if slices.ContainsFunc(plan.Files, func(f edit.File) bool { return f.Path == c.Path || f.From == c.Path }) {
				plan.Behind = append(plan.Behind, c.Path)
			}
		}
	}
	return nil
}

// PrepareRename asks whether what is at a position can be renamed (LSP 3.17, textDocument/prepareRename), of a
// server that tells. Its errors are the server's refusal in its own words, and request_failed with the fact refused
// where it only says no. The range is what the server would rename; ok is false when it does not say.
func (s *Snapshot) PrepareRename(ctx context.Context, path string, at contract.Position) (r contract.Range, ok bool,
	err error) {
	// No check is no refusal: the rename itself is then the test.
	if !s.Offers(MethodPrepareRename) {
		return r, false, nil
	}
	params, err := s.position(ctx, path, at)
	if err != nil {
		return r, false, err
	}
	raw, err := s.RequestRaw(ctx, MethodPrepareRename, params)
	if err != nil {
		return r, false, err
	}
	if raw == nil {
		return r, false, contract.Errorf(contract.KindRequestFailed,
			contract.Facts{"server_id": s.spec.ID, "method": MethodPrepareRename, "refused": true},
			"%s can rename nothing at %s:%d:%d", s.spec.ID, path, at.Line, at.Character)
	}
	var answer struct { // Range, {range, placeholder} or {defaultBehavior}
		span
		Range *span `json:"range"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return r, false, s.Undecodable(ctx, MethodPrepareRename, raw, err)
	}
	found := answer.span
	switch {
	case answer.Range != nil:
		found = *answer.Range
	// {defaultBehavior: true}: the name at the position, without its range.
	case !bytes.Contains(raw, []byte(`"start"`)):
		return r, false, nil
	}
	text, err := s.docs.Text(path)
	if err != nil {
		return r, false, err
	}
	return text.OutwardRange(s.encoding, found.rng()), true, nil
}

// Rename asks for the edit that renames what is at a position (LSP 3.17, textDocument/rename).
func (s *Snapshot) Rename(ctx context.Context, path string, at contract.Position, name string) (*Proposal, error) {
	params, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	ask := func() (json.RawMessage, error) {
		return s.RequestRaw(ctx, MethodRename, map[string]any{
			"textDocument": params.TextDocument, "position": params.Position, "newName": name,
		})
	}
	p, err := s.proposeBy(ctx, func() (json.RawMessage, error) {
		first, err := ask()
		if err != nil || s.hooks.RenameAnew == nil {
			return first, err
		}
		return s.hooks.RenameAnew(ctx, path, first, ask)
	})
	// A client asks for what changes with the paths of files before an edit renames them (LSP 3.17,
	// workspace/willRenameFiles). rust-analyzer gives the edits of a module's rename in that answer alone.
	if err == nil && s.Offers(MethodWillRename) && len(p.Edit.Moves()) > 0 {
		err = s.withPaths(ctx, p.Edit)
	}
	if err != nil {
		return nil, err
	}
	p.Edit.LeaveOut(s.inOtherTree(path))
	return p, nil
}

// withPaths adds to an edit what changes with the paths of the files that it renames.
func (s *Snapshot) withPaths(ctx context.Context, e *edit.Edit) error {
	raw, err := s.editForMoves(ctx, e.Moves()...)
	if err != nil || raw == nil {
		return err
	}
	texts, err := edit.Decode(raw)
	if err == nil {
		e.Precede(texts)
	}
	return err
}

func (s *Snapshot) editForMoves(ctx context.Context, moves ...edit.Moved) (json.RawMessage, error) {
	files := make([]map[string]any, len(moves))
	for i, m := range moves {
		files[i] = map[string]any{"oldUri": uri.File(m.From), "newUri": uri.File(m.To)}
	}
	return s.RequestRaw(ctx, MethodWillRename, map[string]any{"files": files})
}

// WillRename asks for the edit that goes with another path of a file or folder (LSP 3.17, workspace/willRenameFiles),
// and adds the move itself. path is a source of it, whose project the server has then loaded.
func (s *Snapshot) WillRename(ctx context.Context, path, from, to string) (*Proposal, error) {
	if _, err := s.docs.Open(ctx, path); err != nil {
		return nil, err
	}
	p, err := s.proposeBy(ctx, func() (json.RawMessage, error) {
		return s.editForMoves(ctx, edit.Moved{From: from, To: to})
	})
	if err == nil {
		p.Edit.LeaveOut(s.inOtherTree(path))
		p.Edit.Move(from, to)
	}
	return p, err
}

// MoveToFile asks for the edit that moves the statements between two places of a file to another file. It needs
// [ActionHooks].MoveToFile.
func (s *Snapshot) MoveToFile(ctx context.Context, path string, statements contract.Range, to string) (*Proposal,
	error) {
	end, err := s.act(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if _, err := s.docs.Open(ctx, path); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(to); err == nil { // the server moves into what its projects hold
		if _, err := s.docs.Open(ctx, to); err != nil {
			return nil, err
		}
	}
	return s.proposeBy(ctx, func() (json.RawMessage, error) {
		return s.hooks.MoveToFile(ctx, path, statements, to)
	})
}

// FormatOptions are what a client has to say of a file that it wants formatted (LSP 3.17, FormattingOptions). Servers
// whose language or project decides do not look at them.
type FormatOptions struct {
	TabSize      int  `json:"tabSize"`
	InsertSpaces bool `json:"insertSpaces"`
}

// Format asks for the edit that formats a file (LSP 3.17, textDocument/formatting), or a range of it
// (textDocument/rangeFormatting); a nil range is the file. The edit may be empty.
func (s *Snapshot) Format(ctx context.Context, path string, within *contract.Range, o FormatOptions) (*Proposal,
	error) {
	// Also at a server that reads closed files: it has to be the text whose version the proposal is held against.
	if _, err := s.docs.OpenDocument(ctx, path); err != nil {
		return nil, err
	}
	method, params := MethodFormatting, map[string]any{
		"textDocument": protocol.TextDocumentIdentifier{URI: uri.File(path)}, "options": o}
	if within != nil {
		start, err := s.position(ctx, path, within.Start)
		if err != nil {
			return nil, err
		}
		end, err := s.position(ctx, path, within.End)
		if err != nil {
			return nil, err
		}
		method, params["range"] = MethodRangeFormatting, protocol.Range{Start: start.Position, End: end.Position}
	}
	return s.proposeBy(ctx, func() (json.RawMessage, error) {
		raw, err := s.RequestRaw(ctx, method, params)
		if err != nil || raw == nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"changes": map[string]any{string(uri.File(path)): raw}})
	})
}
