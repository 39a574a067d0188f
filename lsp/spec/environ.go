package spec

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// Environment is that of the session which the server runs for, as os.Environ has it.
func (s *Spec) Environment() []string {
	if s.Environ == nil {
		return os.Environ()
	}
	return s.Environ
}

// Getenv is a variable of [Spec.Environment]; "" when it is not set.
func (s *Spec) Getenv(name string) string { return Variable(s.Environment(), name) }

// Variable is a variable of an environment, as os.Environ has it; "" when it is not set. Of a name that is there
// twice the last one counts. On Windows the case of names does not matter, and PATH is Path in most environments.
func Variable(env []string, name string) string {
	return variable(env, name, runtime.GOOS == "windows")
}

func variable(env []string, name string, anyCase bool) string {
	for _, entry := range slices.Backward(env) {
		known, value, ok := strings.Cut(entry, "=")
		if ok && (known == name || anyCase && strings.EqualFold(known, name)) {
			return value
		}
	}
	return ""
}
