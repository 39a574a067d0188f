package setup

import (
	"fmt"
	"path/filepath"
	"strings"

	"lspi/cmd/lspi/internal/trust"
)

// somebody is a user without settings, for the paths in documentation.
var somebody = Place{User: trust.User{Home: string(filepath.Separator) + "home",
	Getenv: func(string) string { return "" }}}

// Markdown returns the part of docs/hosts.md about configuration: for each host its files, its own command and the
// entry.
func Markdown() string {
	p := somebody
	var b strings.Builder
	for _, h := range Hosts {
		fmt.Fprintf(&b, "### %s\n\n", h.Title)
		if !h.Tried {
			b.WriteString("Not tried: from its documentation.\n\n")
		}
		l := launch{name, []string{"mcp"}}
		if h.context != "" {
			l.args = append(l.args, "--context", h.context)
		}
		e := h.entry(l, User)
		fmt.Fprintf(&b, "```console not run: it asks on a terminal, and the host is needed\n$ lspi setup %s\n", h.Name)
		if h.command != nil {
			argv := h.command(e)
			fmt.Fprintf(&b, "$ %s   # the same by its own command\n", (&Entry{Command: argv[0], Args: argv[1:]}).Line())
		}
		b.WriteString("```\n\nor, in ")
		places := []string{"`~" + filepath.ToSlash(strings.TrimPrefix(h.file(p), somebody.User.Home)) + "`"}
		if h.project != "" {
			places = append(places, "`"+h.project+"` in the project")
		}
		b.WriteString(strings.Join(places, ", or "))
		language := "json"
		switch f := h.form.(type) {
		case jsonObject:
			if f.strict {
				b.WriteString(" (strict JSON)")
			}
		case tomlTable:
			language = "toml"
		default:
			language = "yaml"
		}
		fmt.Fprintf(&b, ":\n\n```%s\n%s```\n\n", language, h.form.show(h.path, e))
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// HooksMarkdown returns the part of docs/hosts.md about hooks: for each host its files, and what runs lspi hook.
func HooksMarkdown() string {
	var b strings.Builder
	b.WriteString("| host | file | in a project | by default | with `all` also |\n|---|---|---|---|---|\n")
	var none []string
	for _, h := range Hosts {
		t, ok := hookTables[h.Name]
		if !ok {
			none = append(none, h.Title)
			continue
		}
		var changes, all []string
		for _, e := range t.events {
			tools := func(pattern string) string { return "`" + strings.ReplaceAll(pattern, "|", "`, `") + "`" }
			switch {
			case e.all:
				all = append(all, "`"+e.name+"`")
			case e.changes == "":
				changes = append(changes, "`"+e.name+"`")
			default:
				changes = append(changes, "`"+e.name+"` of "+tools(e.changes))
				if e.searches != "" {
					all = append(all, "`"+e.name+"` of "+tools(e.searches))
				}
			}
		}
		fmt.Fprintf(&b, "| %s | `~%s` | `%s` | %s | %s |\n", h.Title,
			filepath.ToSlash(strings.TrimPrefix(t.user(somebody), somebody.User.Home)), t.project,
			strings.Join(changes, "; "), strings.Join(all, "; "))
	}
	fmt.Fprintf(&b, "\nOther hosts have no hooks that lspi knows: %s.\n", strings.Join(none, ", "))
	return b.String()
}
