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

// tokenBytes is how much of a token is random.
const tokenBytes = 32

// Token is the token in a file, which is made when it is not there. A file that others may read or write, or that
// is a link, is an error: who else knows the token, or can replace it, is not known.
func Token(path string) (string, error) {
	token, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := makeToken(path); err != nil && !errors.Is(err, fs.ErrExist) { // by another process, a moment ago
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

func readToken(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the token: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("reading the token: %s is not a regular file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // there the folder of the user decides
		return "", fmt.Errorf("reading the token: others may read %s (chmod 600, or lspi daemon token --new)", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if decoded, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(decoded) < tokenBytes {
		// and does not show what it holds
		return "", fmt.Errorf("reading the token: %s holds none (lspi daemon token --new)", path)
	}
	return token, nil
}

// makeToken writes the file under another name and links it, so that nobody reads half of it and of two processes
// one wins.
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

// sameToken compares in a time that tells nothing of either, nor of their lengths.
func sameToken(given, wanted string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(wanted))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
