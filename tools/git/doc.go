// Package git reads what changed in a repository, by running git, for change_impact and for diagnostics of what a
// change touches.
//
// Life of a [Diff]: [Read] or [ReadFiles] finds the repository around a folder, asks its configuration for filters and
// overrides them, and runs git diff; [Diff.Before] reads the old text of one file later. Nothing is kept between
// calls, but by who keeps a [Commit]. A repository may be a stranger's, so git runs no program that its configuration
// or attributes name (filters, textconv, hooks, fsmonitor, pagers), takes no lock that a git of the user would wait
// for, fetches nothing, and is never taken from the folder that it looks at. What the change leads to is asked of the
// language servers by package tools.
package git
