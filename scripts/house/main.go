// Command house prints the shape of the code (package house) as a table in Markdown. With -check it prints nothing and fails when the
// code has grown beyond its limits.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"lspi/internal/house"
)

func main() {
	check := flag.Bool("check", false, "only hold the code against its limits")
	flag.Parse()
	dir := cmp.Or(flag.Arg(0), ".")
	tree, err := house.Read(context.Background(), dir)
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

func table(tree *house.Tree) string {
	var b strings.Builder
	functions := tree.Functions()
	fmt.Fprintf(&b, "lines without tests %d (of the program lspi %d), of tests %d; functions %d: median %d, p90 %d, longest %d\n\n", tree.Lines(), tree.LinkedLines(), tree.TestLines,
		len(functions), house.Quantile(functions, .5), house.Quantile(functions, .9), house.Quantile(functions, 1))
	fmt.Fprintln(&b, "| package | files | lines | comments | functions: median, p90, max | ring of files | methods of a type (30 and more) | fields of a struct (40 and more) |")
	fmt.Fprintln(&b, "|---|---|---|---|---|---|---|---|")
	for _, p := range tree.Packages {
		fmt.Fprintf(&b, "| %s | %d | %d | %d %% | %d, %d, %d (%s) | %d | %s | %s |\n", p.Dir, len(p.Files), p.Lines, 100*p.Comments/max(p.Lines, 1),
			house.Quantile(p.Functions, .5), house.Quantile(p.Functions, .9), house.Quantile(p.Functions, 1), p.Longest, len(p.Ring), counted(p.Methods, 30), counted(p.Fields, 40))
	}
	return b.String()
}

func counted(counts map[string]int, least int) string {
	var parts []string
	for _, c := range house.Top(counts, least) {
		parts = append(parts, fmt.Sprintf("%s %d", c.Name, c.N))
	}
	return strings.Join(parts, ", ")
}
