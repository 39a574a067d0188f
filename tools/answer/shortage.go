package answer

import (
	"lspi/contract"
	"lspi/lsp/process"
)

// shortageAdvice is what to do for want of what the machine has, or of what it allows lspi.
var shortageAdvice = map[string]string{
	process.ShortageOpenFiles: "lspi has as many files open as its process may have. Raise that limit where the host is started " +
		"(ulimit -n 65536 in its shell, LimitNOFILE= of its service) and restart the host.",
	process.ShortageSystemFiles: "The system has as many files open as it may have. End programs that hold many, or raise fs.file-max (sysctl).",
	process.ShortageMemory: "The machine, or the container that lspi runs in, has no more memory. End other programs, stop language servers that are " +
		"not needed, or raise the container's limit.",
	process.ShortageProcesses: "The user, or the container that lspi runs in, has as many processes and threads as it may have. End some, or raise " +
		"the limit (ulimit -u, pids.max).",
}

// shortageSteps are the steps of an error for want of something; nil for any other. What else is said of such
// errors would lead elsewhere: the server is installed and the file is readable.
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
