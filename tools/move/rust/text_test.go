package rust

import (
	"slices"
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/tools/move/splice"
)

func read(text string) *rustText { return rustTextOf(source.New("a.rs", text)) }

func TestItems(t *testing.T) {
	f := read(`//! Doc.
#![allow(dead_code)]
use a::{b, c as d};

/// One.
#[derive(Debug)] // derived
pub(crate) struct One<'a, const N: usize>([u8; N], &'a str);
pub const fn two() -> [u8; 2] { [b'{', b'}'] }
const THREE: [u8; 1] = { [3] };
extern "C" fn four() {}
unsafe impl<'a, T: Fn(u8) -> T> Send for five::One<'a, 3> {}
impl<T> From<T> for &One<T> where T: Copy { }
macro_rules! six { () => { struct Hidden; } }
six!();
mod seven { fn eight() {} }
static mut NINE: u8 = 1;
async fn ten() {}
`)
	var got []string
	for _, item := range f.top.items {
		got = append(got, item.kind+" "+item.name)
	}
	want := []string{"use ", "struct One", "fn two", "const THREE", "fn four", "impl ", "impl ", "macro_rules six",
		"macro call ", "mod seven", "static NINE", "fn ten"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	one := f.top.items[1]
	if lead := f.content()[one.lead:one.head]; !strings.HasPrefix(lead, "/// One.") || f.visibility(one) != "pub(crate)" {
		t.Errorf("%q %q", lead, f.visibility(one))
	}
	if name := f.implements(f.top.items[6]); name != "One" {
		t.Error(name)
	}
	if inner := f.top.items[9].inner; inner == nil || inner.named("eight") == nil {
		t.Error("no inline module")
	}
}

func TestPrinted(t *testing.T) {
	for _, c := range []struct{ text, gone, want string }{
		{"use a::{b, c};", "b", "a::c"},
		{"use a::{b, c, d};", "c", "a::{b, d}"},
		{"use a::{self, c};", "c", "a::{self}"},
		{"use a::b;", "b", ""},
		{"use a::{b::{c}, d};", "c", "a::d"},
		{"use a::{\n    b,\n    c,\n    d as e,\n};", "c", "a::{\n    b,\n    d as e,\n}"},
	} {
		f := read(c.text)
		for _, leaf := range f.uses[0].tree.leaves() {
			leaf.gone = f.local(leaf) == c.gone
		}
		if got := f.printed(f.uses[0].tree, nil); got != c.want {
			t.Errorf("%q without %s: %q", c.text, c.gone, got)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct {
		visibility, declared, from string
		want                       bool
	}{
		{"", "a::b", "a::b::c", true},
		{"", "a::b", "a::c", false},
		{"pub(super)", "a::b", "a::c", true},
		{"pub(super)", "a::b", "d", false},
		{"pub(incrate::a)", "a::b", "a::c", true},
		{"pub(incrate::a)", "a::b", "d", false},
		{"pub(crate)", "a", "d", true},
	} {
		got := rustVisible(c.visibility, strings.Split(c.declared, "::"), strings.Split(c.from, "::"))
		if got != c.want {
			t.Errorf("%s of %s in %s: %v", c.visibility, c.declared, c.from, got)
		}
	}
}

func TestTidied(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"use a;\n\nfn b() {}\n", "\nfn b() {}\n", "fn b() {}\n"},
		{"a\n\nb\n\nc\n", "a\n\n\nc\n", "a\n\nc\n"},
		{"a\r\n\r\nb\r\n", "a\r\n\r\n", "a\r\n"},
		{"a\n\n\nb\n", "a\n\n\nc\n", "a\n\n\nc\n"},
	} {
		if got := tidied(c.before, c.after); got != c.want {
			t.Errorf("%q: %q", c.after, got)
		}
	}
	text := "a\n\n\nb\n"
	if got := tidied("a\n", text, splice.Replace(2, 2, "\n\n\nb\n")); got != text {
		t.Errorf("%q", got)
	}
}
