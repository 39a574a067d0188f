package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// reloadWorld is everything on disk that decides about a session of TestRandomReloads. It is not changed: an edit
// makes another one.
type reloadWorld struct {
	user    *reloadUser              // the user's config.toml; nil when there is none
	presets map[string]*reloadPreset // presets/NAME.toml beside it
	project *reloadProject           // the workspace's file; nil when there is none
	trusted int                      // the revision of the workspace's file that the user trusts; 0 for none
	folder  bool                     // the user trusts the workspace
}

// Each file has a revision, which get_current_config shows: in a number that decides nothing.
const (
	firstTimeout = 40_000    // mcp.call_timeout_ms of the user's file, less the revision
	firstCap     = 20_000    // max_total_chars of a preset
	firstHardCap = 1_000_000 // mcp.output.max_total_chars_hard of the workspace's file
)

type reloadUser struct {
	rev             int
	broken          bool
	allow, exclude  []string // nil: the file does not say
	readOnly        bool
	preset          string
	inline          map[string]*reloadPreset // [presets.NAME]
	shortReferences bool                     // [tools.find_references] include_declaration = false
	one             int                      // the script of the server for .one; 0: there is no such server
	two             bool                     // there is a server for .two
}

type reloadPreset struct {
	rev            int
	broken         bool
	tools, servers []string // nil: all
	readOnly       bool
}

type reloadProject struct {
	rev      int
	broken   bool
	exclude  []string // nil: the file does not say
	readOnly bool
	server   bool // it brings a server for .three, which runs where the file is trusted
}

func tomlList(list []string) string {
	raw, _ := json.Marshal(append([]string{}, list...))
	return string(raw)
}

// text is the file; script names that of each server.
func (u *reloadUser) text(program, scripts string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "catalogue = false\nmcp.call_timeout_ms = %d\n", firstTimeout+u.rev)
	if u.readOnly {
		b.WriteString("mcp.read_only = true\n")
	}
	if u.preset != "" {
		fmt.Fprintf(&b, "mcp.preset = %q\n", u.preset)
	}
	if u.allow != nil {
		fmt.Fprintf(&b, "mcp.tools.allow = %s\n", tomlList(u.allow))
	}
	if u.exclude != nil {
		fmt.Fprintf(&b, "mcp.tools.exclude = %s\n", tomlList(u.exclude))
	}
	if u.shortReferences {
		b.WriteString("[tools.find_references]\ninclude_declaration = false\n")
	}
	for _, name := range slices.Sorted(maps.Keys(u.inline)) {
		fmt.Fprintf(&b, "[presets.%s]\n%s", name, u.inline[name].text())
	}
	if u.one > 0 {
		b.WriteString(serverText("one", "one", program, fmt.Sprintf("%s/one%d.json", scripts, u.one)))
	}
	if u.two {
		b.WriteString(serverText("two", "two", program, scripts+"/two.json") + buildFolders)
	}
	return b.String() + brokenLine(u.broken)
}

func brokenLine(broken bool) string {
	if broken {
		return "no key = of this table\n"
	}
	return ""
}

func serverText(id, extension, program, script string) string {
	return fmt.Sprintf("[[servers]]\nid = %q\nkind = \"generic\"\ncommand = %q\nargs = [%q]\nextensions = [%q]\n", id,
		program, script, extension)
}

// buildFolders has a server leave out folders (obj, alire), as most rows of the catalogue do: what a journal
// follows is the same without it.
const buildFolders = "adapter = \"ada-language-server\"\n"

func (p *reloadPreset) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "max_total_chars = %d\n", firstCap+p.rev)
	if p.tools != nil {
		fmt.Fprintf(&b, "tools = %s\n", tomlList(p.tools))
	}
	if p.servers != nil {
		fmt.Fprintf(&b, "servers = %s\n", tomlList(p.servers))
	}
	if p.readOnly {
		b.WriteString("read_only = true\n")
	}
	return b.String() + brokenLine(p.broken)
}

func (p *reloadProject) text(program, scripts string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcp.output.max_total_chars_hard = %d\n", firstHardCap+p.rev)
	if p.readOnly {
		b.WriteString("mcp.read_only = true\n")
	}
	if p.exclude != nil {
		fmt.Fprintf(&b, "mcp.tools.exclude = %s\n", tomlList(p.exclude))
	}
	if p.server {
		b.WriteString(serverText("three", "three", program, scripts+"/three.json"))
	}
	return b.String() + brokenLine(p.broken)
}

// broken reports whether the configuration has an error, so that the last good one goes on.
func (w *reloadWorld) broken() bool {
	for _, p := range w.presets {
		if p.broken {
			return true
		}
	}
	return w.projectTrusted() && w.project.broken || w.user != nil && (w.user.broken || w.user.preset != "" &&
		w.preset() == nil)
}

