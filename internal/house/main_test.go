package main

import (
	"os"
	"testing"
)

// The tests look at the whole tree, from its root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	m.Run()
}
