package golang

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// The values for the second field of a struct type: by what leads to the type in a source whose references are known,
// and by names in another one.
func TestStructField(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "geo")
	testkit.Must(t, os.Mkdir(dir, 0o755))
	write := func(base, text string) string {
		path := filepath.Join(dir, base)
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	const text = `package geo

type Base struct{}

type Point[T any] struct {
	Left T
	*Base
}

type Alias = Point[int]

type List []map[string]*Alias

var a = Point[int]{1, 2}
var b = List{{"a": {3, 4}}, {"b": &Alias{5, 6}}}
var c = Alias{Left: 7}
var d = []struct{ x, Base int }{{8, 9}}
`
	path := write("geo.go", text)
	at := func(part string, n int) int { return strings.Index(text, part) + n }
	values := func(all []Value) (out []string) {
		for _, v := range all {
			out = append(out, v.In.Text.Content()[v.From:v.To])
		}
		return out
	}

	f := FieldAt(path, at("*Base\n", 1), "Base")
	for n := 0; n < len(f.Types); n++ { // the references, as a server gives them
		for i := range text {
			word := f.Types[n].Name
			if strings.HasPrefix(text[i:], word) && !isWord(text[i-1]) && !isWord(text[i+len(word)]) {
				f.Refer(f.Types[n], path, i)
			}
		}
	}
	testkit.Diff(t, values(f.Values()), []string{"2", "4", "6"}, "values")

	testkit.Diff(t, values(f.ValuesByName(write("x_windows.go", "package geo\n\nvar e = []Alias{{1, 10}}\n"))),
		[]string{"10"}, "of the same folder")
	testkit.Diff(t, values(f.ValuesByName(write("y.go",
		"package y\n\nimport g \"m/geo\"\n\nvar e, f = g.Alias{1, 11}, h.Alias{1, 12}\n"))), []string{"11"}, "by an import")

	f = FieldAt(path, at("Base int", 0), "Base")
	testkit.Diff(t, values(f.Values()), []string{"9"}, "values of a type without a name")
	if FieldAt(path, at("Left: 7", 0), "Left") != nil {
		t.Error("a key is no declaration")
	}
}

func isWord(b byte) bool {
	return slices.Contains([]byte("_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), b)
}

// The methods of interface types without a name.
func TestUnnamedMethods(t *testing.T) {
	const text = `package a

type Named interface{ Flush() }

func f(v any, w interface {
	Close()
	Flush()
}) {
	v.(interface{ Flush() }).Flush()
}
`
	testkit.Diff(t, UnnamedMethods("a.go", text, "Flush"),
		[]int{strings.Index(text, "Flush()\n})"), strings.Index(text, "Flush() }).")}, "offsets")
}
