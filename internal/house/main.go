// House measures the shape of this code: how long its files and functions are, how many methods a type has, how
// many files of a package refer to each other in a ring, how much of it is comment. It prints a table in Markdown;
// with -check it prints nothing and fails when the code has grown beyond its limits. Its tests look at the whole
// tree: imports, stray calls, the environment, facts of errors, paths in documents.
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
	check := flag.Bool("check", false, "only hold the code against its limits")
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

func table(tree *Tree) string {
	var b strings.Builder
	functions := tree.Functions()
	fmt.Fprintf(&b,
		"lines without tests %d (of the program lspi %d), of tests %d; functions %d: median %d, p90 %d, longest %d\n\n", tree.Lines(), tree.LinkedLines(), tree.TestLines,
		len(functions), Quantile(functions, .5), Quantile(functions, .9), Quantile(functions, 1))
	fmt.Fprintln(&b,
		"| package | files | lines | comments | functions: median, p90, max | ring of files | methods of a type (30 and more) | fields of a struct (40 and more) |")
	fmt.Fprintln(&b, "|---|---|---|---|---|---|---|---|")
	for _, p := range tree.Packages {
		fmt.Fprintf(&b, "| %s | %d | %d | %d %% | %d, %d, %d (%s) | %d | %s | %s |\n", p.Dir, len(p.Files), p.Lines,
			100*p.Comments/max(p.Lines, 1),
			Quantile(p.Functions, .5), Quantile(p.Functions, .9), Quantile(p.Functions, 1), p.Longest, len(p.Ring),
			counted(p.Methods, 30), counted(p.Fields, 40))
	}
	return b.String()
}

func counted(counts map[string]int, least int) string {
	var parts []string
	for _, c := range Top(counts, least) {
		parts = append(parts, fmt.Sprintf("%s %d", c.Name, c.N))
	}
	return strings.Join(parts, ", ")
}
