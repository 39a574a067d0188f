package hooks

import "testing"

// A search for one word is recognised; whatever else the command may mean is none.
func TestSearchedWord(t *testing.T) {
	for command, want := range map[string]string{
		"grep -rn Sum .":                      "Sum",
		"grep -rn 'Sum' --include=*.go src":   "",
		"grep -rn 'Sum' --include='*.go' src": "Sum",
		`grep -rnw "Sum_2" src/ | head -20`:   "Sum_2",
		`grep -rn "\bSum\b" .`:                "Sum",
		"grep -n -A 3 Sum a.go":               "Sum",
		"grep -nA3 Sum a.go":                  "Sum",
		"grep -rn -e Sum .":                   "Sum",
		"grep -rn -e Sum -e Other .":          "",
		"grep -rni Sum .":                     "", // the word may be written otherwise
		"grep -rv Sum .":                      "",
		"grep -rn 'Sum(' .":                   "",
		"grep -rn 'func Sum' .":               "",
		"grep -rn Sum . | grep -v test":       "",
		"grep -rn Sum . > out":                "",
		"grep -rn $NAME .":                    "",
		`grep -rn "$NAME" .`:                  "",
		"cd x && grep -rn Sum .":              "",
		"grep -rn x .":                        "",
		"grep 'unclosed":                      "",
		"rg Sum":                              "Sum",
		"rg -n --type go Sum src":             "Sum",
		"rg -tgo -g '*.go' Sum":               "Sum",
		"rg -i Sum":                           "",
		"rg --files":                          "",
		"rg --replace x Sum":                  "",
		"git grep -n Sum":                     "Sum",
		"git grep -n Sum HEAD~1":              "", // of another time
		"git log Sum":                         "",
		"":                                    "",
		"ls -la":                              "",
		"grep":                                "",
		"rg -- Sum":                           "Sum",
		"rg Grüße":                            "Grüße",
	} {
		if got := searchedWord(&Event{Command: command}); got != want {
			t.Errorf("%s: %q and not %q", command, got, want)
		}
	}
	for pattern, want := range map[string]string{"Sum": "Sum", `\bSum\b`: "Sum", "Sum|Other": "", "func Sum": "", "S": ""} {
		if got := searchedWord(&Event{Pattern: pattern}); got != want {
			t.Errorf("pattern %s: %q and not %q", pattern, got, want)
		}
	}
}

// Lines are of the innermost declaration that holds them all, or of the only one that they touch.
func TestDeclarationOfLines(t *testing.T) {
	outline := []string{"3-6 function Sum: func(a, b int) int", "8-20 class Box", " 9 field side: int", " 11-14 method area(): int",
		" 16-19 method draw", "22 constant Max",
		"30-32 method (*T[K]).Area: func() int"}
	for lines, want := range map[[2]int]string{{4, 5}: "Sum", {1, 7}: "Sum", {2, 4}: "Sum", {12, 13}: "area", {9, 13}: "Box",
		{9, 9}: "side", {10, 10}: "Box", {7, 21}: "Box", {22, 22}: "Max", {21, 25}: "Max", {31, 90}: "(*T[K]).Area",
		{5, 9}: "", {1, 90}: "", {1, 2}: "", {7, 7}: "", {19, 22}: ""} {
		if d, ok := declarationOfLines(outline, lines); d.name != want && ok || ok != (want != "") {
			t.Errorf("%v: %+v, %v and not %q", lines, d, ok, want)
		}
	}
	if _, ok := declarationOfLines(append(outline, "generated"), [2]int{4, 5}); ok {
		t.Error("a line that is not understood is passed over")
	}
}
