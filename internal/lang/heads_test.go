package lang

import "testing"

func TestInHead(t *testing.T) {
	for _, c := range []struct {
		language, before string
		want             bool
	}{
		{"typescript", "export class Ring extends Base implements ", true},
		{"typescript", "export class Ring<T extends ", false},
		{"typescript", "export class Ring<T extends Of<A, B>> extends ", true},
		{"typescript", "class Ring extends Mixin(", true},
		{"typescript", "const ring = class extends ", true},
		{"typescript", "interface Ring extends Array<", false},
		{"typescript", "class Ring extends Map<string, Part> implements Base, ", true},
		{"typescript", "class Canvas {\n  add(object: ", false},
		{"typescript", "class Canvas {\n  all<T extends ", false},
		{"javascript", "return class Ring extends ", true},
		{"typescript", "class Ring implements Shape { shape: ", false},
		{"typescript", "const s: ", false},
		{"python", "class Ring(Base, ", true},
		{"python", "class Ring(\n    Base,\n    ", true},
		{"python", "class Ring(Base):\n    x: ", false},
		{"python", "class Ring(Protocol[", false},
		{"python", "class Ring(Base, metaclass=", false},
		{"python", "class Ring(metaclass=Meta, ", true},
		{"python", "class Ring(made(", true},
		{"python", "class Ring(Base): pass\n\ndef f(a: ", false},
		{"rust", "impl<T> ", true},
		{"rust", "impl<T: Into<u8>> ops::", true},
		{"rust", "unsafe impl<F: Fn() -> u8> Shape for &'a mut ", true},
		{"rust", "impl Shape for Ring {\n    fn of(s: &", false},
		{"rust", "impl<T: ", false},
		{"rust", "impl From<", false},
		{"rust", "impl<T> Shape for Ring<T> where T: ", false},
		{"rust", "impl Ring {\n    fn class(class: ", false},
		{"rust", "trait Part: ", false},
		{"rust", "struct Class(", false},
		{"cpp", "struct Ring final : public ", true},
		{"cpp", "struct Ring { ", false},
		{"cpp", "struct Ring {\n public:\n  friend class ", false},
		{"cpp", "class ui::Ring::Part : public ", true},
		{"cpp", "template <class T> void draw(const ", false},
		{"cpp", "template <class T> class Ring : public Base<T>, protected virtual ", true},
		{"cpp", "class Ring : public Base<", false},
		{"cpp", "void draw(struct Ring* r, bool b) : ", false},
		{"cpp", "Ring(class Part* p) : part(", false},
		{"kotlin", "class Ring(val record: ", false},
		{"kotlin", "class Ring(val record: Part) : Base(1), ", true},
		{"kotlin", "class Ring<T> : Base<T> where T : ", false},
		{"swift", "extension Ring: ", true},
		{"php", "return new class extends ", true},
		{"scala", "object Ring extends ", true},
		{"kotlin", "val ring = object : ", true},
		{"kotlin", "class Ring(val record : Int, val shape: ", false},
		{"objective-c", "@interface Ring : ", true},
		{"objective-c", "@interface Ring : NSObject <Base, ", true},
		{"objective-c", "@interface Ring : NSObject\n- (void)add:(", false},
		{"objective-cpp", "class Ring : public ", true},
		{"objective-cpp", "class Ring : public Of<", false},
		{"php", "final class Ring extends Base implements A, ", true},
		{"java", "void add(Record record, Of<", false},
		{"java", "public class Ring extends Base implements ", true},
		{"ruby", "class Ring < ", true},
		{"ruby", "class Ring\n  include ", false},
	} {
		if got := InHead(c.language, c.before); got != c.want {
			t.Errorf("InHead(%s, %q) = %v", c.language, c.before, got)
		}
	}
}
