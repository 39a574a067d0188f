//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// tsserver takes what a pattern takes out of a module that it does not resolve for a variable of its own (6.0.3).
func TestUsesOfWhatRequireDoesNotResolve(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "typescript-language-server")
	t.Parallel()
	dir := project(t, map[string]string{
		"jsconfig.json": `{"compilerOptions":{"module":"commonjs","allowJs":true,"types":[]}}`,
		"package.json":  `{"name":"x","dependencies":{"missing":"1"}}`,
		"src/num.js":    "exports.twice = (n) => n * 2;\nexports.half = (n) => n / 2;\nexports.join = (n) => n;\nexports.get = (n) => n;\n",
		"app/main.js": "const { twice } = require(\"@app/num\");\nconst num = require(\"@app/num\");\n" +
			"const { join } = require(\"path\");\nconst { get } = require(\"missing\");\ntwice(num.half(2));\njoin(get(1));\n",
	})
	opened := toolstest.Real(t, dir, "typescript-language-server")
	for name, place := range map[string]string{"twice": "app/main.js:1", "half": "app/main.js:5", "join": "", "get": ""} {
		a := run(t, opened, "find_references", about("find_references", "src/num.js", name))
		w := warningOf(a, "unexplained")
		if place == "" && w != nil || place != "" && !strings.Contains(fmt.Sprint(w["message"]), place) {
			t.Errorf("%s: %v", name, a)
		}
	}
}
