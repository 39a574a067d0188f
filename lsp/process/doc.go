// Package process runs one language server as a process in a group of its own. The whole group ends together,
// launchers and their children too, and it ends with lspi itself: by the parent-death signal on Linux, a job object
// on Windows, elsewhere by the end of stdin.
//
// [Spawn] starts a process. It lives until Stop, Kill or its own end; then what is left of its group is killed, Done
// is closed, and Exit and the end of stderr ([Ring]) say why.
package process
