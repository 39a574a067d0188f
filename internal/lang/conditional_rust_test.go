package lang

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestRustConditional(t *testing.T) {
	for text, want := range map[string]string{
		"f();\n#[cfg(x)]\nfn g<A, B>(a: A) -> B {\n  f();\n}\nf();\n":                                 "4",
		"#[cfg(x)]\n#[inline]\npub fn g() { f() }\nfn h() { f() }\n":                                  "3",
		"#[cfg(x)] // f\nuse a::{\n  f, g};\nf();\n":                                                  "3",
		"#[cfg(x)]\nlet a = if b {\n  1\n} else {\n  f()\n};\nf();\n":                                 "5",
		"struct S {\n  #[cfg(x)]\n  pub a: M<u8, f>,\n  b: f,\n}\n":                                   "3",
		"match a {\n  #[cfg(x)]\n  A => f(),\n  B => f(),\n  #[cfg(x)]\n  C => { f() }\n  D => f() }": "3 6",
		"mod m {\n#![cfg(x)]\nf();\n}\nf();\n":                                                        "3",
		"#![cfg(feature = \"f\")]\nfn g() { f(); }\nfn h() { f(); }\n":                                "2 3",
		"#[cfg_attr(x, f)]\nfn g() { f(); }\n#[doc = \"cfg(\"]\nfn h() { f(); }\n":                    "",
		"#[cfg(x)]\nfn g() { \"f } f\"; /* f */ 'f'; }\nf();\n":                                       "",
		"#[cfg(x)]\nmod m;\nf();\n#[cfg(all(x, y))]\nm! { f }\nf();\n":                                "5",
		"#[cfg(x)]\nfn g() { f\"\"; f'a'; }\n":                                                        "",
		"g(a, #[cfg(x)] f, f);\n":                                                                     "1",
		"#[cfg(x)]\nconst A: [u8; 2] = [f, 1];\nconst B: u8 = f;\n":                                   "2",
	} {
		var got []string
		for _, at := range RustConditional(text, []string{"f"}) {
			got = append(got, fmt.Sprint(strings.Count(text[:at], "\n")+1))
		}
		testkit.Equal(t, strings.Join(got, " "), want, text, got)
	}
}
