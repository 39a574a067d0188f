package tools

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A callee that takes any keywords may give them on to a function that it got: pyright (1.1.414) leads nowhere from
// such a name. It is no doubt about a parameter of a function that is called directly alone.
func TestKeywordsThatACalleeGivesOn(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "pyright-langserver")
	session := toolstest.Real(t, project(t, map[string]string{
		"pyrightconfig.json": "{}",
		"base.py": "class Node:\n    def __init__(self, size=1, **more):\n        self.s = size\n\n    def draw(self, depth=0):\n        return depth\n\n\n" +
			"def make(kind, **kw):\n    return kind(**kw)\n\n\ndef connect(host, port=1):\n    return host, port\n\n\ndef plain(width, **kw):\n    return width, kw\n\n\n" +
			"def other(width):\n    return width\n",
		"leaf.py": "from operator import methodcaller\nfrom gone import open_it\nfrom base import Node, make, connect, plain, other\n\n\nclass Leaf(Node):\n    pass\n\n\n" +
			"n = make(Leaf, size=3)\nmethodcaller(\"draw\", depth=2)(n)\nconnect(**dict(host=\"a\"))\nconnect(\"a\", port=2)\nopen_it(port=1)\n" +
			"make(dict, width=3)\nplain(width=1)\nother(width=2)\n",
	}), "pyright")
	for _, q := range []struct {
		symbol, want string
		line         int
	}{
		{"size", "map[leaf.py:1]", 2}, {"depth", "map[leaf.py:1]", 5}, {"host", "map[leaf.py:1]", 13},
		{"port", "", 13}, {"width", "", 17}, {"width", "", 21},
	} {
		a := run(t, session, "find_references",
			map[string]any{"file_path": "base.py", "symbol_name": q.symbol, "line": q.line})
		testkit.Equal(t, dynamicOf(a), q.want, q, a)
	}
}
