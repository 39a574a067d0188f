//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
)

// fence is a fenced block of a page.
type fence struct {
	page string
	line int
	info string // behind ```, such as "console not run: it asks on a terminal"
	body string
}

func (f fence) language() string { return strings.SplitN(f.info, " ", 2)[0] }
func (f fence) String() string   { return fmt.Sprintf("%s:%d", f.page, f.line) }

var (
	fences       = regexp.MustCompile("(?ms)^```(\\S[^\n]*)\n(.*?)^```$")
	recordedPart = regexp.MustCompile(`(?s)<!-- recorded session: make session -->\n.*?<!-- end of the session -->`)
	inlineLspi   = regexp.MustCompile("`(lspi(?: [^`]*)?)`")
	shellComment = regexp.MustCompile(` +# .*`)
)

// pages returns README and the pages of docs, by name. Of README without its recorded session, which TestReadmeSession
// of package demo holds.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	names, err := filepath.Glob("../../docs/*.md")
	testkit.Must(t, err)
	for _, path := range append(names, "../../README.md") {
		raw, err := os.ReadFile(path)
		testkit.Must(t, err)
		lines := func(part string) string { return strings.Repeat("\n", strings.Count(part, "\n")) }
		out[filepath.Base(path)] = recordedPart.ReplaceAllStringFunc(string(raw), lines)
	}
	return out
}

func fencesOf(page, text string) (out []fence) {
	for _, at := range fences.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, fence{page, strings.Count(text[:at[0]], "\n") + 1, text[at[2]:at[3]], text[at[4]:at[5]]})
	}
	return out
}

// command is one command of a page, with the lines of its answer that the page shows.
type command struct {
	line  string
	shown []string
}

func (f fence) commands() (out []command) {
	for _, line := range strings.Split(strings.TrimSpace(f.body), "\n") {
		if words, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, command{line: words})
		} else if len(out) > 0 && strings.TrimSpace(line) != "" {
			last := &out[len(out)-1]
			last.shown = append(last.shown, line)
		}
	}
	return out
}

const notRun = "not run: "

// Commands of lspi on pages stand in blocks of the language console, which TestPages runs, unless the block says why
// not.
func TestCommandsOfPagesAreRun(t *testing.T) {
	for page, text := range pages(t) {
		for _, f := range fencesOf(page, text) {
			_, rest, more := strings.Cut(f.info, " ")
			switch {
			case f.language() != "console" && strings.Contains("\n"+f.body, "\nlspi "):
				t.Errorf("%s: its commands are not in a block of console", f)
			case f.language() == "console" && len(f.commands()) == 0:
				t.Errorf("%s: no line begins with $", f)
			case f.language() == "console" && more && len(strings.TrimPrefix(rest, notRun)) < 10:
				t.Errorf("%s: %q does not say why it is not run", f, f.info)
			}
		}
	}
}

// Each command that a page names within its text, or in a block, exists, with its flags.
func TestCommandsOfPagesExist(t *testing.T) {
	for page, text := range pages(t) {
		var all []string
		for _, m := range inlineLspi.FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		for _, f := range fencesOf(page, text) {
			if f.language() == "console" {
				for _, c := range f.commands() {
					all = append(all, shellComment.ReplaceAllString(c.line, ""))
				}
			}
		}
		for _, line := range all {
			words := strings.Fields(line)
			if words[0] != "lspi" {
				continue
			}
			cmd, left, err := newRoot().Find(words[1:])
			if err != nil || cmd.HasSubCommands() && len(left) > 0 && !strings.HasPrefix(left[0], "-") {
				t.Errorf("%s: %s: there is no such command (%v)", page, line, err)
				continue
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			for _, w := range left {
				name, isFlag := strings.CutPrefix(strings.SplitN(w, "=", 2)[0], "--")
				if isFlag && name != "" && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
					t.Errorf("%s: %s: %s has no flag --%s", page, line, cmd.CommandPath(), name)
				}
			}
		}
	}
}

// Each make target that a page names exists.
func TestTargetsOfPagesExist(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	testkit.Must(t, err)
	named := regexp.MustCompile("(?m)(?:^|`)make ([a-z][a-z-]*)")
	for page, text := range pages(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if !strings.Contains("\n"+string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s: there is no make %s", page, m[1])
			}
		}
	}
}

// reader is somebody who follows a page: a home, a small project in Go, and a host on it.
type reader struct {
	*testing.T
	home, project string
	environ       []string
}

// ownConfig begins a block that a page puts into the user's own configuration.
const ownConfig = "# ~/.config/lspi/config.toml\n"

func newReader(t *testing.T, all []fence) *reader {
	t.Helper()
	home, err := os.MkdirTemp("", "lspi-page") // not t.TempDir: the path of a socket has to be short
	testkit.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	r := &reader{T: t, home: home, project: filepath.Join(home, "src", "shop")}
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output() // not in the new home
	testkit.Must(t, err)
	build, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	r.environ = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=",
		"XDG_RUNTIME_DIR="+filepath.Join(home, "run"), "LSPI_SHARE=auto", "LSPI_CONFIG_PATH=", "CLAUDE_PROJECT_DIR=",
		"FILES_KEY=a", "LSPI_TOKEN=b", "GOCACHE="+build, "GOMODCACHE="+modules)
	testkit.Must(t, os.CopyFS(r.project, os.DirFS("internal/demo/testdata/shop")))
	testkit.Must(t, os.MkdirAll(filepath.Join(r.project, ".git"), 0o755))
	testkit.Must(t, os.Mkdir(filepath.Join(home, "run"), 0o700))
	for _, f := range all {
		if strings.HasPrefix(f.body, ownConfig) {
			testkit.Write(t, filepath.Join(home, ".config", "lspi", "config.toml"), f.body)
		}
	}
	return r
}

