//go:build unix && !linux

package process

import "syscall"

// groupAttr puts the process in a group of its own. There is no parent-death signal here: a server learns of the end
// of lspi by its closed stdin and by the process id in initialize.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
