// Package config finds, reads, checks and merges lspi's configuration.
//
// The life of a configuration: package trust finds the workspace of the session. The files are read from lowest to
// highest precedence: the user's; the workspace's, or instead of it those that LSPI_CONFIG_PATH and --config name.
// Each file becomes a layer. The checker compares it with the table of keys (keys.go), which also makes the
// documentation; what is wrong becomes a [Finding] with its place and is taken out. The pathResolver makes paths
// absolute. The restriction takes out of a workspace's file that the user does not trust (package trust) what could
// run programs, reach outside of the workspace or undo what the user forbade; each key's row has a rule for that.
// The rest is merged key by key and server by server, flags on top, and stored in a [Config]. The overlay lays the
// servers over their rows of the catalogue, in order of preference.
//
// A wrong file never stops lspi from starting, because hosts show a server that does not start as nothing at all. It
// starts, and every tool call answers with [Config.Err], so that the model can tell the user what to repair; until then
// lspi is read-only. A workspace's file that the user does not trust stops no call: a repository that one merely
// reads must not be able to take lspi away. Nothing of it is applied, which is a warning, and lspi is read-only
// (strangers.go). A warning stops nothing.
//
// Sessions that run are told when a file that decides about them has changed: configurations, presets, and what the
// user trusts. A process has one [Watcher], whatever the number of its sessions. It watches the folders of the
// files that it is asked for, or the nearest ones above them that exist, and calls back when nothing has happened
// to a file for [Quiet], so that nobody reads one that is half written. What it misses, because a file system has
// no events or there are too many watches, costs time only: each call looks at the files itself ([Stamps]).
package config
