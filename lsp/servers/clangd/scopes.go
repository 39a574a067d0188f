package clangd

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// IsParameter is [lsp.ScopeHooks].IsParameter.
func (*Process) IsParameter(hover string) bool { return strings.HasPrefix(hover, "### param `") }

// IsVariable is [lsp.ScopeHooks].IsVariable.
func (*Process) IsVariable(hover string) bool { return strings.HasPrefix(hover, "### variable `") }

// IsPrivate is [lsp.ScopeHooks].IsPrivate: what is static or in an unnamed namespace is the source's own; a header is
// part of each source that includes it.
func (a *Process) IsPrivate(path, line string, namespaces []string) bool {
	return a.IsSource(path) &&
		(slices.Contains(namespaces, "(anonymous namespace)") || strings.HasPrefix(strings.TrimSpace(line), "static "))
}

// using is a using declaration: clangd lists it among the uses of what it names, but no use through it, also when
// it is asked there; as a symbol it has the kind namespace.
var using = source.LazyRegexp(`^\s*using\s+(?:typename\s+)?[\w:<>, ]*::\s*~?\w+\s*;`)

// BringsName is [lsp.ScopeHooks].BringsName.
func (*Process) BringsName(line string) bool { return using.MatchString(line) }
