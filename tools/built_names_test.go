package tools

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A name that a program builds from parts may be that of each member that begins or ends with the part, in the class
// or module that may be meant; no server follows it.
func TestNamesBuiltFromParts(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range []struct {
		server, program, file string
		files                 map[string]string
		want                  map[string]string
	}{
		{"pyright", "pyright-langserver", "bot.py", map[string]string{"pyrightconfig.json": "{}",
			"bot.py": "class Bot:\n    def cmd_help(self):\n        return \"h\"\n\n    def run(self, name):\n        return getattr(self, f\"cmd_{name}\")()\n\n" +
				"    def load_it(self):\n        return f\"load_{self}\"\n\n\n" +
				"class Visitor:\n    def visit(self, node):\n        m = \"visit_\" + type(node).__name__\n        return getattr(self, m)(node)\n\n" +
				"    def cmd_go(self):\n        return 1\n\n    def visit_int(self, node):\n        return node\n\n    def quit_handler(self):\n        return 1\n\n\n" +
				"def on_load():\n    return 5\n\n\nHOOKS = {n: globals()[\"on_\" + n] for n in [\"load\"]}\n",
			"far.py": "def far(x, n):\n    return getattr(x, \"%s_handler\" % n)\n",
		}, map[string]string{"cmd_help": "map[bot.py:1]", "visit_int": "map[bot.py:1]", "on_load": "map[bot.py:1]",
			"quit_handler": "map[far.py:1]", "cmd_go": "", "load_it": "", "run": ""}},
		{"typescript-language-server", "typescript-language-server", "h.ts", map[string]string{"tsconfig.json": smallLib,
			"h.ts": "export class Handlers {\n  onStart() { return 1; }\n  emit(name: string): number { return (this as any)[\"on\" + name](); }\n  stopNow() { return \"stop\" + this; }\n}\n" +
				"export class Other {\n  onStop() { return 1; }\n  askStart(name: string) { const m = `ask${name}`; return (this as any)[m](); }\n}\n",
		}, map[string]string{"onStart": "map[h.ts:1]", "askStart": "map[h.ts:1]", "onStop": "", "stopNow": "", "emit": ""}},
	} {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t, project(t, c.files), c.server)
			for symbol, want := range c.want {
				a := run(t, session, "find_references", map[string]any{"file_path": c.file, "symbol_name": symbol})
				testkit.Equal(t, dynamicOf(a), want, symbol, a)
			}
		})
	}
}
