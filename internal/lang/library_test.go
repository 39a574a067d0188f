package lang

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestLibraryTemplates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// Its own member is declared behind the use.
		"template <class M> class guard { typedef M type; guard(type& m) : m_(m) { m_.lock(); } type& m_; };": "guard: lock",
		"template <typename C> class adder { C* c; void add(const typename C::value_type& v) { c->push_back(v); } };" +
			"template <class C> adder<C> make_adder(C& c) { return adder<C>(c); }": "adder: operator-> push_back value_type; make_adder > adder",
		"template <class T> bool less(const T& a, const T& b) { return a < b; }":                "less: operator<",
		"template <class T, class L = less<T>> class set { L l; set(T a) { l(a); } };":          "set: operator() > less",
		"template <class A, class B> A last(A a, B b) { while (*a != b) ++a; return a; }":       "last: operator!= operator* operator++",
		"template <class T> void exchange(T& a, T& b) { swap(a, b); std::other(a); plain(1); }": "exchange (swap) > other",
		// A parameter of another type hides the name.
		"template <class T> struct box { T x; int n(box& x) { return x.size(); } int m(T& x) { return x.count(); } };": "box: count",
		"template <class T> int box<T>::far(T t) { return t.name; }":                                                   "box far: name",
		"template <class... A> void all(A&... a) { (std::forward<A>(a).open(), ...); }":                                "all: open > forward",
		"template <class T> concept sized = requires(T& t) { t.size(); };":                                             "sized: size",
		"template <> struct hash<int> { int operator()(int n) { return n.x; } };":                                      "",
		"#define M template <class T> f(T t) { t.g(); }\nint template_of(); struct A { };":                             "",
	} {
		var got []string
		for _, one := range LibraryTemplates(text) {
			line := strings.Join(one.Names, " ")
			if len(one.Uses) > 0 {
				line += ": " + strings.Join(one.Uses, " ")
			}
			if len(one.Calls) > 0 {
				line += " (" + strings.Join(one.Calls, " ") + ")"
			}
			if len(one.Mentions) > 0 {
				line += " > " + strings.Join(one.Mentions, " ")
			}
			got = append(got, line)
		}
		testkit.Equal(t, strings.Join(got, "; "), want, text)
	}
}
