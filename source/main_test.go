package source

import (
	"errors"
	"testing"

	"lspi/contract"
)

// everywhere lets every file be read, for tests of how it is.
var everywhere = NewReach("/")

func kindOf(err error) contract.Kind {
	var e *contract.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func facts(t testing.TB, err error) contract.Facts {
	t.Helper()
	var e *contract.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no error of the contract", err)
	}
	return e.Facts
}
