package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// TrustedWorkspace is a folder whose code may run.
type TrustedWorkspace struct {
	Path   string    `json:"path"`             // real path
	Origin string    `json:"origin,omitempty"` // host/path of the remote origin at that time; other clones of it are trusted too
	Below  bool      `json:"below,omitempty"`  // what is below it and belongs to the user, and not its own code alone
	When   time.Time `json:"trusted_at"`
}

// DescribeWorkspace is the entry that TrustWorkspace would make for a folder.
func DescribeWorkspace(path string, below bool) (TrustedWorkspace, error) {
	real, err := absoluteFolder(path)
	if err != nil {
		return TrustedWorkspace{}, fmt.Errorf("trusting %s: %w", path, err)
	}
	e := TrustedWorkspace{Path: real, Below: below, When: time.Now().UTC().Truncate(time.Second)}
	if !below {
		e.Origin = repositoryOf(real, "").origin
	}
	return e, nil
}

func absoluteFolder(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return realFolder(abs)
}

// TrustWorkspace remembers that code of a folder may run; see [DescribeWorkspace].
func (t TrustStore) TrustWorkspace(e TrustedWorkspace) error {
	if t.dir == "" {
		return errors.New("trusting a workspace: there is no home folder to remember it in")
	}
	if e.Below && e.Path == filepath.Dir(e.Path) {
		return errors.New("trusting a workspace: the whole file system is not trusted")
	}
	content, err := json.MarshalIndent(e, "", "  ")
	if err == nil {
		err = writeEntry(t.workspacesDir(), t.workspaceFile(e.Path), content)
	}
	if err == nil {
		err = onlyUserWrites(t.workspacesDir())
	}
	if err != nil {
		return fmt.Errorf("trusting %s: %w", e.Path, err)
	}
	return nil
}

// UntrustWorkspace forgets a folder and reports whether it was trusted. It may be gone.
func (t TrustStore) UntrustWorkspace(path string) (bool, error) {
	if t.dir == "" {
		return false, nil
	}
	real, err := absoluteFolder(path)
	if err != nil {
		if real, err = filepath.Abs(path); err != nil {
			return false, fmt.Errorf("forgetting %s: %w", path, err)
		}
	}
	switch err := os.Remove(t.workspaceFile(real)); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("forgetting %s: %w", path, err)
	}
	return true, nil
}

// Workspaces are the folders that are trusted, by path. None counts when somebody else could have written it; the error
// says so.
func (t TrustStore) Workspaces() ([]TrustedWorkspace, error) {
	if t.dir == "" {
		return nil, nil
	}
	dir := t.workspacesDir()
	names, err := filepath.Glob(filepath.Join(globEscape(dir), "*.json"))
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if err := onlyUserWrites(dir); err != nil {
		return nil, err
	}
	var out []TrustedWorkspace
	var errs []error
	for _, name := range names {
		var e TrustedWorkspace
		err := onlyUserWrites(name)
		if err == nil {
			var content []byte
			if content, err = readFile(name); err == nil {
				err = json.Unmarshal(content, &e)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		if t.workspaceFile(e.Path) == name {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b TrustedWorkspace) int { return strings.Compare(a.Path, b.Path) })
	return out, errors.Join(errs...)
}

func (t TrustStore) workspacesDir() string { return filepath.Join(t.dir, "workspaces") }

func (t TrustStore) workspaceFile(real string) string {
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(t.workspacesDir(), hex.EncodeToString(sum[:])+".json")
}

// globEscape makes a folder's name a glob that matches it alone.
func globEscape(dir string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(dir)
}

// writeEntry puts an entry in place in one step.
func writeEntry(dir, name string, content []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(content, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
