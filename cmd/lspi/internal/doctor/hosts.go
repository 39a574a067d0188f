package doctor

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/setup"
	"lspi/contract"
)

// Host is a file of an MCP host with what it has for lspi, or a host of this machine without lspi.
type Host struct {
	Name  string `json:"name"`  // of lspi setup
	Title string `json:"title"` // its name for people
	Scope string `json:"scope"` // user or project
	File  string `json:"file"`  // absolute
	// works: what it starts answers initialize; without: it is on this machine and does not have lspi
	State   HostState `json:"state"`
	Command []string  `json:"command,omitempty"`      // what the host starts
	Program string    `json:"program,omitempty"`      // the program of command on the PATH of the host, absolute
	Version string    `json:"lspi_version,omitempty"` // of the lspi that it starts
	Tools   int       `json:"tools,omitempty"`        // how many that lspi offers
	Start   int64     `json:"start_ms,omitempty"`     // until initialize was answered
	Error   string    `json:"error,omitempty"`        // why it fails
	Hooks   *Hooks    `json:"hooks,omitempty"`        // nil for a host that does not have lspi
	Checks  []Check   `json:"checks,omitempty"`       // of this file
}

// Hooks says whether a host runs lspi hook after changes.
type Hooks struct {
	State   HooksState `json:"state"`
	File    string     `json:"file,omitempty"`    // that has them, or would have them; absolute
	Command string     `json:"command,omitempty"` // the command line that the host runs
	Events  []string   `json:"events,omitempty"`  // for which it runs, where the file lists them
	Note    string     `json:"note,omitempty"`    // what the host still needs before it runs them
}

// HooksState says whether hooks are there.
type HooksState string

// The states of hooks.
const (
	HooksThere   HooksState = "there"
	HooksMissing HooksState = "missing"
	HooksUnknown HooksState = "unknown" // the file cannot be read
	HooksNone    HooksState = "none"    // the host has no hooks that lspi knows
)

// HostState says whether lspi works in a host.
type HostState string

// The states.
const (
	HostWorks   HostState = "works"   // what it starts answers initialize (MCP, lifecycle)
	HostFails   HostState = "fails"   // it does not answer, or the file cannot be read
	HostOff     HostState = "off"     // the user switched lspi off there
	HostNotRun  HostState = "not_run" // it has lspi, but the doctor cannot or must not start it as the host would
	HostWithout HostState = "without" // the host is on this machine and does not have lspi
)

// The limits of the checks of hosts.
const (
	// hostLimit is for one program; npx and uvx may have to fetch their package first.
	hostLimit = 20 * time.Second
	maxHosts  = 4 // at the same time
)

// HostOptions say which hosts to check, and how.
type HostOptions struct {
	Place   setup.Place
	Version string   // of this lspi
	Environ []string // the environment of hosts, in the form of os.Environ
	Trusted bool     // the workspace is trusted, so its files may say what to run
	// LoginPath returns PATH of a login shell, which programs of a desktop have; "" when it is not known.
	LoginPath func() string
	Progress  Progress
}

// Hosts checks all hosts of the place: it starts lspi as each of them does, side by side, unless the file that says how
// belongs to a workspace that is not trusted.
func Hosts(ctx context.Context, o HostOptions) []Host {
	out := []Host{}
	var found []setup.Found
	has := map[*setup.Host]bool{}
	for _, f := range o.Place.Look() {
		if f.Entry != nil || f.Err != nil {
			has[f.Host] = true
		}
		found = append(found, f)
	}
	for _, f := range found {
		switch {
		case f.Entry != nil, f.Err != nil:
		case f.Scope == setup.User && !has[f.Host] && o.Place.Installed(f.Host) != "":
		default:
			continue
		}
		out = append(out, Host{Name: f.Host.Name, Title: f.Host.Title, Scope: string(f.Scope), File: f.File})
		o.look(&out[len(out)-1], f)
		if f.Entry != nil {
			o.hooks(&out[len(out)-1], f.Host)
		}
	}
	room := make(chan struct{}, maxHosts)
	var all sync.WaitGroup
	for i := range out {
		if out[i].State != "" {
			continue
		}
		h := &out[i]
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			o.Progress.Say(h.Title, "starting lspi as it does")
			defer o.Progress.Say(h.Title, "")
			for _, f := range found {
				if f.File == h.File && f.Host.Name == h.Name {
					o.try(ctx, h, f)
				}
			}
		})
	}
	all.Wait()
	return out
}

