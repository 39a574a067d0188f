// Package trust decides whether code of a workspace may run, and remembers what the user trusts.
//
// The user trusts two kinds of things with `lspi trust`: a configuration file, as its content is at that time, and a
// workspace, whose code (build scripts, macros, plugins) may run then. Both are entries of the [Store], outside of every
// workspace. [Decide] judges a workspace by these entries, by its repository, and by what the user trusted in other hosts.
//
// A store, or a host's record, that somebody else could have written does not count, nor one inside of the workspace, which
// would be the repository's own word.
package trust
