// Package git reads what changed in a repository from git, for change_impact. git runs nothing that the repository
// names, takes no lock and fetches nothing ([Read]); what its answer leads to is asked of the language servers by
// package tools.
package git