// look fills in what is known without starting anything. The state stays empty when the program is to be tried.
func (o HostOptions) look(h *Host, f setup.Found) {
	note := func(state HostState, name, message string, fix ...string) {
		h.State = state
		h.Checks = append(h.Checks, Check{Name: name, Level: Note, Message: message, Fix: fix})
	}
	switch e := f.Entry; {
	case f.Err != nil:
		h.State, h.Error = HostFails, f.Err.Error()
		h.Checks = append(h.Checks, Check{Name: "host_file", Level: Warning, Message: "its file cannot be read: " +
			f.Err.Error()})
	case e == nil:
		note(HostWithout, "host_without", "it is on this machine and does not have lspi", "lspi setup "+h.Name)
	case e.Command == "":
		note(HostNotRun, "host_by_url", "it reaches lspi by a URL, which is not tried here")
	case e.Off:
		h.Command = append([]string{e.Command}, e.Args...)
		note(HostOff, "host_off", "lspi is switched off there")
	default:
		h.Command = append([]string{e.Command}, e.Args...)
		switch {
		case e.StartsOther():
			h.State, h.Error = HostFails,
				fmt.Sprintf("%s starts a package of another project, which was not run: on npm lspi is lspi-mcp",
					e.Line())
			h.Checks = append(h.Checks, Check{Name: "host_other_package", Level: Warning, Message: h.Error,
				Fix: []string{"Write lspi-mcp in the place of lspi in " + h.File + "."}})
		case f.Scope == setup.Project && !o.Trusted:
			note(HostNotRun, "host_untrusted",
				"the file belongs to this workspace, which is not trusted, so what it starts was not run")
		case strings.Contains(strings.Join(h.Command, " "), "${"):
			note(HostNotRun, "host_variables", "it holds variables that the host replaces, so it was not run")
		}
	}
}

// hooks fills in whether a host runs lspi hook. The user's file and the project's both count.
func (o HostOptions) hooks(h *Host, host *setup.Host) {
	h.Hooks = &Hooks{State: HooksNone}
	for _, s := range []setup.Scope{setup.Project, setup.User} {
		switch has := o.Place.Hooks(host, s); {
		case has.File == "":
		case has.Err != nil:
			h.Hooks = &Hooks{State: HooksUnknown, File: has.File}
			h.Checks = append(h.Checks, Check{Name: "host_hooks", Level: Warning,
				Message: "its file of hooks cannot be read: " + has.Err.Error()})
			return
		case has.Command != "":
			h.Hooks = &Hooks{HooksThere, has.File, has.Command, has.Events, host.AfterHooks()}
			// A quoted path is not looked at: the host's shell reads it.
			program, _, _ := strings.Cut(has.Command, " ")
			if !strings.ContainsAny(has.Command, `"'`) && o.Place.Program(program) == "" {
				h.Checks = append(h.Checks, Check{Name: "host_hooks", Level: Warning,
					Message: fmt.Sprintf("its hooks run %s, and there is no such program on its PATH", program),
					Fix:     []string{"lspi setup " + h.Name + " --hooks"}})
			}
			return
		default:
			h.Hooks = &Hooks{State: HooksMissing, File: has.File}
		}
	}
}

// text returns what a line about the host says of its hooks.
func (h *Hooks) text(host string) string {
	switch {
	case h == nil:
		return ""
	case h.State == HooksThere && h.Note != "":
		return "; hooks: " + h.Command + ". " + h.Note
	case h.State == HooksThere:
		return "; hooks: " + h.Command
	case h.State == HooksMissing:
		return "; no hooks (lspi setup " + host + " --hooks)"
	case h.State == HooksUnknown:
		return "; hooks not known"
	}
	return "; it has no hooks"
}

// path returns PATH as the host has it: that of a login shell for a host of a desktop, else that of this terminal; an
// entry may set its own.
func (o HostOptions) path(h *setup.Host, e *setup.Entry) string {
	path := o.Place.Path
	if h.Desktop() && o.LoginPath != nil {
		if login := o.LoginPath(); login != "" {
			path = login
		}
	}
	if own, ok := e.Env["PATH"]; ok {
		path = own
	}
	return path
}

// fails records that the host's lspi does not work; lspi setup, which writes the entry again, is always a way to mend
// it.
func (h *Host) fails(message string, fix ...string) {
	h.State, h.Error = HostFails, message
	h.Checks = append(h.Checks, Check{Name: "host_start", Level: Warning, Message: message,
		Fix: append(fix, "lspi setup "+h.Name)})
}

