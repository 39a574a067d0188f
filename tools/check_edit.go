package tools

import (
	"lspi/tools/answer"

	"lspi/tools/edits"
)

var checkEdit = diagnosing(define("check_edit", answer.DryRun, edits.Run))
