package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A string that its type makes a key may be a use of the member that it names; a string that is text is told and no
// more.
func TestKeysOfTypes(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "typescript-language-server")
	t.Parallel()
	dir := project(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"strict":true},"include":["src"]}`,
		"src/user.ts":   "export interface User { id: number; nick: string; age: number }\n",
		"src/use.ts": "import { User } from \"./user\";\nexport type N = Pick<User, \"nick\">;\n" +
			"export const keys: (keyof User)[] = [\"nick\"];\n" +
			"export function f(m: Map<string, User>) { return m.get(\"age\")?.age; }\n",
	})
	session := toolstest.Real(t, dir, "typescript-language-server")
	for name, want := range map[string]string{"User.nick": "partial", "User.age": "complete"} {
		a := run(t, session, "find_references", map[string]any{"file_path": "src/user.ts", "symbol_name": name})
		files := fmt.Sprint(warningOf(a, "unexplained")["files"])
		if a["completeness"] != want || (want == "partial") != strings.Contains(files, "reason:by_name") ||
			(want == "complete") != (warningOf(a, "mentions") != nil) {
			t.Errorf("%s: %v", name, a)
		}
	}
}