// program finds the program of an entry and returns the PATH to start it with. It returns false when there is no such
// program, or it must not run, and then has recorded why.
func (o HostOptions) program(h *Host, f setup.Found) (path string, ok bool) {
	path = o.path(f.Host, f.Entry)
	h.Program = setup.Place{Path: path}.Program(f.Entry.Command)
	if h.Program == "" {
		h.fails(fmt.Sprintf("it starts %s, and there is no such program on its PATH", f.Entry.Command))
		return "", false
	}
	if o.Trusted {
		return path, true
	}
	// Programs of a repository that is not trusted must not run, and the program must not find them either, such as a
	// node for its interpreter line.
	if o.ofProject(h.Program) {
		h.State = HostNotRun
		h.Checks = append(h.Checks, Check{Name: "host_untrusted", Level: Warning, Fix: trustFix,
			Message: fmt.Sprintf("its PATH leads to %s in this workspace, which is not trusted, so it was not run",
				h.Program)})
		return "", false
	}
	return o.withoutProject(path), true
}

// try starts the program of an entry with the host's environment, sends initialize and tools/list, and ends it.
func (o HostOptions) try(ctx context.Context, h *Host, f setup.Found) {
	path, ok := o.program(h, f)
	if !ok {
		return
	}
	folder := o.Place.Project
	if !o.Trusted { // npx, for one, takes programs of its working folder
		folder = o.Place.User.HomeDir()
	}
	ctx, cancel := context.WithTimeout(ctx, hostLimit)
	defer cancel()
	cmd := exec.Command(h.Program, f.Entry.Args...) // the transport ends it
	cmd.Dir, cmd.Env = folder, hostEnvironment(o.Environ, path, f.Entry.Env)
	said := &limited{}
	cmd.Stderr = said
	began := time.Now()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "lspi-doctor", Version: o.Version}, nil).Connect(ctx,
		&mcp.CommandTransport{Command: cmd, TerminateDuration: time.Second}, nil)
	if err != nil {
		// What the program printed explains more than the SDK's error about a closed pipe.
		why := strings.Join(lastLines(said.String(), 3), "; ")
		switch {
		case ctx.Err() != nil:
			why = fmt.Sprintf("within %s", hostLimit)
		case why == "":
			why = err.Error()
		}
		h.fails(fmt.Sprintf("%s does not answer initialize: %s", h.Program, why))
		return
	}
	h.Start = time.Since(began).Milliseconds()
	defer session.Close()
	info := session.InitializeResult().ServerInfo
	if info == nil || info.Name != "lspi" {
		h.fails(fmt.Sprintf("what it starts (%s) is not lspi", strings.Join(h.Command, " ")))
		return
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		h.fails(fmt.Sprintf("%s does not list its tools: %v", h.Program, err))
		return
	}
	h.State, h.Version, h.Tools = HostWorks, info.Version, len(tools.Tools)
	if h.Version != o.Version {
		h.Checks = append(h.Checks, Check{Name: "host_version", Level: Note,
			Message: fmt.Sprintf("it starts lspi %s; this is %s", h.Version, o.Version)})
	}
}

// hostEnvironment returns the environment that the host gives lspi, with sharing off: a trial must not start the shared
// process.
func hostEnvironment(environ []string, path string, own map[string]string) (out []string) {
	set := map[string]string{"PATH": path}
	for name, value := range own {
		set[name] = value
	}
	set["LSPI_SHARE"] = "off"
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if _, other := set[name]; !other {
			out = append(out, v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		out = append(out, name+"="+set[name])
	}
	return out
}

// ofProject reports whether a path lies in the project, before or after its links are resolved.
func (o HostOptions) ofProject(path string) bool {
	if o.Place.Project == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return within(path, o.Place.Project) || err == nil && within(real, o.Place.Project)
}

// withoutProject returns PATH without folders of the project, and without relative ones, which may lie there.
func (o HostOptions) withoutProject(path string) string {
	folders := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir) || o.ofProject(dir)
	})
	return strings.Join(folders, string(filepath.ListSeparator))
}

// limited keeps the first maxSaid bytes that are written to it. It may be read while it is written.
type limited struct {
	mu   sync.Mutex
	text strings.Builder // guarded by mu
}

const maxSaid = 16 << 10

func (l *limited) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *limited) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := maxSaid - l.text.Len(); room > 0 {
		l.text.Write(b[:min(len(b), room)])
	}
	return len(b), nil
}

func lastLines(text string, n int) []string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	return lines[max(0, len(lines)-n):]
}

// text returns one line about a host.
func (h Host) text() string {
	where := fmt.Sprintf("%s  %s", h.Title, h.File)
	if h.State != HostWorks {
		return where
	}
	line := where + ": "
	words := make([]string, len(h.Command))
	for i, w := range h.Command {
		words[i] = contract.ShellWord(w)
	}
	line += strings.Join(words, " ")
	if filepath.Base(h.Program) == h.Program || h.Command[0] != h.Program {
		line += " (" + h.Program + ")"
	}
	return line + fmt.Sprintf(" answers with %d tools in %s", h.Tools, span(h.Start)) + h.Hooks.text(h.Name)
}
