// Command gen writes docs/contract.md, docs/doctor.schema.json, docs/seeds.md, and the generated parts of README.md and
// of pages in docs: the tables of tools, configuration keys and servers, of the code that servers run, and of the
// environment variables that do not tell sessions apart. With -check it changes nothing and fails when a file is out of
// date.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/setup"
	"lspi/lsp/launch"
	"lspi/lsp/servers"
	"lspi/tools"
)

const contractFile = "docs/contract.md"

func main() {
	check := flag.Bool("check", false, "fail when a file is out of date instead of writing it")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generatedParts returns the generated tables in pages that people write, by file and name.
func generatedParts() (map[string]map[string]string, error) {
	differences, err := differencesTable()
	return map[string]map[string]string{
		"docs/from-original.md": {"shapes": differences, "kinds": originalKindsTable()},
		"README.md":             {"tools": toolTable()},
		"docs/configuration.md": {"configuration": config.Markdown()},
		"docs/servers.md":       {"servers": serverTable()},
		"docs/security.md":      {"tried": triedTable()},
		"docs/shared.md":        {"terminal": terminalTable()},
		"docs/hosts.md":         {"configuration": setup.Markdown(), "hooks": setup.HooksMarkdown()},
	}, err
}

func run(check bool) error {
	text, err := contractText()
	if err != nil {
		return err
	}
	if err := write(contractFile, text, check); err != nil {
		return err
	}
	if text, err = reportSchema(); err != nil {
		return err
	}
	if err := write(reportFile, text, check); err != nil {
		return err
	}
	if text, err = seedsText(); err != nil {
		return err
	}
	if err := write(seedsFile, text, check); err != nil {
		return err
	}
	parts, err := generatedParts()
	if err != nil {
		return err
	}
	for file, parts := range parts {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text := string(raw)
		for name, table := range parts {
			if text, err = replace(text, name, table); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		if err := write(file, text, check); err != nil {
			return err
		}
	}
	return nil
}

// write writes text to a file unless it has that content already; with check a difference is an error instead.
func write(file, text string, check bool) error {
	raw, err := os.ReadFile(file)
	if err == nil && string(raw) == text {
		return nil
	}
	if check {
		return fmt.Errorf("%s is out of date: run make generate", file)
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// replace replaces what stands between the two comments that mark a generated part.
func replace(text, name, body string) (string, error) {
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
	before, rest, ok := strings.Cut(text, begin)
	if !ok {
		return "", fmt.Errorf("there is no generated part %q", name)
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("the generated part %q does not end", name)
	}
	return before + begin + strings.TrimSpace(body) + "\n" + end + after, nil
}

// terminalTable lists the environment variables that do not tell sessions apart.
func terminalTable() string {
	var b strings.Builder
	b.WriteString("| variable | |\n|---|---|\n")
	for _, v := range launch.PerTerminals() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.Name, v.Why)
	}
	return b.String()
}

// toolTable lists every tool with the first sentence of its description, which says when to use it.
func toolTable() string {
	var b strings.Builder
	b.WriteString("| tool | when to use it |\n|---|---|\n")
	for _, t := range tools.All() {
		first, _, _ := strings.Cut(t.Description, ". ")
		fmt.Fprintf(&b, "| `%s` | %s. |\n", t.Name, strings.TrimSuffix(first, "."))
	}
	return b.String()
}

// triedTable lists the servers that run code of a project, with how their rows in lsp/servers were checked.
func triedTable() string {
	var b strings.Builder
	b.WriteString("| server | tried |\n|---|---|\n")
	for _, s := range servers.Servers() {
		if s.Code != nil {
			how := s.Code.Tried
			if how == "" {
				how = "no, by its documentation"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", s.ID, how)
		}
	}
	return b.String()
}

// serverTable lists all known servers; those that the tests run come first.
func serverTable() string {
	var b strings.Builder
	b.WriteString("| server | files | verified |\n|---|---|---|\n")
	for _, verified := range []bool{true, false} {
		for _, s := range servers.Servers() {
			if (s.Verified != "") != verified {
				continue
			}
			var files []string
			for _, l := range s.Languages {
				for _, e := range l.Extensions {
					files = append(files, "."+e)
				}
				files = append(files, l.FileNames...)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", s.ID, shorten(files, 8), s.Verified)
		}
	}
	return b.String()
}

func shorten(all []string, n int) string {
	if len(all) <= n {
		return strings.Join(all, " ")
	}
	return strings.Join(all[:n], " ") + fmt.Sprintf(" (+%d)", len(all)-n)
}
