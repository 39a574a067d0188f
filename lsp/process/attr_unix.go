//go:build unix && !linux

package process

import "syscall"

// groupAttr puts the process in a group of its own. These systems have no parent-death signal: a server notices the
// end of lspi by its closed stdin, and by processId of initialize (LSP 3.17).
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
