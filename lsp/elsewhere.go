package lsp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/launch"
	"lspi/lsp/process"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// A server that runs elsewhere ([spec.Elsewhere]) reads its own files, and lspi those of this machine. An answer can
// be whole only where they are the same ones: over a mount, or kept alike by whatever copies them. So before anything
// is called complete, files that the server was not sent are compared: one of each pair of folders at first, and
// later each file that changed here. A program behind the same words that start the server says what the files hold
// there. Where these words are not known (a wrapper script), the server itself is asked for the symbols of the file
// as it is there, and again when it was sent the text.

// Bounds of the comparison.
const (
	elsewhereTime     = 10 * time.Second // of one run of the program
	maxElsewhere      = 1000             // files compared at a time by a program there
	maxAskedElsewhere = 20               // and by the server, which gets each of them opened
	maxKnownSize      = 256 << 10        // bytes of a file that is chosen at first
)

// elsewhere is what is known of the files of a server that runs elsewhere; nil for one of this machine. The document
// lock guards what [Server.Sync] does with it.
type elsewhere struct {
	s       *Server
	pending map[string]bool // paths that have to be compared; needs the document lock

	mu     sync.Mutex
	unseen map[string]string // paths that are not the same there, with what is wrong; guarded by mu
	chosen map[string]string // local folders of pairs, with the file that was compared; guarded by mu
}

func newElsewhere(s *Server) *elsewhere {
	if !s.spec.RunsElsewhere() {
		return nil
	}
	return &elsewhere{s: s, pending: map[string]bool{}, unseen: map[string]string{}, chosen: map[string]string{}}
}

// Differs says of which file the server has another text than this machine, or that nobody can tell, as of the last
// [Server.Sync]; "" for a server of this machine, and for one whose files are known to be the same.
func (s *Server) Differs() string {
	e := s.elsewhere
	if e == nil {
		return ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if paths := slices.Sorted(maps.Keys(e.unseen)); len(paths) > 0 {
		return e.unseen[paths[0]]
	}
	return ""
}

// ComparedPair is a pair of folders of a server that runs elsewhere.
type ComparedPair struct {
	source.PathPair
	File    string // by which they were compared at first; "" when none is there
	Differs string // what is wrong with a file in them; "" when nothing is known to be
}

// ComparePaths are the pairs of the server as the last [Server.Sync] found them; nil for a server of this machine.
func (s *Server) ComparePaths() (out []ComparedPair) {
	e := s.elsewhere
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, pair := range s.spec.Elsewhere.Paths {
		one := ComparedPair{PathPair: pair, File: e.chosen[pair.Local]}
		for _, path := range slices.Sorted(maps.Keys(e.unseen)) {
			if of, _ := s.spec.Elsewhere.Paths.Holding(path); of != nil && *of == pair {
				one.Differs = e.unseen[path]
				break
			}
		}
		out = append(out, one)
	}
	return out
}

// before compares the files that changed before the server is told of them: what it reads then is at least as new. It
// returns the changes with those files that were not the same at the last sync, since the server has read their old
// text. It needs the document lock.
func (e *elsewhere) before(ctx context.Context, changes []watch.Change) []watch.Change {
	if e == nil {
		return changes
	}
	for _, c := range changes {
		if e.s.spec.Serves(baseName(c.Path)) || e.s.spec.LoadsBy(baseName(c.Path)) {
			e.pending[c.Path] = true
		}
	}
	e.choose()
	e.mu.Lock()
	for _, path := range slices.Sorted(maps.Keys(e.unseen)) {
		kind := watch.Changed
		if !source.Exists(path) {
			kind = watch.Deleted
		}
		e.pending[path] = true
		changes = append(changes, watch.Change{Path: path, Kind: kind})
	}
	e.mu.Unlock()
	if e.s.spec.Elsewhere.Before != nil && len(e.pending) > 0 {
		e.compare(ctx)
	}
	return changes
}

// after compares what has to be compared still: the server is asked itself, when it was told. It needs the document
// lock.
func (e *elsewhere) after(ctx context.Context) {
	if e != nil && len(e.pending) > 0 {
		e.compare(ctx)
	}
}

// choose picks a file of each pair that has none yet: one of the project that the server was not sent, else any.
func (e *elsewhere) choose() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, pair := range e.s.spec.Elsewhere.Paths {
		if e.chosen[pair.Local] != "" {
			continue
		}
		if path := e.known(pair.Local); path != "" {
			e.chosen[pair.Local], e.pending[path] = path, true
		}
	}
}

// known is a file of a folder by which the folders can be compared; "" where there is none.
func (e *elsewhere) known(dir string) (fallback string) {
	for path := range e.s.folders.journalFor(dir).Files() {
		info, err := os.Lstat(path)
		if !source.Within(dir, path) || err != nil || !info.Mode().IsRegular() || info.Size() == 0 ||
			info.Size() > maxKnownSize {
			continue
		}
		if e.s.spec.Serves(baseName(path)) && e.s.docs.sentText(path) == nil {
			return path
		}
		if fallback == "" {
			fallback = path
		}
	}
	if fallback != "" {
		return fallback
	}
	// A folder outside of the workspace, such as that of the dependencies.
	entries, _ := os.ReadDir(dir)
	for _, one := range entries {
		if one.Type().IsRegular() {
			return filepath.Join(dir, one.Name())
		}
	}
	return ""
}

