package process

import "syscall"

func writeNow(syscall.RawConn, []byte) bool { return false }
