package clangd

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// isParameter is [lsp.ScopeHooks].IsParameter.
func isParameter(hover string) bool { return strings.HasPrefix(hover, "### param `") }

// isVariable is [lsp.ScopeHooks].IsVariable.
func isVariable(hover string) bool { return strings.HasPrefix(hover, "### variable `") }

// isPrivate is [lsp.ScopeHooks].IsPrivate: what is static or in an unnamed namespace is the source's own; a header is
// part of each source that includes it.
func (a *Process) isPrivate(path, line string, namespaces []string) bool {
	return isSource(path) &&
		(slices.Contains(namespaces, "(anonymous namespace)") || strings.HasPrefix(strings.TrimSpace(line), "static "))
}

// using is a using declaration: clangd lists it among the uses of what it names, but no use through it, also when
// it is asked there; as a symbol it has the kind namespace.
var using = source.LazyRegexp(`^\s*using\s+(?:typename\s+)?[\w:<>, ]*::\s*~?\w+\s*;`)

// befriending is a friend declaration before its name: what finds a function by way of one (argument-dependent lookup)
// clangd's index leaves out of the references, with the declaration itself (22.1.8).
var befriending = source.LazyRegexp(`\bfriend\b[^;{}]*$`)

// befriends is [lsp.ScopeHooks].Befriends. Inside of parentheses the name is a parameter.
func befriends(before string) bool {
	head := befriending.FindString(before)
	return head != "" && strings.Count(head, "(") == strings.Count(head, ")")
}

// bringsName is [lsp.ScopeHooks].BringsName.
func bringsName(line string) bool { return using.MatchString(line) }
