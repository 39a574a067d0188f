package tools

import (
	"fmt"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// Of two services that are alike each has its own tests as users, whichever was asked about before, and also of tests
// that came since.
func TestServicesThatAreAlike(t *testing.T) {
	testkit.OwnServer(t)
	testkit.Always(t, "pyright", "pyright")
	needServer(t, "pyright-langserver")
	files := map[string]string{".venv/pyvenv.cfg": "home = /usr/bin\n"}
	const user = "from app.main import handle\n\nassert handle(1) == 1\n"
	for _, service := range []string{"a", "b"} {
		files[service+"/pyproject.toml"] = ""
		files[service+"/src/app/__init__.py"] = ""
		files[service+"/src/app/main.py"] = "def handle(x: int) -> int:\n    return x\n"
		files[service+"/tests/test_main.py"] = user
	}
	dir := project(t, files)
	session := toolstest.Real(t, dir, "pyright")
	for i, service := range []string{"a", "b", "a", "b"} {
		at := map[string]any{"file_path": service + "/src/app/main.py", "symbol_name": "handle"}
		found := run(t, session, "find_references", at)
		testkit.Equal(t, fmt.Sprint(found["completeness"], " ", found["total"]), fmt.Sprint("complete ", 3+2*(i/2)), "references",
			service)
		calls := run(t, session, "call_hierarchy", at)
		testkit.Equal(t, fmt.Sprint(calls["completeness"], " ", len(calls["incoming"].([]any))), fmt.Sprint("complete ", 1+i/2),
			"callers", service)
		if i == 1 {
			testkit.Write(t, filepath.Join(dir, "a/tests/test_more.py"), user)
			testkit.Write(t, filepath.Join(dir, "b/tests/test_other.py"), user)
		}
	}
}
