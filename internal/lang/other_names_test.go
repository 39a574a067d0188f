package lang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// A source may use a name by the macros and the aliases that stand for it, however many of them a line has and
// however many lines one takes.
func TestOtherNames(t *testing.T) {
	for text, want := range map[string]string{
		"#define MAKE(x) Foo(x)\n":                                                         "MAKE",
		"#define MAKE(x) \\\n  Foo(x)\n#define OTHER 1\n":                                  "MAKE",
		"#define Foo 1\n":                                                                  "",
		"using A = Foo; using B = std::vector<Foo>; using C = int;\n":                      "A B",
		"typedef Foo A; typedef Foo *B;\n":                                                 "A B",
		"using A =\n    std::map<int,\n             Foo>;\nusing namespace std;\n":         "A",
		"typedef struct Foo {\n  int x;\n} A;\n":                                           "A",
		"typedef\n  struct Foo\n  A;\nint y;\n":                                            "A",
		"typedef int (*A)(Foo *);\ntypedef Foo B[4];\n":                                    "A B",
		"namespace n { using A = Foo; }\nint x;\nusing B = Foo;\n":                         "A B",
		"// using the Foo of old\nint a;\nusing A = int;\n":                                "",
		"template <class T>\nusing A = Foo<T>;  // of T\n":                                 "A",
		"typedef struct {\n  struct { Foo f; } in;\n} A;\nint f(Foo);\nusing B = Foo *;\n": "B",
	} {
		path := filepath.Join(t.TempDir(), "a.h")
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
		testkit.Equal(t, strings.Join(OtherNames(path, []string{"Foo"}), " "), want, text)
	}
}
