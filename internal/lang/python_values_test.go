package lang

import (
	"strings"
	"testing"
)

func TestPythonValue(t *testing.T) {
	for code, want := range map[string]bool{
		"make(aim, size=3)": true, "f = aim\n": true, "[a, aim]": true, "{'a': aim}": true, "return aim\n": true,
		"f(self.aim)": true, "def f(x=aim): pass": true,
		"aim(1)": false, "f(aim(1))": false, "def f(x: aim): pass": false, "x: list[aim] = []": false,
		"isinstance(x, aim)": false, "class B(aim): pass": false, "class B(\n    aim,\n): pass": false,
		"from a import (\n    aim,\n)": false, "import aim\n": false, "except (A, aim):": false,
		"x: aim = 1": false, "f(aim.LIMIT)": false, "x == aim\n": false, "def f() -> aim: pass": false,
		"def aim(x): pass": false,
	} {
		from := strings.Index(code, "aim")
		if got := PythonValue(code, from, from+3); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
}
