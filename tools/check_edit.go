package tools

import (
	"lspi/answer"

	"lspi/checkedit"
)

var checkEdit = define("check_edit", answer.DryRun, checkedit.Run)
