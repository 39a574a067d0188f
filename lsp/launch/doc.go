// Package launch prepares the process of a language server: which executable runs ([FindCommands]), which variables
// of lspi's environment it gets ([Environment]), and with which settings and initialization options ([Prepare]). In
// a workspace that is not trusted it keeps the server from running what is in the workspace, or refuses the start.
// What servers write besides the project is in folders of lspi's own cache ([CacheFolder]). [Dependencies] finds
// the folders of sources that a running process answers about besides the project.
//
// The package knows no protocol: package process starts the process, and package lsp talks to it.
package launch
