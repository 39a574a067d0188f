package main

import (
	"os"
	"testing"

	"lspi/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }
