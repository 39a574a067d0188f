package router

import (
	"fmt"
	"os"
	"strings"
)

// MachineMemory returns the memory of the machine in bytes, or the limit of this process's control group where that
// is smaller; 0 when neither is known (proc_meminfo(5), Linux cgroup v2).
func MachineMemory() uint64 {
	var memory uint64
	if raw, err := os.ReadFile("/proc/meminfo"); err == nil {
		if _, rest, ok := strings.Cut(string(raw), "MemTotal:"); ok {
			var kb uint64
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				memory = kb << 10
			}
		}
	}
	if raw, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		var group uint64
		if _, err := fmt.Sscan(string(raw), &group); err == nil && group > 0 && (memory == 0 || group < memory) {
			memory = group // "max" does not scan
		}
	}
	return memory
}
