// Package config finds, reads, checks and merges lspi's configuration, and decides what of it is trusted.
//
// The life of a configuration: package folders says which folder the session is about. The files are read from lowest to
// highest precedence: the user's; the workspace's, or instead of it those that LSPI_CONFIG_PATH and --config name. Each
// is decoded and compared with one table of keys (keys.go), which also makes the documentation; what is wrong becomes a
// [Finding] with its place and is taken out. A workspace's file that the user does not trust then loses what could run
// programs, reach outside of the workspace or undo what the user forbade: the table has a rule for each key. The rest is
// merged key by key, the servers by id, laid over their rows of the catalogue, and put in order of preference.
//
// A wrong file never stops lspi from starting, because a host shows a server that does not start as nothing at all. It
// starts, and every tool call answers with [Config.Err], so that the model can tell the user what to repair; until then
// it is read-only. A warning stops nothing.
//
// Package trust remembers which files of workspaces are trusted, by real path and content. Explicit files and the user's own
// are trusted as they are.
//
// Files are decoded into plain tables and not into a struct: the decoder stops at the first wrong type, matches keys
// without case, and its list of unknown keys holds everything below a free table (BurntSushi/toml 1.6.0). It has no
// positions of keys either, so locate finds them in the text.
package config
