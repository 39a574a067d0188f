package clangd

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"lspi/internal/source"
)

// preambles are what a process writes of the beginnings of documents, which it compiles ahead with all that they
// include. With each text it looks by time and size whether these files are as they were, also those of the system
// and those that it did not find; it reports on the text with the old ones first all the same, and on no other sign
// that another report will come. Only its verbose log says which it took (22.1.8): of 11 changes of a header
// outside of the project each was told by "Rebuilding invalidated preamble". A new header that comes before another
// one in the search, or that __has_include looks for, was not; see Surroundings.
type preambles struct {
	mu      sync.Mutex
	told    map[string]int32 // the last version of which it wrote, by path; guarded by mu
	changed map[string]bool  // files of which it found an include changed; guarded by mu
	wrote   chan struct{}    // closed and replaced with each; nil before somebody waits; guarded by mu
}

// preamble matches what the process writes of each text: of the first one of a document, of one with the includes
// as they were, of any other.
var preamble = source.LazyRegexp(`(?:(Building first)|(Rebuilding invalidated)) preamble for (.*) version (\d+)(?: \(previous was version \S+\))?$|Reusing preamble version \S+ for version (\d+) of (.*)$`)

// keepsStderr is [lsp.SyncHooks].KeepsStderr: it takes notes of preambles and drops the verbose lines, which hold
// whole messages with texts.
func (a *Process) keepsStderr(line string) bool {
	if !strings.HasPrefix(line, "V[") {
		return true
	}
	m := preamble.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	path, written := m[3]+m[6], m[4]+m[5]
	version, err := strconv.ParseInt(written, 10, 32)
	if err != nil {
		return false
	}
	p := &a.preambles
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told == nil {
		p.told, p.changed = map[string]int32{}, map[string]bool{}
	}
	p.told[path] = int32(version)
	p.changed[path] = p.changed[path] || m[2] != ""
	if p.wrote != nil {
		close(p.wrote)
		p.wrote = nil
	}
	return false
}

// builtAsIs is [lsp.SyncHooks].BuiltAsIs.
func (a *Process) builtAsIs(ctx context.Context, path string, version int32) bool {
	p := &a.preambles
	for {
		p.mu.Lock()
		told, changed, silent := p.told[path], p.changed[path], len(p.told) == 0
		if p.wrote == nil {
			p.wrote = make(chan struct{})
		}
		wrote := p.wrote
		p.mu.Unlock()
		// silent: another version of clangd, since this process has compiled before
		if changed || silent || told >= version {
			return !changed && !silent
		}
		select {
		case <-wrote:
		case <-ctx.Done():
			return false
		case <-a.Server.Done():
			return false
		}
	}
}
