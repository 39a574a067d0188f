package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/config"
	"lspi/contract"
)

// colours are the SGR codes of the levels (ECMA-48).
var colours = map[Level]string{OK: "32", Note: "36", Warning: "33", Problem: "31"}

// sheet writes a report in columns: the level, then the text. What belongs to a line stands below it, indented.
type sheet struct {
	b      strings.Builder
	colour bool
}

// Text writes the report for people, with colours for a terminal if colour is set.
func (r *Report) Text(out io.Writer, colour bool) error {
	s := &sheet{colour: colour}
	s.title("Workspace")
	s.below(fmt.Sprintf("%s (%s)", r.Workspace.Root, r.Workspace.From))
	for _, root := range r.Workspace.Others {
		s.below("also allowed: " + root)
	}
	if r.Workspace.Trust.Trusted {
		s.below("trusted: " + r.Workspace.Trust.Why)
	}
	s.checks(r.Workspace.Checks)
	s.configuration(r.Config)
	s.languages(r.Languages)
	if len(r.Servers) > 0 {
		s.title("Servers")
	}
	for _, server := range r.Servers {
		s.server(server)
	}
	if len(r.MCPServers) > 0 {
		s.title("Other MCP servers")
	}
	for _, server := range r.MCPServers {
		s.mcpServer(server)
	}
	if len(r.Hosts) > 0 {
		s.title("Hosts")
	}
	for _, h := range r.Hosts {
		s.host(h)
	}
	if len(r.Checks) > 0 {
		s.title("Machine")
	}
	s.checks(r.Checks)
	s.b.WriteString("\n" + r.verdict() + "\n")
	_, err := io.WriteString(out, s.b.String())
	return err
}

// Brief writes what a user needs who has just set lspi up: the hosts that have it, the languages that work, and what
// does not work.
func (r *Report) Brief(out io.Writer, colour bool) error {
	s := &sheet{colour: colour}
	for _, h := range r.Hosts {
		if h.State != HostWithout && h.State != HostOff {
			s.host(h)
		}
	}
	for _, l := range r.Languages {
		if l.OK {
			s.line(OK, fmt.Sprintf("%s: %s works", l.ID, strings.Join(l.Servers, ", ")))
		}
	}
	for _, v := range r.Servers {
		if v.State != Works && v.Needed {
			s.server(v)
		}
	}
	for _, v := range r.MCPServers {
		if v.State != MCPWorks && len(v.Checks) > 0 {
			s.mcpServer(v)
		}
	}
	s.b.WriteString(r.verdict() + "\n")
	_, err := io.WriteString(out, s.b.String())
	return err
}

// verdict returns the last line: whether all that is needed works, and the counts.
func (r *Report) verdict() string {
	var rest []string
	for _, c := range []struct {
		n    int
		name string
	}{{r.Problems, "problem"}, {r.Warnings, "warning"}, {r.Notes, "note"}} {
		if c.n > 0 {
			rest = append(rest, fmt.Sprintf("%d %s", c.n, plural(c.n, c.name)))
		}
	}
	text := "Something that this workspace needs does not work"
	switch {
	case !r.OK && r.Problems == 0:
		text = "All that this workspace needs works, but --strict allows no warning"
	case !r.OK:
	case slices.ContainsFunc(r.Workspace.Checks, func(c Check) bool { return c.Name == nothingToServe }):
		text = "This workspace needs no language server"
	default:
		text = "All that this workspace needs works"
	}
	if len(rest) > 0 {
		text += ": " + strings.Join(rest, ", ")
	}
	return text + "."
}

func (s *sheet) title(text string) {
	if s.b.Len() > 0 {
		s.b.WriteString("\n")
	}
	if s.colour {
		text = "\x1b[1m" + text + "\x1b[0m"
	}
	s.b.WriteString(text + "\n")
}

// line writes a finding with its level.
func (s *sheet) line(level Level, text string) {
	name := fmt.Sprintf("%-8s", level)
	if s.colour {
		name = "\x1b[" + colours[level] + "m" + name + "\x1b[0m"
	}
	fmt.Fprintf(&s.b, "  %s %s\n", name, contract.OneLine(text))
}

// under writes a line that belongs to the one before.
func (s *sheet) under(text string) { fmt.Fprintf(&s.b, "%11s%s\n", "", contract.OneLine(text)) }

func (s *sheet) below(text string) { s.b.WriteString("  " + contract.OneLine(text) + "\n") }

func (s *sheet) fix(fixes []string) {
	for _, f := range fixes {
		s.under("→ " + f)
	}
}

func (s *sheet) checks(checks []Check) {
	for _, c := range checks {
		s.line(c.Level, c.Message)
		s.fix(c.Fix)
	}
}

func (s *sheet) configuration(c Config) {
	s.title("Configuration")
	if len(c.Sources) == 0 {
		s.line(OK, "no file: the defaults apply")
	}
	for _, source := range c.Sources {
		trust := "trusted"
		if !source.Trusted {
			trust = "not trusted, so it may only choose among known servers" // what it does beyond is a finding
		}
		s.line(OK, fmt.Sprintf("%s (%s, %s)", source.Path, source.Kind, trust))
	}
	for _, f := range c.Findings {
		level := Problem
		if f.Severity == config.SeverityWarning {
			level = Warning
		}
		s.line(level, f.String())
		if f.Fix != "" {
			s.fix([]string{f.Fix})
		}
	}
}