// compare compares the pending files here and there, and notes the result.
func (e *elsewhere) compare(ctx context.Context) {
	limit := maxElsewhere
	if e.s.spec.Elsewhere.Before == nil {
		limit = maxAskedElsewhere
	}
	paths, found := slices.Sorted(maps.Keys(e.pending)), map[string]string{}
	clear(e.pending)
	for _, path := range paths[min(len(paths), limit):] { // those unseen are compared again at the next sync
		found[path] = fmt.Sprintf("it runs elsewhere, and more files changed than are compared at a time, such as %s", path)
	}
	paths = paths[:min(len(paths), limit)]
	there, err := e.sums(ctx, paths)
	for _, path := range paths {
		switch here, gone := sum(path); {
		case ctx.Err() != nil:
			found[path] = "it runs elsewhere, and there was no time to compare its files with those here"
		case err != nil:
			found[path] = fmt.Sprintf("it runs elsewhere, and its files cannot be looked at: %v", err)
		case there == nil && !gone: // a file that is gone here cannot be compared so
			found[path] = e.asked(ctx, path)
		case there != nil && there[path] != here:
			found[path] = e.differs(path, there[path] == "", gone)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.unseen)
	for path, reason := range found {
		if reason != "" {
			e.unseen[path] = reason
		}
	}
}

// differs says what is wrong with a file that is not the same there.
func (e *elsewhere) differs(path string, absent, gone bool) string {
	remote, ok := e.s.spec.Elsewhere.Paths.Remote(path)
	pair, _ := e.s.spec.Elsewhere.Paths.Holding(path)
	switch {
	case !ok:
		return fmt.Sprintf("it runs elsewhere, and no pair of its paths holds %s", path)
	case gone:
		return fmt.Sprintf("it runs elsewhere, and %s is there as %s, though it is gone here: the tree is not the same "+
			"(paths: %s = %s)", path, remote, pair.Local, pair.Remote)
	case absent:
		return fmt.Sprintf("it runs elsewhere, and does not see %s as %s: the pair %s = %s of its paths is wrong, or the "+
			"tree is not there", path, remote, pair.Local, pair.Remote)
	}
	return fmt.Sprintf("it runs elsewhere, and sees another text in %s than the one here in %s: the tree is not shared, or "+
		"not copied yet (paths: %s = %s)", remote, path, pair.Local, pair.Remote)
}

// sum is the SHA-256 of a file here, in hex; "" when it cannot be read, gone when it is not there.
func sum(path string) (hash string, gone bool) {
	f, _, err := source.OpenRegular(path)
	if err != nil {
		return "", !source.Exists(path)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", false
	}
	return hex.EncodeToString(h.Sum(nil)), false
}

// sums asks a shell where the server runs for the SHA-256 of files, by their paths here; "" for one that is not there.
// It is nil without an error when no shell can be started.
func (e *elsewhere) sums(ctx context.Context, paths []string) (map[string]string, error) {
	if e.s.spec.Elsewhere.Before == nil {
		return nil, nil
	}
	remote := map[string]string{}
	var script strings.Builder
	for _, path := range paths {
		there, ok := e.s.spec.Elsewhere.Paths.Remote(path)
		if !ok {
			continue
		}
		remote[there] = path
		fmt.Fprintf(&script, "[ -f %s ] && sha256sum < %[1]s && printf '%%s\\n' %[1]s\n", quotedForShell(there))
	}
	script.WriteString("echo lspi-end\n")
	out, err := runElsewhere(ctx, e.s.spec, e.s.command, e.s.folders.root, script.String())
	if err != nil {
		return nil, err
	}
	lines := strings.Split(out, "\n")
	if !slices.Contains(lines, "lspi-end") {
		return nil, fmt.Errorf("no shell answered there: %s", Cut(out, 200))
	}
	found := map[string]string{}
	for i := 1; i < len(lines); i++ {
		if here, ok := remote[lines[i]]; ok {
			found[here], _, _ = strings.Cut(lines[i-1], " ")
		}
	}
	return found, nil
}

// worksScript lists the processes of a machine twice, a second apart: their state (proc_pid_stat(5)), and which of them
// have a name in their command line.
const worksScript = `for i in 1 2; do
cat /proc/[0-9]*/stat 2>/dev/null
echo lspi-named
grep -l -e %[1]s /proc/[0-9]*/cmdline 2>/dev/null
echo lspi-next
sleep 1
done
`

// works reports whether the processes of the server use the processor where it runs; true also where nobody can tell
// but the server has said that it is at work.
func (e *elsewhere) works(ctx context.Context) bool {
	command := e.s.spec.Commands[0]
	if before := e.s.spec.Elsewhere.Before; before != nil && len(before) < len(command.Args) {
		name := command.Args[len(before)]
		out, err := runElsewhere(ctx, e.s.spec, e.s.command, e.s.folders.root,
			fmt.Sprintf(worksScript, quotedForShell(path.Base(name))))
		if samples := strings.Split(out, "lspi-next"); err == nil && len(samples) == 3 {
			if used, known := usedBetween(samples[0], samples[1]); known {
				return used >= minWork
			}
		}
	}
	activity, _ := e.s.doing()
	return activity != ""
}

// minWork is how many hundredths of a second of processor time show that a server works, of a hundred.
const minWork = 10

// usedBetween is the processor time, in hundredths of a second, that the named processes and what these started have
// used between two lists; known is false where none is in both.
func usedBetween(before, after string) (used int, known bool) {
	was, is := processesOf(before), processesOf(after)
	for pid, p := range is {
		if old, ok := was[pid]; ok && ofNamed(is, pid) {
			used, known = used+p.used-old.used, true
		}
	}
	return used, known
}

// ofNamed reports whether a process is a named one, or was started by one.
func ofNamed(all map[string]listedProcess, pid string) bool {
	for range len(all) { // a list that others write may have a ring
		p, ok := all[pid]
		if !ok || p.named {
			return ok
		}
		pid = p.parent
	}
	return false
}

// listedProcess is a process in a list.
type listedProcess struct {
	parent string
	used   int // hundredths of a second
	named  bool
}

// processesOf reads a list of worksScript, by the number of the process.
func processesOf(list string) map[string]listedProcess {
	out := map[string]listedProcess{}
	stats, named, _ := strings.Cut(list, "lspi-named")
	for line := range strings.Lines(stats) {
		pid, rest, _ := strings.Cut(line, " (")
		// The name of the program may hold anything; the state, the parent and the times are behind it.
		fields := strings.Fields(rest[strings.LastIndex(rest, ")")+1:])
		if len(fields) < 13 {
			continue
		}
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		out[pid] = listedProcess{parent: fields[1], used: user + system}
	}
	for line := range strings.Lines(named) {
		pid := path.Base(path.Dir(strings.TrimSpace(line)))
		if p, ok := out[pid]; ok {
			p.named = true
			out[pid] = p
		}
	}
	return out
}

// quotedForShell is a word of a POSIX shell.
func quotedForShell(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// runElsewhere runs a script of the POSIX shell on the machine of a server, and returns what it writes to stdout. The
// script comes over stdin: as an argument, ssh would have it read by one shell more.
func runElsewhere(ctx context.Context, s *spec.Spec, command, root, script string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, elsewhereTime)
	defer cancel()
	proc, err := process.Spawn(command, append(slices.Clone(s.Elsewhere.Before), "sh"), root, launch.Environment(s))
	if err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { proc.Stop(discardTime) })
	defer func() { stop(); proc.Stop(discardTime) }()
	if _, err := io.WriteString(proc, script+"exit\n"); err != nil {
		return "", err
	}
	var out bytes.Buffer
	_, err = io.Copy(&out, io.LimitReader(proc, 1<<20))
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if said := proc.Stderr.Reason(); err == nil && out.Len() == 0 && said != "" {
		return "", fmt.Errorf("%s", said)
	}
	return out.String(), err
}

