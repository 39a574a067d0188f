package contract

import (
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "func Load(path string) error {\t// why", ""},
		{"Trojan source", "if level != \"user\u202e \u2066// check\u2069 \u2066\" {",
			`if level != "user\u{202E} \u{2066}// check\u{2069} \u{2066}" {`},
		{"marks of direction", "a\u061cb\u200ec\u200fd", `a\u{61C}b\u{200E}c\u{200F}d`},
		{"zero width", "ad\u200bmin\u2060\ufeff", `ad\u{200B}min\u{2060}\u{FEFF}`},
		{"joiner in Latin", "ad\u200cmin\u200d", `ad\u{200C}min\u{200D}`},
		{"Persian", "می\u200cخواهم", ""},
		{"emoji", "👩\u200d💻 ❤\ufe0f\u200d🔥 👍🏽 1\ufe0f\u20e3", ""},
		{"joiner in the air", "👩\u200d \u200d👩", `👩\u{200D} \u{200D}👩`},
		{"selectors that hide a text", "😀\U000e0158\U000e0159 a\ufe0f 4\U000e0158",
			"😀\U000e0158\\u{E0159} a\\u{FE0F} 4\\u{E0158}"},
		{"tags", "x\U000e0041\U000e007f", `x\u{E0041}\u{E007F}`},
		{"letters without a shape", "a\u3164b\u115fc\uffa0d\u034fe\u00adf",
			`a\u{3164}b\u{115F}c\u{FFA0}d\u{34F}e\u{AD}f`},
		{"escape sequences", "\x1b[31m\a\u009b31m\x7f\u0085\x00", `\u{1B}[31m\u{7}\u{9B}31m\u{7F}\u{85}\u{0}`},
		{"line separators", "a\u2028b\u2029c", `a\u{2028}b\u{2029}c`},
		{"right to left", "שלום مرحبا", ""},
		{"Arabic number sign", "\u0600123", ""},
		{"Chinese, Korean, accents", "中文 한국어 é e\u0301 \u00a0 \u3000", ""},
		{"already escaped", `"\u{202E}"`, ""},
		{"not UTF-8", "a\xffb\u200b", "a\xffb\\u{200B}"},
		{"replacement character", "a\ufffdb", ""},
	} {
		if c.want == "" {
			c.want = c.text
		}
		if got := EscapeLine(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := EscapeText(c.text); got != c.want {
			t.Errorf("%s, of several lines: %q, want %q", c.name, got, c.want)
		}
		if c.want != c.text && Unescape(c.want) != c.text {
			t.Errorf("%s: given back as %q", c.name, Unescape(c.want))
		}
	}
}

func TestEscapeLineEnds(t *testing.T) {
	const text = "a\nb\r\nc\rd"
	if got := EscapeLine(text); got != `a\u{A}b\u{D}\u{A}c\u{D}d` {
		t.Errorf("one line: %q", got)
	}
	if got := OneLine(
		"\n cargo check failed:\r\n\terror\n\n  \u202ehelp\n"); got != `cargo check failed: error \u{202E}help` {
		t.Errorf("a sentence: %q", got)
	}
	if got := EscapeText(text); got != "a\nb\r\nc"+`\u{D}d` {
		t.Errorf("several lines: %q", got)
	}
}

func TestUnescapeOfOther(t *testing.T) {
	for _, text := range []string{`\u{`, `\u{}`, `\u{xyz}`, `\u{110000}`, `\u{D800}`, `\u{12345678901234567890}`,
		`a\u{`, `C:\users\n`} {
		if got := Unescape(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := Unescape(`\u{\u{200B}`); got != "\\u{\u200b" {
		t.Errorf("%q", got)
	}
}

// Whatever a text is, nothing is left in it that would be escaped again, and escaping twice changes nothing.
func FuzzEscape(f *testing.F) {
	f.Add("a\u202eb\n\x1b[0m")
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range []func(string) string{EscapeLine, EscapeText} {
			once := of(text)
			if of(once) != once {
				t.Errorf("%q becomes %q, then %q", text, once, of(once))
			}
			if utf8.ValidString(text) && !utf8.ValidString(once) {
				t.Errorf("%q becomes %q", text, once)
			}
		}
	})
}
