package source

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

func TestReadRegularIsBounded(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	testkit.Must(t, os.WriteFile(large, make([]byte, 11), 0o644))
	if _, err := ReadRegular(large, 10); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if raw, err := ReadRegular(large, 11); err != nil || len(raw) != 11 {
		t.Error(len(raw), err)
	}
}
