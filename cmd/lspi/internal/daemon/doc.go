// Package daemon lets all hosts of a user talk to one process of lspi, so that they have one warm set of language
// servers.
//
// The shared process listens on a Unix socket in a folder that only the user can enter ([Folder]). Its file is
// named after a digest of what decides who may share it ([Identity]): the build, the user's folders, and what
// confines the process (namespaces, seccomp ...), so that a newer lspi starts its own, and a host in a sandbox
// never gets a process outside of it to work for it. A lock file beside the socket belongs to the process that
// listens ([Listen]).
//
// What a host starts connects to it ([Connect]), or starts it when there is none: one of those that come at the
// same instant does, the others wait for it. Each connection begins with one line of JSON from either side, [Hello]
// and [Welcome]. MCP messages follow as on stdio, unchanged.
//
// [Relay] is the host's own process, which passes the messages on. When the shared process ends, the relay goes on
// with the next one: it shakes hands again, sets what the host had set, asks what was only read once more, and
// answers calls that change files by what the journal of edits says. What else the next process has to know of a
// session, the ended one had the relay keep ([Conn.Keep]).
package daemon
