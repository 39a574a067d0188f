package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"

	"lspi/cmd/lspi/internal/trust"
)

// errMoved is the error when a file has changed between reading and writing it.
var errMoved = errors.New("the file was changed by another program just now; run lspi setup again")

// Write makes a change: it writes a backup and a record into the state folder, then the file, atomically. A host whose
// own command can make the whole change, and is installed, writes the file itself; then Write checks the result. Write
// returns the path of the backup, "" when there was no file. A change without a Diff writes nothing.
//
// When the file has changed since the plan, Write plans the same change again if that is still possible: another setup
// at the same time, or a host that writes its file, should not make the user start over.
func (p Place) Write(ctx context.Context, c *Change) (backup string, err error) {
	if errors.Is(unchanged(c), errMoved) {
		c.planAgain()
	}
	if c.Diff == "" {
		return "", nil
	}
	if p.Executable != "" && c.entry != nil && filepath.IsAbs(c.entry.launch().command) &&
		temporary(p.Executable) {
		return "", fmt.Errorf("this lspi is in a temporary folder (%s); install it, then run lspi setup again",
			p.Executable)
	}
	if err := unchanged(c); err != nil {
		return "", err
	}
	j := p.journal()
	if backup, err = j.record(c); err != nil {
		return "", err
	}
	if argv := p.ownArgv(c); argv != nil {
		if err := p.runOwn(ctx, c, argv); err == nil {
			return backup, j.settle(c)
		}
		if err := unchanged(c); err != nil { // the command has written something else
			return backup, err
		}
	}
	if err := replaceFile(c.target, c.after, c.mode); err != nil {
		return backup, fmt.Errorf("writing %s: %w", c.File, err)
	}
	return backup, nil
}

// planAgain plans the change for the file as it is now, unless the result would differ from what the user agreed to.
func (c *Change) planAgain() {
	if c.again == nil || c.Diff == "" {
		return
	}
	again, err := c.again()
	if err != nil || again.kind != c.kind || again.Diff != "" && (!reflect.DeepEqual(again.entry, c.entry) ||
		(again.added == "") != (c.added == "")) {
		return
	}
	*c = *again
}

// unchanged returns errMoved unless the file is as it was when the change was planned.
func unchanged(c *Change) error {
	now, err := trust.ReadFile(c.target, maxFile)
	if errors.Is(err, fs.ErrNotExist) && !c.existed {
		return nil
	}
	if err != nil || !c.existed || !bytes.Equal(now, c.before) {
		return fmt.Errorf("%s: %w", c.File, errMoved)
	}
	return nil
}

// temporary reports whether a program was built by go run, which removes it afterwards.
func temporary(path string) bool {
	return filepath.Base(filepath.Dir(path)) == "exe" && bytes.Contains([]byte(path), []byte("go-build"))
}

// ownArgv returns the host's own command for a change; nil when it has none, it is not installed, or the entry exists
// already.
func (p Place) ownArgv(c *Change) []string {
	if c.Host == nil || c.Host.command == nil || c.kind != kindEntry || c.Scope != User || c.added == "" && c.existed {
		return nil
	}
	argv := c.Host.command(c.entry)
	program := p.lookPath(argv[0])
	if program == "" {
		return nil
	}
	return append([]string{program}, argv[1:]...)
}

// OwnCommand returns the host's own command for a change as a person types it; "" when setup edits the file itself.
func (p Place) OwnCommand(c *Change) string {
	argv := p.ownArgv(c)
	if argv == nil {
		return ""
	}
	e := Entry{Command: c.Host.command(c.entry)[0], Args: argv[1:]}
	return e.Line()
}

// runOwn runs the host's own command and checks that it wrote the entry that an edit of the file would have written.
func (p Place) runOwn(ctx context.Context, c *Change, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, ownLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = ownLimit / 10
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", argv[0], err, out)
	}
	now, err := trust.ReadFile(c.target, maxFile)
	if err != nil {
		return err
	}
	tree, err := c.Host.form.decode(withoutMark(now))
	if err != nil {
		return err
	}
	want, there := c.entry.launch(), c.Host.form.find(tree, c.Host.path)
	if there == nil || (&Entry{Command: want.command, Args: want.args}).Line() != entryOf(there).Line() {
		return errors.New("its own command did not write the entry")
	}
	c.after = now
	return nil
}

// replaceFile replaces a file atomically: it writes a temporary file beside it and renames that.
func replaceFile(path string, text []byte, mode fs.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".lspi-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
