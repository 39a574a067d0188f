package tools

import (
	"maps"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// outgoingProjects hold functions with calls that their servers do not tell as outgoing calls, beside functions
// whose calls are all told.
var outgoingProjects = sharing("outgoing", []*struct {
	realProject
	file     string
	complete string            // functions all of whose calls their server tells
	lacks    map[string]string // the others, and the kind of the warning
}{{
	realProject: realProject{server: "rust-analyzer", program: "rust-analyzer", files: map[string]string{
		"rust-project.json": crateWithoutStd,
		"src/lib.rs": `macro_rules! twice { ($e:expr) => { $e; $e } }
macro_rules! hidden { () => { low() } }
macro_rules! quiet { () => { 1 } }
fn low() -> i32 { 1 }
fn high() -> i32 { 2 }
struct T(i32);
pub fn args() { twice!(low()); high(); }
pub fn made() { hidden!(); high(); }
pub fn still() -> i32 { quiet!() + high() }
pub fn cond() { #[cfg(feature = "x")] low(); high(); }
pub fn met() { #[cfg(not(feature = "x"))] high(); }
pub fn plain() -> T { high(); let _ = "low()"; /* low() */ T(low()) }
pub fn closure(f: impl Fn() -> i32) -> i32 { f() + high() }
`,
	}},
	file: "src/lib.rs", complete: "still met plain closure",
	lacks: map[string]string{"args": "unexplained", "made": "unexplained", "cond": "unexplained"},
}, {
	realProject: realProject{server: "clangd", program: "clangd", files: map[string]string{
		"compile_commands.json": `[{"directory":"$DIR","file":"a.cc","command":"c++ -std=c++17 -c a.cc"}]`,
		"a.cc": `#define CALL(x) low(x)
#define DOIT low(3)
#define ID(x) x
#define QUIET(x) ((x) + 1)
int low(int) { return 1; }
int high() { return 2; }
struct S { int run() { return 1; } };
int args() { return CALL(1) + high(); }
int obj() { return DOIT + high(); }
int ident() { return ID(low(2)) + high(); }
int quiet() { return QUIET(1) + high(); }
int cond() {
#ifdef FEATURE
  low(1);
#endif
  return high();
}
int met() {
#ifndef FEATURE
  low(1);
#endif
  return high();
}
template <class T> int tmpl(T t) { t.run(); low(2); return high(); }
template <class T> int adl(T t) { helper(t); return high(); }
template <class T> int fixed(T t) { low(2); return high(); }
int use() { return fixed(S()); }
int deep() { return adl(1); }
int plain() { S s; int (*p)(int) = low; return s.run() + high() + int(3.0) + p(1); }
`,
	}},
	file: "a.cc", complete: "args obj ident quiet met fixed plain use",
	lacks: map[string]string{"cond": "unexplained", "tmpl": "unexplained", "adl": "unexplained",
		"deep": "unexplained"},
}, {
	realProject: realProject{server: "pyright", program: "pyright-langserver", files: map[string]string{
		"pyproject.toml": "",
		"a.py": `class Cart:
    def stow(self): pass
def low(): return 1
def high(): return 2
def untyped(x):
    x.stow()
    high()
def typed(x: Cart):
    x.stow()
    high()
    Cart().stow()
    print(len("low()"))
def key(d):
    d["f"]()
    high()
def getter(d):
    getattr(d, "stow")()
    high()
def value(f):
    f()
    high()
`,
	}},
	file: "a.py", complete: "typed",
	lacks: map[string]string{"untyped": "unexplained", "key": "unexplained", "getter": "unexplained",
		"value": "unexplained"},
}, {
	realProject: realProject{server: "typescript-language-server", program: "typescript-language-server",
		files: map[string]string{
			"tsconfig.json": `{"compilerOptions":{"strict":false}}`,
			"a.ts": `export class Cart { stow() {} }
function low() { return 1 }
function high() { return 2 }
export function untyped(x) { x.stow(); high(); }
export function anyd(x: any) { x.stow(); high(); }
export function anycall(x: any) { x(); high(); }
export function typed(x: Cart) { x.stow(); high(); new Cart().stow(); console.log([1].map(String)); }
export function key(d: any) { d["stow"](); high(); }
export function value(f: () => void) { f(); high(); }
`,
		}},
	file: "a.ts", complete: "typed value",
	lacks: map[string]string{"untyped": "unexplained", "anyd": "unexplained", "anycall": "unexplained",
		"key": "unexplained"},
}, {
	realProject: realProject{server: "gopls", program: "gopls", files: map[string]string{
		"go.mod": "module m\n\ngo 1.24\n",
		"a.go": `package m

type I interface{ Do() }

func low() int { return 1 }

func dyn(i I) int { i.Do(); return low() + len("a") + int(2.0) }

func value(f func() int) int { return f() + low() }
`,
	}},
	file: "a.go", complete: "dyn value",
	lacks: map[string]string{},
}}...)

// An answer about outgoing calls is complete when the server tells all that the text of the function calls, and
// only then.
func TestOutgoingCallsThatTheServerDoesNotTell(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range outgoingProjects {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			session := c.session(t)
			want := maps.Clone(c.lacks)
			for _, name := range strings.Fields(c.complete) {
				want[name] = ""
			}
			for name, kind := range want {
				depth := 1
				if name == "deep" {
					depth = 2
				}
				a := run(t, session, "call_hierarchy",
					c.in(map[string]any{"file_path": c.file, "symbol_name": name, "direction": "outgoing",
						"max_depth": depth}))
				testkit.Equal(t, kinds(a), kind, name, a)
				testkit.Equal(t, a["completeness"],
					any(map[bool]string{true: "complete", false: "partial"}[kind == ""]), name, a)
			}
		})
	}
}
