package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
)

// Rights say which tools a host gets.
type Rights uint8

const (
	DefaultRights Rights = iota // those of the present entry; for a new entry those of the host's row
	ReadOnly
	ReadWrite
)

// Change is what setup would do to one file. It is computed, and written by [Place.Write].
type Change struct {
	Host  *Host // nil for a file of no host, such as AGENTS.md
	Scope Scope
	File  string   // the path before links are resolved
	Notes []string // sentences for the user
	Diff  string   // unified; "" when nothing changes

	target        string // File with symbolic links resolved
	kept          string // the innermost folder around target that exists before anything is written
	kind          string // the kind of record in the journal
	existed       bool
	before, after []byte
	mode          fs.FileMode
	added         string // what was inserted, if it is one piece; of JSON the outermost new key; of hooks the new keys
	hooks         bool   // it is of a host's hooks
	entry         entryFields
	again         func() (*Change, error) // plans the same change for the file as it is then
}

// Plan returns the change that puts lspi into a file of a host. The error names the file.
func (p Place) Plan(h *Host, s Scope, rights Rights) (*Change, error) {
	file := p.File(h, s)
	if file == "" {
		return nil, fmt.Errorf("%s has no file for scope %q", h.Title, s)
	}
	c, err := p.open(file, s)
	if err != nil {
		return nil, err
	}
	c.Host, c.Scope, c.kind = h, s, kindEntry
	c.again = func() (*Change, error) { return p.Plan(h, s, rights) }
	if err := p.edit(c, h, rights); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if s == Project && filepath.IsAbs(c.entry.launch().command) && c.Diff != "" {
		c.Notes = append(c.Notes, ofThisMachine)
	}
	return c, nil
}

// ofThisMachine is the note on a project's file that has an absolute path.
const ofThisMachine = "The file is for everybody who works on this project, and has the path of lspi on this machine: " +
	"put lspi on PATH and run lspi setup again to share it."

// open reads a file that is to be changed. A project's file that links lead out of the project is an error.
func (p Place) open(file string, s Scope) (*Change, error) {
	c := &Change{File: file, target: file, mode: 0o600, Scope: s}
	if s == Project {
		c.mode = 0o644
	}
	target, err := follow(file)
	if err != nil {
		return nil, err
	}
	if s == Project {
		root, err := filepath.EvalSymlinks(p.Project)
		if real, e := filepath.EvalSymlinks(deepest(target)); err != nil || e != nil || !source.Within(root, real) {
			return nil, fmt.Errorf("%s leads out of the project, to %s; lspi setup does not write there", file, target)
		}
	}
	c.target, c.kept = target, deepest(filepath.Dir(target))
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", target)
	case info.Mode()&0o200 == 0:
		return nil, fmt.Errorf("%s is read-only; make it writable (chmod u+w) and run lspi setup again", target)
	}
	c.existed, c.mode = true, info.Mode().Perm()
	if c.before, err = trust.ReadFile(target, maxFile); err != nil {
		return nil, fmt.Errorf("reading %s: %w", target, err)
	}
	c.after = c.before
	return c, nil
}

// deepest returns the path if it exists, else the innermost folder above that does.
func deepest(path string) string {
	for !exists(path) && path != filepath.Dir(path) {
		path = filepath.Dir(path)
	}
	return path
}

// follow resolves the symbolic links of a file itself; the last one may lead to nothing.
func follow(file string) (string, error) {
	for range 40 {
		to, err := os.Readlink(file)
		if err != nil {
			return file, nil // it is not a link, or does not exist
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	return "", fmt.Errorf("%s: too many symbolic links", file)
}

// mark is the byte order mark of UTF-8, with which a text may begin.
var mark = []byte("\xef\xbb\xbf")

func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, mark) }

