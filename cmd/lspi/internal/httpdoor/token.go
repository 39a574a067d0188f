package httpdoor

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// tokenBytes is the number of random bytes in a token.
const tokenBytes = 32

// Token returns the token in a file and creates the file when there is none. A file that others may read or write, or a
// link, is an error: somebody else may know the token, or replace it.
func Token(path string) (string, error) {
	token, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := makeToken(path); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have been faster
		return "", fmt.Errorf("making the token: %w", err)
	}
	return readToken(path)
}

// RenewToken replaces the token in a file; the old one is refused from then on.
func RenewToken(path string) (string, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("taking the old token away: %w", err)
	}
	return Token(path)
}

// readToken reads a token and checks its file first; see [Token]. fs.ErrNotExist when there is no file.
func readToken(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the token: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("reading the token: %s is not a regular file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // on Windows the user's folder protects it
		return "", fmt.Errorf("reading the token: others may read %s (chmod 600, or lspi daemon token --new)", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if decoded, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(decoded) < tokenBytes {
		// The content is not part of the error, because it might be a secret.
		return "", fmt.Errorf("reading the token: %s holds none (lspi daemon token --new)", path)
	}
	return token, nil
}

// makeToken writes the token under another name and links the file to path: nobody can read half a token, and of two
// processes one gets fs.ErrExist.
func makeToken(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".token-") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never fails
	_, err = f.WriteString(base64.RawURLEncoding.EncodeToString(random) + "\n")
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}

// sameToken compares two tokens in a time that depends neither on their content nor on their lengths.
func sameToken(given, wanted string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(wanted))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
