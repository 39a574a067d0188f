package main

import (
	"cmp"
	"slices"
)

// Package is the shape of one package without its tests.
type Package struct {
	// Dir is its folder below the module's root, with forward slashes.
	Dir string
	// Linked reports whether the program that users run contains the package; the others test, measure or generate.
	Linked bool
	// Lines counts all lines of its files; Comments those that hold nothing but a comment.
	Lines, Comments int
	// Files are its files' names, sorted.
	Files []string
	// Functions are the lengths of its functions and methods in lines, ascending.
	Functions []int
	// Longest is the name of its longest function.
	Longest string
	// Methods counts the methods by type.
	Methods map[string]int
	// Fields counts the fields by struct type; an embedded struct counts as one.
	Fields map[string]int
	// TooLong has the lines of more than maxColumns characters, tests included and strings aside, as file:line.
	TooLong []string
	// ByCase has the names that differ by case alone, as "See/see"; see byCase.
	ByCase []string
	// Ring holds the files of the largest set of files in which each leads to each other by references; empty when no
	// two files do.
	Ring []string
}

// Tree is the shape of a module.
type Tree struct {
	// Packages are sorted by folder; packages of tests only are not among them.
	Packages []Package
	// TestLines counts the lines of all test files.
	TestLines int
}

// Lines counts the lines that are not tests.
func (t *Tree) Lines() int {
	n := 0
	for _, p := range t.Packages {
		n += p.Lines
	}
	return n
}

// LinkedLines counts the lines of the program that users run.
func (t *Tree) LinkedLines() int {
	n := 0
	for _, p := range t.Packages {
		if p.Linked {
			n += p.Lines
		}
	}
	return n
}

// Functions are the lengths of all functions, ascending.
func (t *Tree) Functions() []int {
	var all []int
	for _, p := range t.Packages {
		all = append(all, p.Functions...)
	}
	slices.Sort(all)
	return all
}

// Quantile returns the value at q (0 to 1) of an ascending list, 0 for an empty one.
func Quantile(sorted []int, q float64) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}

// Counted is a name with a number.
type Counted struct {
	Name string
	N    int
}

// Top returns the entries of counts that are at least least, the largest first.
func Top(counts map[string]int, least int) []Counted {
	var top []Counted
	for name, n := range counts {
		if n >= least {
			top = append(top, Counted{name, n})
		}
	}
	slices.SortFunc(top, func(a, b Counted) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Name, b.Name)) })
	return top
}