// edit computes the text of a host's file with lspi's entry.
func (p Place) edit(c *Change, h *Host, rights Rights) error {
	text := withoutMark(c.before)
	tree, err := h.form.decode(text)
	if err != nil {
		return err
	}
	readOnly := rights == ReadOnly || rights == DefaultRights && h.readOnly
	c.entry = h.entry(p.launch(h, readOnly), c.Scope)
	there := h.form.find(tree, h.path)
	var after []byte
	if there == nil {
		if after, err = h.form.add(text, h.path, c.entry); err == nil {
			c.added = inserted(h, tree, text, after)
		}
	} else {
		after, err = p.mend(c, h, text, there, rights)
	}
	if err != nil {
		return err
	}
	if list, ok := h.form.(yamlList); ok && len(tree) == 0 {
		tree, _ = decodeYAML([]byte(list.begin)) // what a new file needs
	}
	if err := onlyOurs(h, tree, after, c.entry); err != nil {
		return err
	}
	c.set(after)
	return nil
}

// set sets the text after the change and its diff.
func (c *Change) set(after []byte) {
	if bytes.HasPrefix(c.before, mark) {
		after = append(slices.Clone(mark), after...)
	}
	c.after = after
	if !bytes.Equal(c.before, c.after) || !c.existed {
		from := c.File
		if !c.existed {
			from = os.DevNull
		}
		c.Diff = udiff.Unified(from, c.File, string(c.before), string(c.after))
	}
}

// inserted returns what add has inserted into a text: the outermost new key of JSON, else the part that differs.
func inserted(h *Host, tree map[string]any, before, after []byte) string {
	if _, ok := h.form.(jsonObject); ok {
		for _, key := range h.path {
			if _, there := tree[key]; !there {
				return key
			}
			tree = mapOf(tree[key])
		}
		return name
	}
	n, m := 0, 0
	for n < len(before) && before[n] == after[n] {
		n++
	}
	for m < len(before)-n && before[len(before)-1-m] == after[len(after)-1-m] {
		m++
	}
	return string(after[n : len(after)-m])
}

