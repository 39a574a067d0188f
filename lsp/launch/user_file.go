package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// maxUserFile bounds the user's own file, in bytes.
const maxUserFile = 1 << 20

// placeUserFile writes a copy of the user's file with lspi's text added, and returns env with a variable that names
// the copy's folder. On systems where no variable names the file (Windows, macOS) it returns env as it is.
func placeUserFile(f *spec.UserFile, cache string, env []string) ([]string, error) {
	if f == nil || cache == "" || runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return env, nil
	}
	own := spec.Variable(env, f.Variable)
	if !filepath.IsAbs(own) {
		own = filepath.Join(spec.Variable(env, "HOME"), f.Home)
	}
	text := f.Text
	given, err := source.ReadRegular(filepath.Join(own, filepath.FromSlash(f.Path)), maxUserFile)
	switch {
	case err == nil:
		text = string(given) + f.Between + text
	case !os.IsNotExist(err):
		return nil, fmt.Errorf("reading the user's %s: %w", f.Path, err)
	}
	folder, err := CacheFolder(cache, own)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, filepath.FromSlash(f.Path))
	if have, err := source.ReadRegular(path, 2*maxUserFile); err != nil || string(have) != text {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := replaceFile(path, text); err != nil {
			return nil, err
		}
	}
	out := slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, f.Variable+"=") })
	return append(out, f.Variable+"="+folder), nil
}

// replaceFile writes a file that other processes may write and read at the same time; each sees one text as a whole.
func replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// userFile returns the file that a process gets as a copy, and the folder of copies; nil when it gets none. Processes
// with different texts have different folders, since they may run at the same time.
func userFile(t Target) (f *spec.UserFile, folder string) {
	s := t.Spec
	if s.Code == nil || s.Code.Restrict.User == nil || t.Cache == "" {
		return nil, ""
	}
	given := s.Code.Restrict.User
	var texts []string
	folder = s.ID
	if len(s.Untrusted) > 0 {
		texts, folder = append(texts, given.Text), folder+"-user"
	}
	if trial := s.Diagnostics.Overlay; t.Separate && trial != nil && trial.User != "" {
		texts, folder = append(texts, trial.User), folder+"-trial"
	}
	if len(texts) == 0 {
		return nil, ""
	}
	copied := *given
	copied.Text = strings.Join(texts, given.Between)
	return &copied, filepath.Join(t.Cache, folder)
}
