// Package folders finds the folders that a session is about, without running anything: the workspace, the repository
// that holds a folder, and the user's own folders for configuration, state and caches. It also says who owns them.
//
// Every path that it returns is absolute. Paths of folders that exist have their symbolic links resolved, so that two
// names of one folder compare equal and a link cannot lead out of a folder unnoticed.
package folders
