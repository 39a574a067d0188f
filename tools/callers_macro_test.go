package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// Methods that a macro of a header makes have one name and one place, and clangd 22 tells them apart by the data of the item
// only. Of those in files that are not open it names few, if any.
func TestCallersThatAMacroMakes(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"t.h":   "#pragma once\nint check(int n);\n#define TEST(name) \\\n  struct Test_##name { \\\n    void Run(); \\\n  }; \\\n  void Test_##name::Run()\n",
		"t.cc":  "#include \"t.h\"\nint check(int n) { return n ? n : check(n + 1); }\n",
		"t1.cc": "#include \"t.h\"\nTEST(a) { check(1); }\nTEST(b) { check(2); }\nvoid plain() { check(3); }\n",
		"t2.cc": "#include \"t.h\"\nTEST(c) { check(4); }\n",
		"t3.cc": "#include \"t.h\"\nTEST(d) { check(5); }\n",
	})
	var chain strings.Builder // 60 callers of deep, each with one of its own
	chain.WriteString("void deep() {}\n")
	for n := range 60 {
		fmt.Fprintf(&chain, "void g%d() { deep(); }\nvoid h%d() { g%d(); }\n", n, n, n)
	}
	write(t, dir, "t4.cc", chain.String())
	compileCommands(t, dir, "t.cc", "t1.cc", "t2.cc", "t3.cc", "t4.cc")
	env := sessions.Real(t, dir, "clangd")
	callers := func(file string) (reply, string) {
		a := run(t, env, "call_hierarchy", map[string]any{"file_path": file, "symbol_name": "check"})
		var out []string
		for _, n := range a["incoming"].([]any) {
			n := n.(map[string]any)
			out = append(out, fmt.Sprint(n["symbol"], n["call_lines"]))
		}
		slices.Sort(out)
		return a, strings.Join(out, " ")
	}
	for range 2 {
		a, got := callers("t.h")
		equal(t, "callers", got, "Test_a::Run[] Test_b::Run[] Test_c::Run[] Test_d::Run[] check[2] plain[4]")
		equal(t, "completeness", a["completeness"], any("complete"))
	}
	// The callers of so many symbols are not looked at for such.
	a := run(t, env, "call_hierarchy", map[string]any{"file_path": "t4.cc", "symbol_name": "deep", "max_depth": 3, "max_breadth": 80})
	equal(t, "the reason", fmt.Sprint(a["completeness"], " ", a.kinds()), "partial [not_opened]")
	step := firstOf(a, "next_steps")
	nearer := run(t, env, fmt.Sprint(step["tool"]), step["arguments"].(map[string]any))
	equal(t, "what the step gives", fmt.Sprint(nearer["completeness"], " ", len(nearer["incoming"].([]any))), "complete 60")
}
