// Package trust decides whether code of a workspace may run, remembers what the user trusts, and finds the folders
// that a session is about.
//
// The user trusts two kinds of things with `lspi trust`: a configuration file, as its content is at that time, and a
// workspace, whose code (build scripts, macros, plugins) may run then. Both are entries of the [Store], outside of
// every workspace. [Decide] judges a workspace by these entries, by its repository, and by what the user trusted in
// other hosts.
//
// A store, or a host's record, does not count when somebody else could have written it, or when it lies inside the
// workspace, where the repository itself could bring it.
//
// The folders of a session are the workspace ([FindWorkspace]), the repository that holds a folder
// ([RepositoryOf]), and the user's own folders for configuration, state and caches ([User]); nothing is run to find
// them. Every path of these is absolute. Paths of folders that exist have their symbolic links resolved, so that
// two names of one folder compare equal and a link cannot lead out of a folder unnoticed.
package trust
