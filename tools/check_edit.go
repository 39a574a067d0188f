package tools

import (
	"lspi/tools/answer"

	"lspi/tools/edits"
)

// checkEdit is in package edits, because what it does is part of what every tool that changes files
// does.
var checkEdit = diagnosing(define("check_edit", answer.DryRun, edits.Run))
