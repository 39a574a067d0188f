//go:build unix

package watch

import "syscall"

func mkfifo(b *bench, path string) { b.Helper(); b.must(syscall.Mkfifo(path, 0o600)) }
