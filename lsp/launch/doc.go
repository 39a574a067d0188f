// Package launch decides how the process of a language server is started: which executable runs ([FindCommands]),
// which variables of the session's environment it gets ([Environment]), and with which settings and initialization
// options ([Prepare]). In a workspace that the user does not trust it keeps the server from running what is in the
// workspace, or refuses the start. What servers write beside the project goes to folders of lspi's own cache
// ([CacheFolder]). [Dependencies] finds the folders of sources beside the project that a running process answers
// about.
//
// Package launch knows no protocol: package process starts the process, and package lsp talks to it.
package launch
