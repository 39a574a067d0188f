package lang

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestTemplateBodies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"template <class T> T twice(T t) { return t + t; }":                                                 "{ return t + t; }",
		"template <class T, int N = (1 > 0)>\nT f(T t = {1}) noexcept {\n  if (t) { g(); }\n}\nint h() { }": "{\n  if (t) { g(); }\n}",
		"template <class T> struct Box {\n  T v = 1;\n  T get() { return v; }\n  T put(T t);\n};":           "{ return v; }",
		"template <class T> T Box<T>::put(T t) { return t.x(); }":                                           "{ return t.x(); }",
		"template <> int twice(int t) { return t; }":                                                        "",
		"template <class T> T declared(T t);\nint plain() { return 1; }":                                    "",
		"// template <class T> {\nint plain() { return 1; }":                                                "",
		"int abbreviated(auto x) { return x.y(); }":                                                         "{ return x.y(); }",
		"void g() { all([](auto x) { x(); }, [&] <class T> (T y) { y(); }); }":                              "{ y(); } | { x(); }",
		"template <class T> requires requires { T(); } void requires_(T t) { t.x(); }":                      "{ t.x(); }",
		"template <class T> struct Box { Box(T t) : a{t}, b{1} { t.x(); } };":                               "{t} | {1} | { t.x(); }",
		"template <class T> Box<T>::Box(T t) : a{t}, b{1} { t.x(); }":                                       "{ t.x(); }",
		"auto plain(int x) { return x; }":                                                                   "",
	} {
		var got []string
		for _, b := range TemplateBodies("a.h", text) {
			got = append(got, text[b[0]:b[1]])
		}
		testkit.Equal(t, strings.Join(got, " | "), want, text)
	}
}
