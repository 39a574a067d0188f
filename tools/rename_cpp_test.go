package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// clangd 22 leaves what a using declaration brought into another file, in its edit and in its references. The preview says so.
func TestRenameWithClangdBehindAUsingDeclaration(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"slice.h": "#pragma once\nnamespace n {\nstruct Slice {};\n}  // namespace n\n",
		"c.cc":    "#include \"slice.h\"\nusing n::Slice;\nSlice make() { return Slice(); }\n",
		"m.cc":    "#include \"slice.h\"\nn::Slice other() { return n::Slice(); }\n",
	})
	var commands []string
	for _, file := range []string{"c.cc", "m.cc"} {
		commands = append(commands, fmt.Sprintf(`{"directory":%q,"file":%q,"command":"clang++ -c %s"}`, dir, file, file))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "compile_commands.json"), []byte("["+strings.Join(commands, ",")+"]"), 0o644))
	a := run(t, sessions.Real(t, dir, "clangd"), "rename_symbol", map[string]any{"file_path": "slice.h", "symbol_name": "Slice", "new_name": "Piece"})
	warnings := fmt.Sprint(a["warnings"])
	edits := fmt.Sprint(a["totals"].(map[string]any)["edits"])
	if whole := edits == "6" && a["completeness"] == "complete"; !whole && !strings.Contains(warnings, "leaves 2 uses of Slice unchanged, in 1 file, the first at c.cc:3") {
		t.Errorf("%s edits, %v, %s", edits, a["completeness"], warnings)
	}
}
