package setup

import (
	"fmt"
	"path/filepath"
	"strings"

	"lspi/cmd/lspi/internal/trust"
)

// Markdown returns the part of docs/hosts.md about configuration: for each host its files, its own command and the
// entry.
func Markdown() string {
	home := string(filepath.Separator) + "home"
	p := Place{User: trust.User{Home: home, Getenv: func(string) string { return "" }}}
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
		places := []string{"`~" + filepath.ToSlash(strings.TrimPrefix(h.file(p), home)) + "`"}
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