// preset is the one in use; nil for none, and where it does not exist.
func (w *reloadWorld) preset() *reloadPreset {
	if w.user == nil || w.user.preset == "" {
		return nil
	}
	if p := w.user.inline[w.user.preset]; p != nil {
		return p
	}
	return w.presets[w.user.preset]
}

// projectTrusted reports whether the workspace's file counts as the user's own.
func (w *reloadWorld) projectTrusted() bool { return w.project != nil && w.project.rev == w.trusted }

// applied is the workspace's file, if it counts: one with mistakes that is not trusted does not.
func (w *reloadWorld) applied() *reloadProject {
	if w.project == nil || w.project.broken && !w.projectTrusted() {
		return nil
	}
	return w.project
}

// readOnly: a file of the workspace that does not count might have said so.
func (w *reloadWorld) readOnly() bool {
	preset, project := w.preset(), w.applied()
	return w.user != nil && w.user.readOnly || preset != nil && preset.readOnly || w.project != nil &&
		(project == nil || project.readOnly)
}

// excluded: a file that is not trusted adds to the list of the user, and one that is trusted has its own.
func (w *reloadWorld) excluded() []string {
	var out []string
	if w.user != nil {
		out = w.user.exclude
	}
	switch p := w.applied(); {
	case p == nil || p.exclude == nil:
	case w.projectTrusted():
		out = p.exclude
	default:
		out = slices.Concat(out, p.exclude)
	}
	return out
}

func named(list []string, tool string) bool {
	return slices.ContainsFunc(list, func(item string) bool {
		ok, _ := path.Match(item, tool)
		return ok
	})
}

// refusal is why a tool cannot be called in a world that is not broken; "" when it can. It is written down here
// once more, from docs/configuration.md and not from the code: it is what the test holds the code to.
func (w *reloadWorld) refusal(t *answer.Tool) contract.Kind {
	var allow []string
	if w.user != nil {
		allow = w.user.allow
	}
	p := w.preset()
	writes := t.Class == answer.Write || t.Class == answer.Control || t.Class == answer.Raw
	switch {
	case t.Class == answer.Binding:
		return contract.KindToolDisabled
	case p != nil && p.tools != nil && !named(p.tools, t.Name):
		return contract.KindNotAllowedByPreset
	case w.readOnly() && writes:
		return contract.KindReadOnly
	case t.Class == answer.Raw, t.Provider == session.Recall:
		return contract.KindToolDisabled
	case t.Class == answer.Status:
		return ""
	case slices.Contains(w.excluded(), t.Name), allow != nil && !slices.Contains(allow, t.Name):
		return contract.KindToolDisabled
	case w.readOnly() && t.Class == answer.DryRun && !slices.Contains(allow, t.Name) &&
		(p == nil || !slices.Contains(p.tools, t.Name)):
		return contract.KindReadOnly
	}
	return ""
}

// list is tools/list.
func (w *reloadWorld) list() []string {
	var out []string
	for _, t := range tools.All() {
		if w.refusal(t) == "" {
			out = append(out, t.Name)
		}
	}
	return out
}

// server is why the server of a file cannot be asked; "" when it can.
func (w *reloadWorld) server(id string) contract.Kind {
	there := false
	switch id {
	case "one":
		there = w.user != nil && w.user.one > 0
	case "two":
		there = w.user != nil && w.user.two
	case "three":
		if there = w.applied() != nil && w.applied().server; there && !w.projectTrusted() {
			return contract.KindConfigUntrusted
		}
	}
	p := w.preset()
	switch {
	case !there:
		return contract.KindNoServerForExtension
	case p != nil && p.servers != nil && !slices.Contains(p.servers, id):
		return contract.KindNotAllowedByPreset
	}
	return ""
}

// process stands for the process of a server: it goes on from one world to another one with the same; "" when there
// is none.
func (w *reloadWorld) process(id string) string {
	if w.server(id) != "" {
		return ""
	}
	return fmt.Sprint(id, map[bool]int{true: w.user.one}[id == "one"], ", trusted ", w.folder)
}

// current is what get_current_config answers. fallback is the last world that was not broken, which goes on in a
// broken one.
func (w *reloadWorld) current(fallback *reloadWorld) string {
	trusted, ok := w.folder, !w.broken()
	if !ok {
		trusted = trusted && fallback.folder // trust that is given counts with the next good one
		w = fallback
	}
	var user, preset, project int
	if w.user != nil {
		user = w.user.rev
	}
	if p := w.preset(); p != nil {
		preset = p.rev
	}
	if p := w.applied(); p != nil {
		project = p.rev
	}
	return fmt.Sprintf("revisions %d %d %d, read-only %v, trusted %v, ok %v, %s", user, preset, project, w.readOnly(),
		trusted, ok, strings.Join(w.list(), " "))
}

// goesOn reports whether the fallback may go on in a broken world: not where the user has taken trust back from a
// file that it has.
func (w *reloadWorld) goesOn(fallback *reloadWorld) bool {
	return !fallback.projectTrusted() || w.trusted == fallback.trusted
}
