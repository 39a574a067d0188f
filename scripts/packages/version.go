package main

import (
	"fmt"
	"regexp"
	"strings"
)

// version is the version of a release in the forms of the registries.
type version struct {
	semver string // 1.2.0, 1.2.1-dev.3.gabc
	python string // 1.2.0, 1.2.1.dev3+gabc (PEP 440)
}

var semver = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?$`)

// pythonMarks maps words of a semver to those of PEP 440; all others are written after a plus.
var pythonMarks = map[string]string{"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}

// parseVersion reads what scripts/version.sh prints.
func parseVersion(text string) (version, error) {
	m := semver.FindStringSubmatch(text)
	if m == nil {
		return version{}, fmt.Errorf("%q is no version such as 1.2.0 or 1.2.1-dev.3.gabc", text)
	}
	v := version{semver: text, python: m[1]}
	if m[2] == "" {
		return v, nil
	}
	var local []string
	words := strings.FieldsFunc(m[2], func(r rune) bool { return r == '.' || r == '-' })
	for i := 0; i < len(words); i++ {
		mark, known := pythonMarks[words[i]]
		if !known {
			local = append(local, words[i])
			continue
		}
		number := "0"
		if i+1 < len(words) && isNumber(words[i+1]) {
			i++
			number = words[i]
		}
		v.python += mark + number
	}
	if len(local) > 0 {
		v.python += "+" + strings.Join(local, ".")
	}
	return v, nil
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
