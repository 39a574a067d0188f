//go:build linux

package faults

import (
	"os"
	"path/filepath"

	"lspi/lsp/spec"
)

var _ = add(attack{
	point: "C9",
	name:  "flags of compile_commands.json, compile_flags.txt and .clangd name files that the compiler writes (clangd)", programs: []string{clangd},
	never:  "one of these files is made or written over",
	answer: "clangd gets a copy of the user's own configuration, which removes these flags; the answer is complete",
	try: func(a *attempt) {
		flags := []string{"--serialize-diagnostics", "$OUTSIDE/made-1", "-Xclang", "-diagnostic-log-file", "-Xclang",
			"$OUTSIDE/made-2",
			"-fmodules", "-fcxx-modules", "-fmodules-cache-path=$OUTSIDE/made-3"}
		list, lines := "", ""
		for _, f := range flags {
			list, lines = list+`, "`+f+`"`, lines+f+"\n"
		}
		a.file("module.modulemap", "module M { header \"m.h\" export * }\n")
		a.file("m.h", "inline int one() { return 1; }\n")
		for _, dir := range []string{"a", "b", "c"} {
			a.file(dir+"/x.cc", "#include \"../m.h\"\nint "+dir+"() { return one(); }\n")
		}
		a.file("a/compile_commands.json", `[{"directory": "$DIR/a", "file": "x.cc", "arguments": ["c++"`+list+
			`, "-c", "x.cc"]}]`)
		a.file("b/compile_flags.txt", lines)
		a.file("c/.clangd", "CompileFlags:\n  Add: ["+list[2:]+"]\n")
		s := (&project{server: clangd}).openIn(a, a.dir, options{cache: filepath.Join(a.outside, "cache"),
			spec: func(s *spec.Spec) {
				*s = s.Restricted([]string{a.dir})
			}})
		for _, dir := range []string{"a", "b", "c"} {
			if x := s.call("get_diagnostics", map[string]any{"file_path": dir + "/x.cc"}); !x.OK {
				a.Errorf("%s: %s", dir, x.raw)
			}
		}
		made, _ := filepath.Glob(filepath.Join(a.outside, "made-*"))
		for _, path := range made {
			info, _ := os.Stat(path)
			a.worked("%s was made: %v", path, info.Mode())
		}
	},
})
