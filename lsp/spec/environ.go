package spec

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// Environment returns the environment of the session for which the server runs, as os.Environ has one.
func (s *Spec) Environment() []string {
	if s.Environ == nil {
		return os.Environ()
	}
	return s.Environ
}

// Getenv returns a variable of [Spec.Environment]; "" when it is not set.
func (s *Spec) Getenv(name string) string { return Variable(s.Environment(), name) }

// Variable returns a variable of an environment, as os.Environ has one; "" when it is not set. Of a name that is
// there twice the last one counts. On Windows the case of names does not matter, and most environments have Path for
// PATH.
func Variable(env []string, name string) string {
	return lookupVariable(env, name, runtime.GOOS == "windows")
}

func lookupVariable(env []string, name string, anyCase bool) string {
	for _, entry := range slices.Backward(env) {
		known, value, ok := strings.Cut(entry, "=")
		if ok && (known == name || anyCase && strings.EqualFold(known, name)) {
			return value
		}
	}
	return ""
}
