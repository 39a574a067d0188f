package tools

import (
	"lspi/tools/answer"
	"lspi/tools/requests"
)

// The tools that look up what the user asked.
var (
	getFirstRequest = define("get_first_request", answer.Recall, requests.First)
	getRequest      = saying(map[string]string{"index": "Index parameter is required"},
		define("get_request", answer.Recall, requests.Numbered))
	listSessions = define("list_sessions", answer.Recall, requests.Sessions)
)
