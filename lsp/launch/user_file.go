package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"lspi/lsp/spec"
	"lspi/source"
)

// maxUserFile bounds the user's own file, in bytes.
const maxUserFile = 1 << 20

// placeUserFile writes the copy, and is env that names it. Where no environment variable names the file it is not placed.
func placeUserFile(f *spec.UserFile, cache string, env []string) ([]string, error) {
	if f == nil || cache == "" || runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return env, nil
	}
	own := Variable(env, f.Variable)
	if !filepath.IsAbs(own) {
		own = filepath.Join(Variable(env, "HOME"), f.Home)
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
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			return nil, err
		}
		if err := os.Rename(path+".new", path); err != nil {
			return nil, err
		}
	}
	out := slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, f.Variable+"=") })
	return append(out, f.Variable+"="+folder), nil
}

// userFiles is the folder of the copies of a server; "" when there is no cache.
func userFiles(cache string, s *spec.Spec) string {
	if cache == "" {
		return ""
	}
	return filepath.Join(cache, s.ID+"-user")
}
