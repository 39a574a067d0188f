package tools

import (
	"lspi/tools/answer"

	"lspi/checkedit"
)

var checkEdit = diagnosing(define("check_edit", answer.DryRun, checkedit.Run))
