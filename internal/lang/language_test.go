package lang

import (
	"go/token"
	"testing"

	"lspi/internal/testkit"
)

func TestLanguageOfAFile(t *testing.T) {
	for path, want := range map[string]string{
		"a.go": "go", "/p/A.GO": "go", "go.mod": "go.mod", "x/CMakeLists.txt": "cmake", "a.txt": "plaintext",
		"a.test.ts":    "typescript",
		"a.tftest.hcl": "terraform-test", "a.hcl": "", "Makefile": "", "tsconfig.json": "jsonc", "a.json": "json",
		"a.hs-boot": "haskell",
		".bashrc":   "shellscript", "x.h": "cpp", "": "",
	} {
		testkit.Equal(t, Of(path).ID, want, path)
	}
}

// Each file has one language.
func TestLanguagesAreApart(t *testing.T) {
	owner := map[string]string{}
	claim := func(what, id string) {
		if other, twice := owner[what]; twice {
			t.Errorf("%s is of %s and of %s", what, other, id)
		}
		owner[what] = id
	}
	for _, l := range All() {
		claim("the identifier "+l.ID, l.ID)
		for _, extension := range l.Extensions {
			claim("*."+extension, l.ID)
		}
		for _, name := range l.FileNames {
			claim(name, l.ID)
		}
		for keyword := range l.Keywords {
			if l.ID == "go" && !token.IsKeyword(keyword) {
				t.Errorf("%s is no keyword of Go", keyword)
			}
		}
	}
	for _, keyword := range []string{"break", "func", "select", "var"} {
		if !Reserved("go", keyword) {
			t.Errorf("%s is a keyword of Go", keyword)
		}
	}
}
