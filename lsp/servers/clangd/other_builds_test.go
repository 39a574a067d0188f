package clangd

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestMacrosOf(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"g++ -DNDEBUG -D LEVEL=2 -c a.cc":      "LEVEL=2 NDEBUG=",
		"g++ -DTRACE -UTRACE -U OTHER a.cc":    "",
		"cc -std=c11 -O0 a.c":                  "__STDC_VERSION__=-std=c11 __cplusplus=-std=c11",
		"cc -O2 -g -Wall -Ibuild/gen -o a a.c": "__OPTIMIZE__=1",
		"cl /DWIN32 a.cc":                      "WIN32=",
	} {
		macros := macrosOf(strings.Fields(command))
		var got []string
		for _, name := range slices.Sorted(maps.Keys(macros)) {
			got = append(got, name+"="+macros[name])
		}
		testkit.Equal(t, strings.Join(got, " "), want, command)
	}
}
