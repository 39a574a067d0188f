// House measures the shape of this code: how long its files and functions are, how many methods a type has, how
// many files of a package refer to each other in a ring, how much of it is comment, which names differ by case
// alone, how many lines are too long. It prints a list and a table in Markdown; with -check it prints nothing and
// fails when the code has grown beyond its limits. Its tests look at the whole tree: imports, stray calls, the
// environment, facts of errors, paths in documents.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "print nothing; fail when the code is beyond its limits")
	flag.Parse()
	dir := cmp.Or(flag.Arg(0), ".")
	tree, err := Read(context.Background(), dir)
	if err != nil {
		log.Fatal(err)
	}
	if *check {
		if beyond := exceeded(tree); beyond != nil {
			log.Fatal(strings.Join(beyond, "\n"))
		}
		return
	}
	fmt.Fprint(os.Stdout, table(tree))
}

// longFunction and largeType are where a function and a type are counted as large.
const (
	longFunction = 60 // lines
	largeType    = 60 // methods
)

// table writes the figures of the whole tree in a list, and those of each package in a table.
func table(tree *Tree) string {
	var b strings.Builder
	functions := tree.Functions()
	comments, tooLong, byCase, long, large := 0, 0, 0, 0, 0
	for _, p := range tree.Packages {
		comments, tooLong, byCase = comments+p.Comments, tooLong+len(p.TooLong), byCase+len(p.ByCase)
		large += len(Top(p.Methods, largeType+1))
	}
	for _, n := range functions {
		if n > longFunction {
			long++
		}
	}
	fmt.Fprintf(&b, "- lines without tests: %d (of the program lspi %d), %d %% of them comments; lines of tests: %d\n",
		tree.Lines(), tree.LinkedLines(), 100*comments/max(tree.Lines(), 1), tree.TestLines)
	fmt.Fprintf(&b, "- functions: %d: median %d, p90 %d, longest %d; of more than %d lines: %d\n", len(functions),
		Quantile(functions, .5), Quantile(functions, .9), Quantile(functions, 1), longFunction, long)
	fmt.Fprintf(&b, "- types of more than %d methods: %d; names that differ by case alone: %d; "+
		"lines over %d columns, tests included, strings aside: %d\n\n", largeType, large, byCase, maxColumns, tooLong)
	fmt.Fprintln(&b, "| package | files | lines | comments | functions: median, p90, max | ring of files | "+
		"methods of a type (30 and more) | fields of a struct (40 and more) | differ by case | over columns |")
	fmt.Fprintln(&b, "|---|---|---|---|---|---|---|---|---|---|")
	for _, p := range tree.Packages {
		fmt.Fprintf(&b, "| %s | %d | %d | %d %% | %d, %d, %d (%s) | %d | %s | %s | %s | %d |\n", p.Dir, len(p.Files),
			p.Lines, 100*p.Comments/max(p.Lines, 1), Quantile(p.Functions, .5), Quantile(p.Functions, .9),
			Quantile(p.Functions, 1), p.Longest, len(p.Ring), listTop(p.Methods, 30), listTop(p.Fields, 40),
			strings.Join(p.ByCase, ", "), len(p.TooLong))
	}
	return b.String()
}

// listTop lists the names that are counted at least so often, each with its number.
func listTop(counts map[string]int, least int) string {
	var parts []string
	for _, c := range Top(counts, least) {
		parts = append(parts, fmt.Sprintf("%s %d", c.Name, c.N))
	}
	return strings.Join(parts, ", ")
}
