package spec

import (
	"os"
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

// Variable is a variable of an environment, as os.Environ has it; "" when it is not set. Of a name that is there twice the last one counts.
func Variable(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