func (r *reader) run(line string) (string, error) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	r.place(cmd)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *reader) place(cmd *exec.Cmd) { cmd.Dir, cmd.Env = r.project, r.environ }

// host connects a host to the project, as one that is open while somebody types into a shell.
func (r *reader) host() {
	r.Helper()
	cmd := exec.Command("lspi", "mcp")
	r.place(cmd)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(r.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(r, err)
	_, err = session.CallTool(r.Context(), &mcp.CallToolParams{Name: "get_current_config"})
	testkit.Must(r, err)
	r.Cleanup(func() {
		_ = session.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		stop := exec.CommandContext(ctx, "lspi", "daemon", "stop")
		r.place(stop)
		_ = stop.Run()
	})
}

// try runs a command. One whose answer the page does not show succeeds; else each line shown is in the answer, where …
// stands for any text.
func (r *reader) try(f fence, c command) {
	r.Helper()
	out, err := r.run(c.line)
	exit := new(exec.ExitError)
	if err != nil && !(errors.As(err, &exit) && len(c.shown) > 0) {
		r.Errorf("%s: %s: %v\n%s", f, c.line, err, out)
	}
	for _, line := range c.shown {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
		if !regexp.MustCompile(`(?m)^` + pattern + `$`).MatchString(out) {
			r.Errorf("%s: %s: the page shows\n%s\nand the answer is\n%s", f, c.line, line, out)
		}
	}
}

// Every command that a page shows in a block of console works for somebody who reads the page, in its order, with a
// host that is open; and every example of a configuration is one without a finding.
func TestPages(t *testing.T) {
	all := pages(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		blocks := fencesOf(page, all[page])
		console := slices.DeleteFunc(slices.Clone(blocks), func(f fence) bool {
			return f.language() != "console" || strings.Contains(f.info, notRun)
		})
		configured := slices.DeleteFunc(slices.Clone(blocks), func(f fence) bool {
			return f.language() != "toml" || page == "hosts.md" // there it is that of hosts
		})
		if len(console)+len(configured) == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			testkit.Need(t, "gopls", "mcp-server-everything", "mcp-server-filesystem")
			r := newReader(t, blocks)
			for _, f := range configured {
				file := filepath.Join(r.home, fmt.Sprintf("example-%d.toml", f.line))
				testkit.Write(t, file, f.body)
				if out, err := r.run("lspi call get_current_config --json --share=off --config " + file); err != nil ||
					!strings.Contains(out, `"config_ok": true`) {
					t.Errorf("%s: the example of a configuration: %v\n%s", f, err, out)
				}
			}
			if len(console) > 0 {
				r.host()
			}
			for _, f := range console {
				for _, c := range f.commands() {
					r.try(f, c)
				}
			}
		})
	}
}

// docs/servers.md gives a reason for each server whose answers are not all complete, and for no other; it names those
// without a script, and those that lspi servers install refers to the system's package manager.
func TestServersOfThePage(t *testing.T) {
	text := pages(t)["servers.md"]
	prose, table, _ := strings.Cut(text, "<!-- generated by make proofs -->")
	table, _, _ = strings.Cut(table, "<!-- end of the proofs -->")
	var proven, less []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		id := strings.TrimPrefix(cells[0], "| ")
		if len(cells) < 5 || id == "server" {
			continue
		}
		proven = append(proven, id)
		if strings.Contains(line, "| unknown ") || strings.Contains(line, "| partial ") {
			less = append(less, id)
		}
	}
	_, reasons, _ := strings.Cut(prose, "All answers\nwere right;")
	reasons, _, _ = strings.Cut(reasons, "\n\n")
	var told []string
	for _, m := range regexp.MustCompile(`\(([^)]*)\)`).FindAllStringSubmatch(reasons, -1) {
		told = append(told, strings.Split(m[1], ", ")...)
	}
	slices.Sort(told)
	testkit.Diff(t, slices.Compact(told), less, "servers with a reason")

	var without, debian []string
	for _, s := range servers.Servers() {
		if s.Verified != "" && !slices.Contains(proven, s.ID) {
			without = append(without, s.ID)
		}
		if pin, ok := servers.PinOf(&s); ok && pin.How == "deb" {
			debian = append(debian, s.ID)
		}
	}
	slices.Sort(debian)
	list := func(end string, of []string) string {
		return strings.Join(of[:len(of)-1], ", ") + " and " + of[len(of)-1] + " " + end
	}
	for _, sentence := range []string{list("have no script yet", without), list("come from the system's package manager", debian)} {
		if !strings.Contains(text, sentence) {
			t.Errorf("servers.md does not say: %s", sentence)
		}
	}
}
