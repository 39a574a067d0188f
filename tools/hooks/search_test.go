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