// asked compares by the symbols that the server tells of a file, as it reads it and as it was sent it.
func (e *elsewhere) asked(ctx context.Context, path string) string {
	unknown := fmt.Sprintf("it runs elsewhere, and lspi cannot tell whether it sees the files of %s: let args name the "+
		"server's own program behind what starts it there", e.s.folders.root)
	if !e.s.spec.Serves(baseName(path)) || !e.s.Offers(MethodDocumentSymbol) || e.s.docs.sentText(path) != nil {
		return unknown
	}
	closed := e.symbols(ctx, path)
	if _, err := e.s.docs.OpenLocked(ctx, path); err != nil {
		return unknown
	}
	switch opened := e.symbols(ctx, path); {
	case opened == "":
		return unknown
	case closed == opened:
		return ""
	case closed == "" && !e.s.spec.Freshness.QueryClosed:
		return unknown
	default:
		return e.differs(path, closed == "", false)
	}
}

// symbols is the answer to textDocument/documentSymbol as it came; "" for none.
func (e *elsewhere) symbols(ctx context.Context, path string) string {
	var raw json.RawMessage
	err := e.s.wire.Call(ctx, MethodDocumentSymbol, protocol.DocumentSymbolParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}}, &raw)
	if text := string(bytes.TrimSpace(raw)); err == nil && text != "null" && text != "[]" {
		return text
	}
	return ""
}

// checkPaths refuses the root of a server that runs elsewhere when no pair of its paths holds it.
func checkPaths(s *spec.Spec, root string) error {
	if !s.RunsElsewhere() {
		return nil
	}
	if _, ok := s.Elsewhere.Paths.Remote(root); ok {
		return nil
	}
	return contract.Errorf(contract.KindServerStartFailed, contract.Facts{"server_id": s.ID},
		"%s runs elsewhere, and no pair of its paths holds %s", s.ID, root)
}
