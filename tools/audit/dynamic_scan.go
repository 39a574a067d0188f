package audit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// openUses returns the places in the sources of a server that hold the name of what is at a place as a
// member and are not among found; doubtful ones last. unread is a file that was not searched to its
// end. When the time ends, the places found so far are returned with the file that was next.
func openUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, rules *spec.Dynamic, asked symbol.Located,
	found []lsp.Place) (open []openUse, unread Unsearched) {
	known := map[UsePlace]bool{}
	// A use is known by the very position of its name; what a server lists has to begin there.
	for _, p := range found {
		known[UsePlace{p.Path, p.Range.Start}] = true
	}
	// A server that has all folders in one process may use the member in any of them.
	folder := s.Root()
	if s.Spec().SharedFolders {
		folder = c.Workspace.Root
	}
	name, files := asked.Name, lsp.WithoutOutput(ctx, s.Server, asked.Path, Sources(c, s, folder))
	slices.Sort(files)
	var buf []byte
	for _, path := range files {
		if ctx.Err() != nil {
			return open, Unsearched{Path: path}
		}
		var holds bool
		// A cheap look at the bytes first: most files do not hold the name.
		if holds, buf = FileHolds(path, []byte(name), buf); !holds {
			continue
		}
		text, err := source.Read(path)
		if err != nil {
			// Too large, or not readable as a source. The first such file is told, where it may hold the name at all.
			if unread.Path == "" && MayHold(ctx, path, name) {
				unread = Unsearched{path, err}
			}
			continue
		}
		places, all := MemberPlaces(ctx, text, path, name, rules)
		for _, u := range places {
			if !known[UsePlace{u.path, u.At}] {
				open = append(open, u)
			}
		}
		if !all {
			return open, Unsearched{Path: path}
		}
	}
	slices.SortStableFunc(open, func(a, b openUse) int { return TrueLast(a.doubtful, b.doubtful) })
	return open, unread
}

// Unsearched is a file that may hold a name and was not searched for it. Path is "" when there is none;
// Why is nil when the time was over.
type Unsearched struct {
	Path string
	Why  error
}

// MayHold reports whether a file that is too large for a source holds a name, or nobody can tell. It
// reads the file in parts; when ctx ends first, the file may hold the name.
func MayHold(ctx context.Context, path, name string) bool {
	f, err := os.Open(path) // fileHolds made sure that it is a regular file
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	part := make([]byte, 1<<20)
	kept := 0 // the end of the part before, in which the name may begin
	// Each part begins with the last bytes of the one before: a name may lie across the border.
	for ctx.Err() == nil {
		n, err := f.Read(part[kept:])
		if bytes.Contains(part[:kept+n], []byte(name)) {
			return true
		}
		if err != nil {
			return !errors.Is(err, io.EOF)
		}
		end := kept + n
		kept = min(end, len(name)-1)
		copy(part, part[end-kept:end])
	}
	return true
}

// MemberPlaces returns the places in a text that hold a name as a member; all is false when the time
// was over before its end. ctx is asked at each occurrence, since one line of a generated file may hold
// a name very often.
func MemberPlaces(ctx context.Context, text *source.Text, path, name string, rules *spec.Dynamic) (out []openUse,
	all bool) {
	sign := lang.CommentSign(path)
	inside, block, quoted := false, false, false // a block comment, and a text of several lines
	for n := 1; n <= text.Lines(); n++ {
		line := text.Line(n)
		was := quoted
		if rules.Triple && (strings.Count(line, `"""`)+strings.Count(line, `'''`))%2 == 1 {
			quoted = !quoted
		}
		if inside, block = lang.InBlock(path, line, block); inside || strings.HasPrefix(strings.TrimSpace(line), sign) {
			continue
		}
		found := source.Occurrences(line, name)
		if len(found) == 0 {
			continue
		}
		code, columns := lang.Code(path, line), columnsOf(text, n)
		for _, i := range found {
			if ctx.Err() != nil {
				return out, false
			}
			u, ok := memberAt(line, i, name, code, rules)
			if !ok {
				continue
			}
			// A name in quotes inside a longer text is no argument and no index.
			if u.doubtful = u.doubtful || was || quoted; u.Keyed && u.doubtful {
				continue
			}
			if u.receiver != nil {
				at := columns.position(u.receiver.Character)
				u.receiver = &at
			}
			u.path, u.At = path, columns.position(i)
			out = append(out, u)
		}
	}
	return out, true
}

// memberAt tells how a line holds a name at i as a member; ok is false when it does not. The receiver's
// Character is an offset in the line. Two forms count: behind a dot (not "..", which is a range or a
// spread), and as a string that a getter or an index takes. Behind a dot it may be in a comment or a
// string, which makes it doubtful.
func memberAt(line string, i int, name string, code []bool, rules *spec.Dynamic) (u openUse, ok bool) {
	before := strings.TrimRight(line[:i], " \t")
	if strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..") {
		// x?.name and x!.name are members of x, too.
		owner := strings.TrimRight(before[:len(before)-1], "?! \t")
		u.doubtful = !code[i]
		u.receiver, u.text = receiverAt(owner)
		return u, true
	}
	end := i + len(name)
	if i == 0 || end >= len(line) || line[i-1] != line[end] || !strings.ContainsRune("\"'`", rune(line[end])) {
		return u, false
	}
	before = strings.TrimRight(line[:i-1], " \t")
	keyed := rules.Keys && strings.HasSuffix(before, "[") && strings.HasPrefix(strings.TrimLeft(line[end+1:], " \t"),
		"]")
	if !keyed && !TakesMember(before, rules) {
		return u, false
	}
	u.Keyed = true
	if keyed {
		owner := strings.TrimRight(before[:len(before)-1], "?. \t")
		if u.receiver, u.text = receiverAt(owner); u.receiver == nil && !u.text && !strings.HasSuffix(owner, ")") &&
			!strings.HasSuffix(owner, "]") {
			return u, false // a list with a text in it
		}
	}
	return u, true
}

// TakesMember reports whether a string that follows before names a member: it is an argument of a
// function that takes such names. It goes back to the parenthesis that is still open, over the pairs in
// between; the word before that is the function. Only the end of a long line is looked at, because a
// name may stand in it very often.
func TakesMember(before string, rules *spec.Dynamic) bool {
	before = before[max(len(before)-lang.MaxScanned, 0):]
	closed := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch {
		case before[i] == ')':
			closed++
		case before[i] == '(' && closed > 0:
			closed--
		case before[i] == '(':
			function := strings.TrimRight(before[:i], " \t")
			from, to, ok := source.WordAround(function, len(function))
			return ok && slices.Contains(rules.Getters, function[from:to])
		}
	}
	return false
}
