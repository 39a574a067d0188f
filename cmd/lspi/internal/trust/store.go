package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"lspi/contract"
	"lspi/internal/source"
)

// Store remembers what the user trusts, outside of every workspace. It is a value; each method reads or writes the
// files themselves, so that commands that run at once see each other's entries.
type Store struct {
	dir  string // "" when there is no place for it; nothing is trusted then
	user User
}

// Open is the user's store, in the folder trust of [User.StateDir]. The folder is created with the first entry.
func Open(user User) Store {
	dir := user.StateDir()
	if dir != "" {
		dir = filepath.Join(dir, "trust")
	}
	return Store{dir, user}
}

// Dir is where the entries are.
func (s Store) Dir() string { return s.dir }

// Folders are those of the entries, whose change may change what is trusted.
func (s Store) Folders() []string {
	if s.dir == "" {
		return nil
	}
	return []string{s.dir, s.workspaces().dir}
}

// InsideOf is the store's folder when it lies inside the workspace, else "". A store there counts only when the
// whole home folder lies inside the workspace too.
func (s Store) InsideOf(workspace string) string {
	dir, err := filepath.EvalSymlinks(s.dir)
	if err != nil || !source.Within(workspace, dir) {
		return ""
	}
	if home, err := filepath.EvalSymlinks(s.user.HomeDir()); err == nil && source.Within(workspace, home) {
		return ""
	}
	return dir
}

// File is a trusted configuration file: its real path and its content. When either changes, the entry counts no more.
// Programs that the file names are not part of the hash.
type File struct {
	Path   string    `json:"path"` // symbolic links resolved
	SHA256 string    `json:"sha256"`
	When   time.Time `json:"trusted_at"`
}

func (f File) path() string { return f.Path }

func (s Store) files() entries[File] { return entries[File]{s.dir} }

// MaxFile bounds a configuration file, in bytes: the file of a workspace is read before anybody has looked at it.
const MaxFile = 128 << 10

// TrustFile remembers a configuration file as it is now. It has to be a regular file of at most [MaxFile] bytes.
func (s Store) TrustFile(path string) (File, error) {
	if s.dir == "" {
		return File{}, errors.New("trusting a file: there is no home folder to remember it in")
	}
	entry, err := describeFile(path)
	if err == nil {
		err = s.files().write(entry)
	}
	if err != nil {
		return File{}, fmt.Errorf("trusting %s: %w", path, err)
	}
	return entry, nil
}

func describeFile(path string) (File, error) {
	real, err := filepath.Abs(path)
	if err != nil {
		return File{}, err
	}
	if resolved, err := filepath.EvalSymlinks(real); err == nil {
		real = resolved // else reading it says what is wrong
	}
	content, err := ReadFile(real, MaxFile)
	return File{Path: real, SHA256: Sum(content), When: now()}, err
}

// Sum is the SHA-256 of a file's content, as entries have it.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Untrust forgets a file or a workspace and reports whether either was trusted. It may be gone from the disk.
func (s Store) Untrust(path string) (bool, error) {
	if s.dir == "" {
		return false, nil
	}
	real, err := filepath.Abs(path)
	if resolved, gone := filepath.EvalSymlinks(real); gone == nil {
		real = resolved
	}
	var file, workspace bool
	if err == nil {
		file, err = s.files().remove(real)
	}
	if err == nil {
		workspace, err = s.workspaces().remove(real)
	}
	if err != nil {
		return false, fmt.Errorf("forgetting %s: %w", path, err)
	}
	return file || workspace, nil
}

// Files are the trusted configuration files, by path. The error names the entries that could not be read; the
// others are returned all the same.
func (s Store) Files() ([]File, error) { return s.files().list() }

// File finds the entry of a configuration file by its real path.
func (s Store) File(real string) (entry File, found bool, err error) {
	if s.dir == "" {
		return File{}, false, nil
	}
	entry, err = s.files().read(real)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, false, nil
	}
	return entry, err == nil && entry.Path == real, err
}

// TrustedWorkspace is a folder whose code may run.
type TrustedWorkspace struct {
	Path string `json:"path"` // symbolic links resolved
	// host/path of the remote "origin" at that time; other clones of it are trusted too
	Origin string `json:"origin,omitempty"`
	// every folder below it that belongs to the user is trusted, not its own code alone
	Below bool      `json:"below,omitempty"`
	When  time.Time `json:"trusted_at"`
}

func (w TrustedWorkspace) path() string { return w.Path }

func (s Store) workspaces() entries[TrustedWorkspace] {
	if s.dir == "" {
		return entries[TrustedWorkspace]{}
	}
	return entries[TrustedWorkspace]{filepath.Join(s.dir, "workspaces")}
}

// DescribeWorkspace is the entry that TrustWorkspace takes, so that the user can be shown what it covers first.
func DescribeWorkspace(path string, below bool) (TrustedWorkspace, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = Real(abs)
	}
	if err != nil {
		return TrustedWorkspace{}, fmt.Errorf("trusting %s: %w", path, err)
	}
	w := TrustedWorkspace{Path: abs, Below: below, When: now()}
	if !below {
		w.Origin = RepositoryOf(abs, "").Origin
	}
	return w, nil
}

// TrustWorkspace remembers that code of a folder may run.
func (s Store) TrustWorkspace(w TrustedWorkspace) error {
	if s.dir == "" {
		return errors.New("trusting a workspace: there is no home folder to remember it in")
	}
	if w.Below && w.Path == filepath.Dir(w.Path) {
		return errors.New("trusting a workspace: the whole file system is not trusted")
	}
	err := s.workspaces().write(w)
	if err == nil {
		err = OnlyUserWrites(s.workspaces().dir)
	}
	if err != nil {
		return fmt.Errorf("trusting %s: %w", w.Path, err)
	}
	return nil
}

// Workspaces are the trusted folders, by path; see [Store.Files] for the error.
func (s Store) Workspaces() ([]TrustedWorkspace, error) { return s.workspaces().list() }

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Command is the command that trusts a file, to be pasted into a shell.
func Command(path string) string { return "lspi trust " + contract.ShellWord(path) }
