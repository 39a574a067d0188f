package golang

import (
	"go/scanner"
	"go/token"
	"strings"
)

// LocalFunction reports whether only sources of the same folder can use a function that a source declares on a line:
// its name is not exported, or it is in a program or a test. It returns false for a method, which an interface may
// reach from elsewhere, and for what is not a function.
func LocalFunction(path, text, name string, line int) bool {
	if !strings.HasSuffix(path, "_test.go") && token.IsExported(name) && PackageName(text) != "main" {
		return false
	}
	declared := false
	all := eachName(text, name, func(at int, function bool) bool {
		declared = declared || function && at == line
		return !declared
	})
	return all && declared
}

// Uses reports whether a source may use a function or variable of its package by name: the name is in it elsewhere
// than in the package clause and behind func. It returns true for a text that cannot be scanned as Go.
func Uses(text, name string) bool {
	used := false
	all := eachName(text, name, func(_ int, function bool) bool {
		used = !function
		return !used
	})
	return used || !all
}

// eachName visits the lines in which a name is an identifier, without the package clause, until visit returns false;
// function says that it is declared there as a function. all is false when the text has an error that hides
// identifiers.
func eachName(text, name string, visit func(line int, function bool) bool) (all bool) {
	if !strings.Contains(text, name) {
		return true
	}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	before := token.ILLEGAL
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return s.ErrorCount == 0
		case tok == token.IDENT && lit == name && before != token.PACKAGE:
			if !visit(file.PositionFor(pos, false).Line, before == token.FUNC) {
				return true
			}
		}
		before = tok
	}
}
