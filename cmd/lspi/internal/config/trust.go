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

// TrustStore remembers which workspace files the user trusts, outside of every workspace: one small file per entry, so
// that two commands at once do not lose each other's entry. An entry is the real path of the file with the SHA-256 of its
// content: when either changes, it counts no more. Programs that a trusted file names are not part of the hash.
type TrustStore struct {
	dir string // "" when there is no place for it; nothing is trusted then
}

// Trusted is one entry.
type Trusted struct {
	Path   string    `json:"path"` // real path
	SHA256 string    `json:"sha256"`
	When   time.Time `json:"trusted_at"`
}

// OpenTrust is the user's store, in the folder trust of [StateDir]. It is made when the first file is trusted. getenv nil
// and home "" mean those of the process.
func OpenTrust(getenv func(string) string, home string) TrustStore {
	dir := StateDir(getenv, home)
	if dir == "" {
		return TrustStore{}
	}
	return TrustStore{dir: filepath.Join(dir, "trust")}
}

// Dir is where the entries are.
func (t TrustStore) Dir() string { return t.dir }

// Trust remembers the file as it is now. Only regular files of a configuration's size can be trusted.
func (t TrustStore) Trust(path string) (Trusted, error) {
	if t.dir == "" {
		return Trusted{}, errors.New("trusting a file: there is no home folder to remember it in")
	}
	real, err := realPath(path)
	if err != nil {
		return Trusted{}, fmt.Errorf("trusting %s: %w", path, err)
	}
	content, err := readFile(real)
	if err != nil {
		return Trusted{}, fmt.Errorf("trusting %s: %w", path, err)
	}
	sum := sha256.Sum256(content)
	entry := Trusted{Path: real, SHA256: hex.EncodeToString(sum[:]), When: time.Now().UTC().Truncate(time.Second)}
	if err := t.write(entry); err != nil {
		return Trusted{}, fmt.Errorf("trusting %s: %w", path, err)
	}
	return entry, nil
}

// Untrust forgets the file and reports whether it was trusted. The file itself may be gone.
func (t TrustStore) Untrust(path string) (bool, error) {
	if t.dir == "" {
		return false, nil
	}
	real, err := realPath(path)
	if err != nil {
		if real, err = filepath.Abs(path); err != nil {
			return false, fmt.Errorf("forgetting %s: %w", path, err)
		}
	}
	err = os.Remove(t.entryFile(real))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("forgetting %s: %w", path, err)
	}
	return true, nil
}

// List returns the entries by path. Entries that cannot be read are left out and named in the error.
func (t TrustStore) List() ([]Trusted, error) {
	if t.dir == "" {
		return nil, nil
	}
	names, err := filepath.Glob(filepath.Join(t.dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("listing trusted files: %w", err)
	}
	var out []Trusted
	var errs []error
	for _, name := range names {
		entry, err := t.readEntry(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, entry)
	}
	slices.SortFunc(out, func(a, b Trusted) int { return strings.Compare(a.Path, b.Path) })
	return out, errors.Join(errs...)
}

// lookup finds the entry for a real path; ok is false when there is none.
func (t TrustStore) lookup(real string) (entry Trusted, ok bool, err error) {
	if t.dir == "" {
		return Trusted{}, false, nil
	}
	entry, err = t.readEntry(t.entryFile(real))
	if errors.Is(err, fs.ErrNotExist) {
		return Trusted{}, false, nil
	}
	if err != nil {
		return Trusted{}, false, err
	}
	return entry, entry.Path == real, nil
}

func (t TrustStore) entryFile(real string) string {
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(t.dir, hex.EncodeToString(sum[:])+".json")
}

// readEntry refuses what somebody else could have written.
func (t TrustStore) readEntry(name string) (Trusted, error) {
	if _, err := os.Stat(name); err != nil {
		return Trusted{}, err
	}
	for _, path := range []string{t.dir, name} {
		if err := onlyUserWrites(path); err != nil {
			return Trusted{}, err
		}
	}
	content, err := readFile(name)
	if err != nil {
		return Trusted{}, fmt.Errorf("%s: %w", name, err)
	}
	var entry Trusted
	if err := json.Unmarshal(content, &entry); err != nil {
		return Trusted{}, fmt.Errorf("%s: %w", name, err)
	}
	return entry, nil
}

// write puts the entry in place in one step.
func (t TrustStore) write(entry Trusted) error {
	content, err := json.MarshalIndent(entry, "", "  ")
	if err != nil {
		return err
	}
	return writeEntry(t.dir, t.entryFile(entry.Path), content)
}

func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the file does not exist")
	}
	if err != nil {
		return "", reason(err)
	}
	return filepath.Abs(real)
}

// TrustCommand is the command that trusts a file, to be pasted into a shell.
func TrustCommand(path string) string { return "lspi trust " + shellWord(path) }

// shellWord quotes a word for a POSIX shell when it needs it.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