func (s *sheet) languages(all []Language) {
	s.title("Languages")
	if len(all) == 0 {
		s.below("no file of a language that a known server understands")
	}
	for _, l := range all {
		level, servers := OK, strings.Join(l.Servers, ", ")
		switch {
		case !l.OK && l.Needed:
			level = Problem
		case !l.OK:
			level = Note
		}
		if servers == "" {
			servers = "not checked"
		}
		if l.Stray {
			servers += "  (few files, or of tests alone)"
		}
		s.line(level, fmt.Sprintf("%-16s %6d %-6s %s", l.ID, l.Files, plural(l.Files, "file"), servers))
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// server writes a server with its checks. The check that explains a failure is part of the first line; then stderr and
// the ways to install are left out, because they would distract from it.
func (s *sheet) server(v Server) {
	head := v.ID
	if v.Version != "" {
		head += " " + v.Version
	}
	switch v.State {
	case Missing:
		s.line(v.level(Note), fmt.Sprintf("%s is not installed (%s)", head, strings.Join(v.Tried, "; ")))
		s.fix(v.Install)
	case Fails:
		why := Check{Message: v.Error}
		if i := slices.IndexFunc(v.Checks, v.isCause); i >= 0 {
			why = v.Checks[i]
		}
		s.line(v.level(Warning), fmt.Sprintf("%s does not work: %s", head, why.Message))
		s.fix(why.Fix)
		if !v.explained() {
			for _, line := range v.Stderr {
				s.under("| " + line)
			}
		}
	default:
		s.line(OK, fmt.Sprintf("%s  %s", head, v.Command))
		s.working(v)
	}
	for _, c := range v.Checks {
		if v.isCause(c) {
			continue
		}
		s.line(c.Level, v.ID+": "+c.Message)
		s.fix(c.Fix)
	}
	if v.State == Fails && !v.explained() {
		s.fix(v.Install)
	}
}

func (s *sheet) mcpServer(v MCPServer) {
	switch v.State {
	case MCPWorks:
		s.line(OK, v.ID+"  "+v.Command)
		s.under(fmt.Sprintf("%s, started and gave its lists in %s", v.Version, span(v.Took)))
		s.under(v.has())
	case MCPDisabled:
		s.line(OK, v.ID+" is switched off (enabled = false)")
	case MCPLeftOut:
		s.line(OK, v.ID+" is not started: the preset in use leaves it out")
	case MCPNotUsable:
		if len(v.Checks) == 0 {
			s.line(Warning, v.ID+": it is not used: "+v.Error+" (see above)")
		}
	}
	for _, c := range v.Checks {
		s.line(c.Level, v.ID+": "+c.Message)
		if v.State == MCPMissing || v.State == MCPFails {
			s.under(v.Command)
		}
		s.fix(c.Fix)
	}
	if v.Kept && v.State != MCPWorks {
		s.under("kept of an earlier time: " + v.has())
	}
	for _, line := range v.Stderr {
		s.under("| " + line)
	}
	for _, w := range v.Warnings {
		s.under(w)
	}
}

// has counts what an MCP server offers.
func (v MCPServer) has() string {
	return fmt.Sprintf("%d %s, %d %s, %d %s", v.Tools, plural(v.Tools, "tool"), v.Prompts, plural(v.Prompts, "prompt"),
		v.Resources, plural(v.Resources, "resource"))
}

func (s *sheet) host(h Host) {
	if len(h.Checks) == 0 {
		s.line(OK, h.text())
	}
	for i, c := range h.Checks {
		switch {
		case h.State == HostWorks && i == 0:
			s.line(OK, h.text())
			fallthrough
		case i > 0:
			s.line(c.Level, h.Title+": "+c.Message)
		default:
			s.line(c.Level, h.text()+": "+c.Message)
		}
		s.fix(c.Fix)
	}
}

// level returns Problem when the workspace needs the server, else otherwise.
func (v Server) level(otherwise Level) Level {
	if v.Needed {
		return Problem
	}
	return otherwise
}

// explained reports whether a check of the server says what to do.
func (v Server) explained() bool {
	return slices.ContainsFunc(v.Checks, func(c Check) bool {
		return (c.Level != Note || v.isCause(c)) && len(c.Fix) > 0
	})
}

// working writes what a server that works did: how long it took, its question and answer, which tools it answers.
func (s *sheet) working(v Server) {
	text := "started in " + span(v.Start)
	switch {
	case v.Ready && v.Known:
		text += ", ready after " + span(v.ReadyTime)
	case !v.Known:
		text += ", gives no sign of when it has loaded the project"
	}
	if v.Memory > 0 {
		text += fmt.Sprintf(", %d MB", v.Memory>>20)
	}
	switch v.Verified {
	case "":
	case v.Version:
		text += "; lspi is tested with this version"
	default:
		text += "; lspi is tested with " + v.Verified
	}
	s.under(text)
	if len(v.Projects) > 0 {
		s.under("takes in " + told(v.Projects))
	}
	for _, c := range v.Caches {
		s.under(fmt.Sprintf("keeps %s: %s, %s; another worktree %s", c.Holds, c.Folder, c.Usage, c.Worktrees))
	}
	if len(v.NotRun) > 0 {
		s.under("not run, because the workspace is not trusted: " + strings.Join(v.NotRun, ", "))
	}
	if len(v.Fetches) > 0 {
		s.under("may fetch over the network, where files name it: " + strings.Join(v.Fetches, ", "))
	}
	if v.Question != "" {
		s.under(fmt.Sprintf("%s → %s (%s)", v.Question, v.Answer, span(v.Asked)))
	}
	switch {
	case len(v.Lacks) == 0:
	case len(v.Serves) < len(v.Lacks):
		s.under("answers only " + strings.Join(v.Serves, ", "))
	default:
		s.under("does not answer " + strings.Join(v.Lacks, ", "))
	}
}

// span writes a duration of ms milliseconds for people.
func span(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}
