package edits

import (
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/symbol"
)

// The variable of a pattern keeps the old name of a field, whether the edit replaces the name in the pattern or puts
// the new one in front of it; a use in the text of a macro is one of the variable.
func TestNamesKeptLocal(t *testing.T) {
	const text = "let Conf { name } = self; format!(\"{name}\"); self.name"
	use := func(column int) symbol.UsePlace {
		return symbol.UsePlace{Path: "/w/a.rs", At: contract.Position{Line: 1, Character: column}}
	}
	for _, r := range []edit.Replacement{{Start: 11, Line: 1, New: "title: "}, {Start: 11, Line: 1, Old: "name",
		New: "title: name"}} {
		p := &lsp.Planned{Plan: &edit.Plan{Files: []edit.File{{Path: "/w/a.rs", Old: text, Edits: []edit.Replacement{r}}}}}
		testkit.Equal(t, namesKeptLocal(p, "name", use(37)), true)
		testkit.Equal(t, namesKeptLocal(p, "name", use(51)), false)
	}
	p := &lsp.Planned{Plan: &edit.Plan{Files: []edit.File{{Path: "/w/a.rs", Old: text,
		Edits: []edit.Replacement{{Start: 11, Line: 1, Old: "name", New: "title"}}}}}}
	testkit.Equal(t, namesKeptLocal(p, "name", use(37)), false)
}
