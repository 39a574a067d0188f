package tests

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// goName matches the functions that go test runs with -run (cmd/go, "Testing functions"); benchmarks are not among
// them.
var goName = source.LazyRegexp(`^(?:Test|Fuzz|Example)(?:$|[^a-z])`)

// goTests: functions of _test.go files by their names; an example only runs with the output that it is to have.
func goTests(text *source.Text, symbols []lsp.Symbol) (out []Test) {
	if !strings.HasSuffix(text.Path, "_test.go") {
		return nil
	}
	for _, sym := range symbols {
		body := between(text, sym.Range.Start, sym.Range.End)
		if sym.Kind != "function" || !goName.MatchString(sym.Name) ||
			strings.HasPrefix(sym.Name, "Example") && !strings.Contains(strings.ToLower(body), "output:") {
			continue
		}
		out = append(out, Test{Path: text.Path, Parts: []string{sym.Name}, Range: sym.Range,
			always: sym.Name == "TestMain"})
	}
	return out
}

// rustTest matches the attribute of a test: #[test], #[tokio::test], #[rstest], #[test_case(…)].
var rustTest = source.LazyRegexp(`#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b`)

// rustTests: functions with an attribute, in any file.
func rustTests(text *source.Text, symbols []lsp.Symbol) (out []Test) {
	if !strings.Contains(text.Content(), "test") && !strings.Contains(text.Content(), "quickcheck") {
		return nil
	}
	each(symbols, nil, func(sym lsp.Symbol, parts []string) bool {
		if sym.Kind.IsFunction() && rustTest.MatchString(between(text, sym.Range.Start, sym.NameAt.Start)) {
			out = append(out, Test{Path: text.Path, Parts: parts, Range: sym.Range})
		}
		return !sym.Kind.IsFunction()
	})
	return out
}

// pythonSetup are the methods and functions that unittest and pytest run before or after each test around them.
var pythonSetup = source.LazyRegexp(`^(?:setUp|tearDown|setup|teardown)(?:$|Class$|Module$|_(?:class|method|module|function)$)`)

// pythonTests: functions and methods whose names begin with test, in classes whose names begin with Test or that
// derive from a TestCase (pytest, python_files and python_classes; unittest).
func pythonTests(text *source.Text, symbols []lsp.Symbol) (out []Test) {
	stem := strings.TrimSuffix(filepath.Base(text.Path), ".py")
	if !strings.HasPrefix(stem, "test_") && !strings.HasSuffix(stem, "_test") && stem != "tests" && stem != "test" {
		return nil
	}
	each(symbols, nil, func(sym lsp.Symbol, parts []string) bool {
		switch {
		case sym.Kind == "class":
			head := text.Line(sym.NameAt.Start.Line)
			return strings.HasPrefix(sym.Name, "Test") || strings.Contains(head, "TestCase")
		case sym.Kind.IsFunction():
			setup := pythonSetup.MatchString(sym.Name)
			if setup || strings.HasPrefix(sym.Name, "test") {
				out = append(out, Test{Path: text.Path, Parts: parts, Range: sym.Range, always: setup})
			}
		}
		return false
	})
	return out
}

var (
	// macroTest matches the heads of the tests of GoogleTest, with what looks like these.
	macroTest = source.LazyRegexp(`(?m)^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)`)
	// titledTest matches those of Catch2 and doctest, which have a title.
	titledTest = source.LazyRegexp(`(?m)^[ \t]*(?:TEST_CASE|SCENARIO|TEST_CASE_METHOD)\s*\((?:\s*\w+\s*,)?\s*"((?:[^"\\]|\\.)*)"[^\n{;]*\)`)
)

// macroTests: what the macros of test libraries of C++ declare; whether the library is installed does not matter.
func macroTests(text *source.Text, _ []lsp.Symbol) (out []Test) {
	content := text.Content()
	if !strings.Contains(content, "TEST") && !strings.Contains(content, "SCENARIO") {
		return nil
	}
	code := lang.CodeOf(text.Path, text.Content())
	for _, form := range []*source.Regexp{macroTest, titledTest} {
		for _, m := range form.FindAllStringSubmatchIndex(content, -1) {
			open := strings.IndexByte(code[m[1]:], '{')
			if strings.TrimSpace(code[m[0]:m[1]]) == "" || open < 0 || strings.TrimSpace(code[m[1]:m[1]+open]) != "" {
				continue
			}
			var parts []string
			for i := 2; i < len(m); i += 2 {
				parts = append(parts, content[m[i]:m[i+1]])
			}
			out = append(out, Test{Path: text.Path, Parts: parts,
				Range: lines(text, m[0], lang.BlockEnd(code, m[1]+open))})
		}
	}
	return out
}

