package tools

var checkEdit = define("check_edit", Trial, checkEdits)