// mend changes an existing entry only where it does not start lspi, or where other rights were asked for; everything
// else in it belongs to the user.
func (p Place) mend(c *Change, h *Host, text []byte, there map[string]any, rights Rights) ([]byte, error) {
	has := entryOf(there)
	if has.StartsOther() {
		return nil, fmt.Errorf(
			"the entry lspi is there and starts %q, which is a package of another project; on npm lspi is %s: write that in its place, or remove the entry, then run lspi setup again",
			has.Line(), npmPackage)
	}
	if !has.Starts() {
		return nil, fmt.Errorf("the entry lspi is there and starts %q; remove or rename it, then run lspi setup again",
			has.Line())
	}
	if has.Off {
		c.Notes = append(c.Notes, "The entry is switched off, and stays so.")
	}
	if rights == DefaultRights && h.readOnly && slices.Equal(withRights(has.Args, []string{"mcp"}), has.Args) {
		c.Notes = append(c.Notes,
			fmt.Sprintf(
				"The entry gives %s all tools, those that change files too, and stays so; lspi setup %s --read-only takes them out.", h.Title, h.Name))
	}
	want := launch{has.Command, slices.Clone(has.Args)}
	if base := strings.TrimSuffix(filepath.Base(has.Command), ".exe"); base == name && !p.finds(h, has.Command) {
		want.command = p.ProgramFor(h)
	}
	if rights != DefaultRights {
		want.args = withRights(has.Args, p.launch(h, rights == ReadOnly).args)
	}
	// The entry as it is now, with the wanted command line.
	c.entry = h.entry(want, c.Scope)
	var fields entryFields
	for _, f := range c.entry {
		isLaunch := f.key == "command" || f.key == "cmd" || f.key == "args"
		if isLaunch && !reflect.DeepEqual(plain(f.value), plainTree(there[f.key])) {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return text, nil
	}
	return h.form.change(text, h.path, fields)
}

// finds reports whether a host finds the program of an entry.
func (p Place) finds(h *Host, command string) bool {
	if filepath.IsAbs(command) {
		return exists(command)
	}
	return h.desktop || p.lookPath(command) != "" // the PATH of a desktop is not known
}

// withRights returns the arguments has with the flags for rights that want has. Other arguments of the user stay.
func withRights(has, want []string) []string {
	var out []string
	for i := 0; i < len(has); i++ {
		switch word := has[i]; {
		case word == "--context" || word == "--mode":
			i++
		case word == "--read-only" || word == "--read-write" || strings.HasPrefix(word, "--context=") ||
			strings.HasPrefix(word, "--mode="):
		default:
			out = append(out, word)
		}
	}
	at := slices.Index(out, "mcp") + 1
	return slices.Insert(out, at, want[1:]...)
}

// onlyOurs returns an error unless the text differs from the one before only in the entry of lspi, and that entry has
// the command line of e.
func onlyOurs(h *Host, before map[string]any, after []byte, e entryFields) error {
	tree, err := h.form.decode(after)
	if err != nil {
		// err speaks of positions in a text that the user never sees.
		return fmt.Errorf("the entry does not fit in there; add it by hand:\n%s", h.form.show(h.path, e))
	}
	there := h.form.find(tree, h.path)
	if there == nil {
		return fmt.Errorf("the entry does not fit in there; add it by hand:\n%s", h.form.show(h.path, e))
	}
	l, has := e.launch(), entryOf(there)
	if l.command != has.Command || !slices.Equal(l.args, has.Args) || !reflect.DeepEqual(withoutEntry(h, before),
		withoutEntry(h, tree)) {
		return fmt.Errorf("the entry cannot be put in without changing more; add it by hand:\n%s",
			h.form.show(h.path, e))
	}
	return nil
}

// withoutEntry returns a tree without the entry of lspi, and without what has become empty by that.
func withoutEntry(h *Host, tree map[string]any) any {
	out := mapOf(plainTree(tree))
	strip(out, h.path)
	return out
}

// strip removes the entry from what path leads to, and holders that have become empty.
func strip(tree map[string]any, path []string) {
	if len(path) == 0 {
		delete(tree, name)
		return
	}
	switch holder := tree[path[0]].(type) {
	case map[string]any:
		strip(holder, path[1:])
		if len(holder) == 0 {
			delete(tree, path[0])
		}
	case []any:
		left := slices.DeleteFunc(holder, func(one any) bool { return mapOf(one)["name"] == name })
		tree[path[0]] = left
		if len(left) == 0 {
			delete(tree, path[0])
		}
	case nil:
		delete(tree, path[0])
	}
}

// plainTree returns a copy in which lists have one Go type, whatever the decoder made of them.
func plainTree(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for key, one := range out {
			out[key] = plainTree(one)
		}
		return out
	case []map[string]any:
		var out []any
		for _, one := range v {
			out = append(out, plainTree(one))
		}
		return out
	case []any:
		out := []any{}
		for _, one := range v {
			out = append(out, plainTree(one))
		}
		return out
	}
	return v
}

// plain returns the value of a field with the types that plainTree has.
func plain(v any) any {
	if list, ok := v.([]string); ok {
		out := []any{}
		for _, s := range list {
			out = append(out, s)
		}
		return out
	}
	return v
}

// undoDiff returns the unified diff of an undo.
func undoDiff(c *Change) string {
	to := c.File
	if c.after == nil {
		to = os.DevNull
	}
	return udiff.Unified(c.File, to, string(c.before), string(c.after))
}

// Title returns what a change is about: the host, its hooks, or the name of the file.
func (c *Change) Title() string {
	switch {
	case c.hooks:
		return c.Host.Title + " hooks"
	case c.Host != nil:
		return c.Host.Title
	}
	return filepath.Base(c.File)
}

// IsEntry reports whether the change is of a host's configuration.
func (c *Change) IsEntry() bool { return c.kind == kindEntry }

// IsHooks reports whether the change is of a host's hooks.
func (c *Change) IsHooks() bool { return c.hooks }

// NewLines returns how many lines a new file of lspi's own has that need not be shown; 0 for any other change.
func (c *Change) NewLines() int {
	if c.kind != kindFile || c.existed || c.hooks {
		return 0
	}
	return bytes.Count(c.after, []byte("\n"))
}