var (
	// scriptCall matches the calls by which the test runners of JavaScript declare tests, groups of tests, and what runs
	// before or after these.
	scriptCall = source.LazyRegexp(`\b(describe|suite|context|it|test|specify|(?:before|after)(?:Each|All)?)\b((?:\s*\.\s*[A-Za-z]+)*)\s*(?:<[^()]*>)?\s*(\(|` + "`" + `)`)
	// scriptRunner matches what brings these names into a file whose name does not say that it holds tests.
	scriptRunner = source.LazyRegexp(`['"](?:vitest|@jest/globals|node:test|bun:test|@playwright/test|mocha)['"]`)
)

// scriptTests: calls of describe, it and test with a title.
func scriptTests(text *source.Text, _ []lsp.Symbol) (out []Test) {
	content := text.Content()
	if !IsFile(text.Path) && !scriptRunner.MatchString(content) {
		return nil
	}
	code := lang.CodeOf(text.Path, text.Content())
	for _, m := range scriptCall.FindAllStringSubmatchIndex(content, -1) {
		if code[m[0]] == ' ' || m[0] > 0 && strings.IndexByte(".$", code[m[0]-1]) >= 0 {
			continue // in a string, or a member
		}
		name, open := content[m[2]:m[3]], m[6]
		if strings.Contains(content[m[4]:m[5]], "each") || strings.Contains(content[m[4]:m[5]], "for") {
			open = behindTable(content, code, open)
		}
		if open < 0 || open >= len(code) || code[open] != '(' {
			continue
		}
		t := Test{Path: text.Path, Range: lines(text, m[0], lang.BlockEnd(code, open)),
			group: slices.Contains([]string{"describe", "suite", "context"}, name)}
		if strings.HasPrefix(name, "before") || strings.HasPrefix(name, "after") {
			t.always = true
		} else {
			t.Parts = []string{title(content[open+1:])}
		}
		for _, outer := range slices.Backward(out) {
			if outer.group && outer.holds(t.Range.Start.Line) && outer.holds(t.Range.End.Line) {
				t.Parts = slices.Concat(outer.Parts, t.Parts)
				break
			}
		}
		out = append(out, t)
	}
	return withTitles(out)
}

// withTitles leaves out calls without a title.
func withTitles(all []Test) (out []Test) {
	for _, t := range all {
		if t.always || !slices.Contains(t.Parts, "") {
			out = append(out, t)
		}
	}
	return out
}

// behindTable returns the offset behind the table of test.each, where the title and the function of the test stand; -1
// where there is none.
func behindTable(content, code string, open int) int {
	end := -1
	switch {
	case content[open] == '(':
		end = lang.BlockEnd(code, open)
	case content[open] == '`':
		if i := strings.IndexByte(content[open+1:], '`'); i >= 0 {
			end = open + i + 2
		}
	}
	if end < 0 {
		return -1
	}
	return end + len(code[end:]) - len(strings.TrimLeft(code[end:], " \t\r\n"))
}

// title is the title at the beginning of arguments, "" where there is none that is written as a string. What a
// template puts into it is left as it is written.
func title(arguments string) string {
	arguments = strings.TrimLeft(arguments, " \t\r\n")
	if arguments == "" || strings.IndexByte("'\"`", arguments[0]) < 0 {
		return ""
	}
	for i := 1; i < len(arguments); i++ {
		switch arguments[i] {
		case '\\':
			i++
		case arguments[0]:
			return unescaped(arguments[1:i])
		}
	}
	return ""
}

// unescaped is the text of a string without the backslashes before quotes.
func unescaped(written string) string {
	for _, quote := range []string{`'`, `"`, "`"} {
		written = strings.ReplaceAll(written, `\`+quote, quote)
	}
	return written
}
