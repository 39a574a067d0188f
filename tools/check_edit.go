package tools

import (
	"lspi/answer"

	"lspi/checkedit"
)

var checkEdit = diagnosing(define("check_edit", answer.DryRun, checkedit.Run))
