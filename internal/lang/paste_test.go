package lang

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestWithoutParts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#define OP(n) op_##n":                                          "OP: red_end",
		"#define OP(n) op_##n##_end":                                    "OP: op_red red red_end",
		"#define OP(n) n##_end":                                         "OP: op_red",
		"#define J(a, b) a##b\n#define OP(n) J(op_, n)":                 "J OP: red_end",
		"#define S(n) #n\n#define T(n) # n\n#define U(n) S(n)":          "S T U: ",
		"#define PLAIN(n) f(n)\n#define op_ 1\n#ifdef A\n#endif":        ": ",
		"#define V(...) v_##__VA_ARGS__\n#define OBJECT op_##red_other": "V: red_end",
	} {
		joining := map[string]bool{}
		for range 3 {
			for _, name := range JoiningMacros(text, joining) {
				joining[name] = true
			}
		}
		parts := map[string]bool{}
		for _, part := range PastedParts(text, joining) {
			parts[part] = true
		}
		got := fmt.Sprintf("%s: %s", strings.Join(JoiningMacros(text, joining), " "),
			strings.Join(WithoutParts("op_red_end", parts), " "))
		testkit.Equal(t, got, want, text)
	}
}

func TestCalledWith(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"f(x)": "f", "f(a, x, b)": "f", "f(g(a), x)": "f", "f(x.y)": "", "f(a + x)": "", "(x)": "", "{ a; f(\n x\n) }": "f",
		"x(a)": "", "f(a, { x })": "",
	} {
		i := strings.IndexByte(text, 'x')
		testkit.Equal(t, CalledWith(text, i, i+1), want, text)
	}
}

func TestTemplateMacros(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#define BY(m) [](const auto &a) { return a.m; }":                             "BY",
		"#define BY(m) [](const auto &a) { return a.m; }\n#define UP(m) sort(BY(m))":  "BY UP",
		"#define GET(m) \\\n  template <class T> int get(T &t) { \\\n  return t.m; }": "GET",
		"#define PLAIN(m) [](const A &a) { return a.m; }\n#define ONE [](auto a) {}":  "",
		"#define CALL(f, m) f([](auto a) { return a; }, m)":                           "",
	} {
		known := map[string]bool{}
		for range 2 {
			for _, name := range TemplateMacros(text, known) {
				known[name] = true
			}
		}
		testkit.Equal(t, strings.Join(TemplateMacros(text, known), " "), want, text)
	}
}

func TestCallsAround(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"f(x)": "f", "f(a.x)": "f", "f(g(a), x + 1)": "f", "f(g(x))": "g f", "x": "", "f(a)[x]": "",
		"{ f(b, { x }) }": "f",
	} {
		testkit.Equal(t, strings.Join(CallsAround(text, strings.IndexByte(text, 'x')), " "), want, text)
	}
}
