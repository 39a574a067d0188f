package main

import "golang.org/x/sys/unix"

// dup makes file descriptor to a copy of from. It uses dup3 because arm64 and later ports of Linux have no dup2.
func dup(from, to int) error { return unix.Dup3(from, to, 0) }
