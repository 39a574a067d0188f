// Package survey walks a workspace once and tells what is in it: which kinds of files, with the servers for them ([Workspace]),
// and which code of the project these servers would run if the workspace were trusted ([ProjectCode]). It starts no server.
package survey
