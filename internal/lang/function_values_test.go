package lang

import "testing"

func TestFunctionValues(t *testing.T) {
	for text, want := range map[string]bool{
		" = () => 1": true, " = (a, b = f()) => a": true, " = async (a) => a": true, "=a=>a": true,
		" = async a => a": true, " = function () {}": true, " = async function* named() {}": true,
		" = <T,>(a: T): a is string => true": true, " = (a: number): { b: number } => ({ b: a })": true,
		": (a: number) => void = (a) => {}": true, ": Map<string, () => void> = () => new Map()": true,
		"?: Handler = (a) => a": true, " =\n  (a) =>\n    a": true, " = (a: () => void): void => a()": true,

		" = 1": false, " = (1 + 2) * 3": false, " = (a) ? b : c => d": false, ": () => void": false,
		": () => void;\n const x = () => 1": false, " = [() => 1]": false, " = { f: () => 1 }": false,
		" = functional": false, " == (a) => a": false, ", b = () => 1": false, " = (a": false, "": false,
		" = (a);\n(b) => c": false, " = wrap((a) => a)": false,
	} {
		if got := ByID("typescriptreact").FunctionValue(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{" = lambda x: x": true, ": Callable[[int], int] = lambda x: x": true,
		"=lambda: 0": true, " = 1": false, " = lambdas": false, " = [lambda: 0]": false, "\n= lambda: 0": false} {
		if got := ByID("python").FunctionValue(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
