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

// Store has what the user trusts. It holds no state: each method reads or writes the files, so that commands that run
// at the same time see each other's entries.
type Store struct {
	dir  string // "" without a state folder; then nothing is trusted
	user User
}

// Open returns the user's store, in the folder trust of [User.StateDir]. The first entry creates the folder.
func Open(user User) Store {
	dir := user.StateDir()
	if dir != "" {
		dir = filepath.Join(dir, "trust")
	}
	return Store{dir, user}
}

// Dir returns the folder of the store; "" when there is none.
func (s Store) Dir() string { return s.dir }

// Folders returns the folders that hold entries, for those who watch for changes.
func (s Store) Folders() []string {
	if s.dir == "" {
		return nil
	}
	return []string{s.dir, s.workspaceEntries().dir}
}

// InsideOf returns the store's folder when it lies inside the workspace, where the repository could have brought it,
// else "". When the whole home folder lies inside the workspace, it returns "" as well.
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

// File is the entry of a trusted configuration file. It counts only for this path and this content. The hash does not
// cover programs that the file names.
type File struct {
	Path   string    `json:"path"` // symbolic links resolved
	SHA256 string    `json:"sha256"`
	When   time.Time `json:"trusted_at"`
}

func (f File) path() string { return f.Path }

func (s Store) fileEntries() entries[File] { return entries[File]{s.dir} }

// MaxFile bounds a configuration file, in bytes: the file of a workspace is read before the user has looked at it.
const MaxFile = 128 << 10

// TrustFile stores an entry for a configuration file as it is now: a regular file of at most [MaxFile] bytes.
func (s Store) TrustFile(path string) (File, error) {
	if s.dir == "" {
		return File{}, errors.New("trusting a file: there is no home folder to remember it in")
	}
	entry, err := describeFile(path)
	if err == nil {
		err = s.fileEntries().write(entry)
	}
	if err != nil {
		return File{}, fmt.Errorf("trusting %s: %w", path, err)
	}
	return entry, nil
}

// describeFile returns the entry for a file as it is now.
func describeFile(path string) (File, error) {
	real, err := filepath.Abs(path)
	if err != nil {
		return File{}, err
	}
	if resolved, err := filepath.EvalSymlinks(real); err == nil {
		real = resolved // otherwise ReadFile reports what is wrong
	}
	content, err := ReadFile(real, MaxFile)
	return File{Path: real, SHA256: Sum(content), When: now()}, err
}

// Sum returns the SHA-256 of a file's content in the form that entries have.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Untrust removes the entries of a file or workspace and reports whether there were any. The path need not exist.
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
		file, err = s.fileEntries().remove(real)
	}
	if err == nil {
		workspace, err = s.workspaceEntries().remove(real)
	}
	if err != nil {
		return false, fmt.Errorf("forgetting %s: %w", path, err)
	}
	return file || workspace, nil
}

// Files returns the trusted configuration files, sorted by path. The error names entries that could not be read; the
// others are returned all the same.
func (s Store) Files() ([]File, error) { return s.fileEntries().list() }

// File returns the entry of a configuration file by its real path; found is false when there is none.
func (s Store) File(real string) (entry File, found bool, err error) {
	if s.dir == "" {
		return File{}, false, nil
	}
	entry, err = s.fileEntries().read(real)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, false, nil
	}
	return entry, err == nil && entry.Path == real, err
}

// TrustedWorkspace is a folder whose code may run.
type TrustedWorkspace struct {
	Path string `json:"path"` // symbolic links resolved
	// Origin is host/path of the remote "origin" at that time; other clones of it are trusted too.
	Origin string `json:"origin,omitempty"`
	// Below: every folder below that belongs to the user is trusted as well.
	Below bool      `json:"below,omitempty"`
	When  time.Time `json:"trusted_at"`
}

func (w TrustedWorkspace) path() string { return w.Path }

func (s Store) workspaceEntries() entries[TrustedWorkspace] {
	if s.dir == "" {
		return entries[TrustedWorkspace]{}
	}
	return entries[TrustedWorkspace]{filepath.Join(s.dir, "workspaces")}
}

// DescribeWorkspace returns the entry for TrustWorkspace, so that the user can see first what it covers.
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

// TrustWorkspace stores that code of a folder may run.
func (s Store) TrustWorkspace(w TrustedWorkspace) error {
	if s.dir == "" {
		return errors.New("trusting a workspace: there is no home folder to remember it in")
	}
	if w.Below && w.Path == filepath.Dir(w.Path) {
		return errors.New("trusting a workspace: the whole file system is not trusted")
	}
	err := s.workspaceEntries().write(w)
	if err == nil {
		err = OnlyUserWrites(s.workspaceEntries().dir)
	}
	if err != nil {
		return fmt.Errorf("trusting %s: %w", w.Path, err)
	}
	return nil
}

// Workspaces returns the trusted folders, sorted by path; see [Store.Files] for the error.
func (s Store) Workspaces() ([]TrustedWorkspace, error) { return s.workspaceEntries().list() }

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Command returns the command line that trusts a file, for a shell.
func Command(path string) string { return "lspi trust " + contract.ShellWord(path) }
