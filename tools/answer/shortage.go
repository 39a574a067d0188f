package answer

import (
	"lspi/contract"
	"lspi/lsp/process"
)

// shortageAdvice says what a person can do when the machine, or a limit on lspi's process, has run out
// of something.
var shortageAdvice = map[string]string{
	process.ShortageOpenFiles: "lspi has as many files open as its process may have. Raise that limit where the host is started " +
		"(ulimit -n 65536 in its shell, LimitNOFILE= of its service) and restart the host.",
	process.ShortageSystemFiles: "The system has as many files open as it may have. End programs that hold many, or raise fs.file-max (sysctl).",
	process.ShortageMemory: "The machine, or the container that lspi runs in, has no more memory. End other programs, stop language servers that are " +
		"not needed, or raise the container's limit.",
	process.ShortageProcesses: "The user, or the container that lspi runs in, has as many processes and threads as it may have. End some, or raise " +
		"the limit (ulimit -u, pids.max).",
}

// shortageSteps returns the steps of an error that was caused by such a shortage; nil for any other
// error. They replace the steps of the error's kind, which would lead elsewhere: "not installed" is
// wrong about a server that could not be started for want of file descriptors.
func shortageSteps(c *Call, e *contract.Error) []contract.NextStep {
	advice := shortageAdvice[process.Shortage(e)]
	if advice == "" {
		return nil
	}
	steps := []contract.NextStep{{Kind: contract.StepDoc, Message: advice}}
	if c.Tool != nil {
		steps = append(steps, c.Repeat("Repeat the call when that is done.", nil))
	}
	return append(steps, StatusStep("See which servers run, and what memory they use."))
}
