// Package process runs one language server as a process with a group of its own, so that launchers and their
// children end together, and with lspi itself: by the parent-death signal on Linux, a job object on Windows,
// elsewhere by the end of stdin.
package process
