//go:build !unix

package lsptest

import "io"

func killSelf(string) error { return errUnsupported }

func ignoreTerm() {}

func spawnChild(Child, io.Writer) (int, error) { return 0, errUnsupported }
