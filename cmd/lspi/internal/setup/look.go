package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
)

// Place says where hosts are looked for: of which user, on which PATH, in which project.
type Place struct {
	User       trust.User
	Path       string // the value of PATH with which hosts are started
	Project    string // the root of the project, absolute; "" for none
	Executable string // lspi itself, absolute
}

// Entry is the entry of lspi in a host's file, as it was read.
type Entry struct {
	Command string
	Args    []string
	Env     map[string]string // nil for none
	Off     bool              // the user has switched it off in the host
}

// Found is one file of a host with the entry of lspi in it.
type Found struct {
	Host   *Host
	Scope  Scope
	File   string // absolute
	Exists bool
	Entry  *Entry // nil when there is none
	Err    error  // why the file cannot be read; names the file, and the line where there is one
}

// maxFile bounds a host's file, in bytes: Claude Code keeps histories in its file.
const maxFile = 64 << 20

// Look reads the files of all hosts, in the order of the table, the user's before the project's. It changes nothing
// and runs nothing.
func (p Place) Look() (out []Found) {
	for _, h := range Hosts {
		for _, s := range []Scope{User, Project} {
			if file := p.File(h, s); file != "" {
				out = append(out, p.lookAt(h, s, file))
			}
		}
	}
	return out
}

// File returns the file that configures a host; "" when it has none for the scope, or there is no project.
func (p Place) File(h *Host, s Scope) string {
	switch {
	case s == User && h.file != nil && filepath.IsAbs(p.User.HomeDir()):
		return h.file(p)
	case s == Project && h.project != "" && p.Project != "":
		return filepath.Join(p.Project, filepath.FromSlash(h.project))
	}
	return ""
}

// lookAt reads one file of a host. A file that does not exist is no error.
func (p Place) lookAt(h *Host, s Scope, file string) Found {
	f := Found{Host: h, Scope: s, File: file}
	raw, err := trust.ReadFile(file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return f
	}
	f.Exists = true
	if err != nil {
		f.Err = fmt.Errorf("reading %s: %w", file, err)
		return f
	}
	tree, err := h.form.decode(withoutMark(raw))
	if err != nil {
		f.Err = fmt.Errorf("%s: %w", file, err)
		return f
	}
	if v := h.form.find(tree, h.path); v != nil {
		f.Entry = entryOf(v)
	}
	return f
}

// entryOf reads an entry in any of the forms that hosts have.
func entryOf(v map[string]any) *Entry {
	e := &Entry{}
	switch c := v["command"].(type) {
	case string:
		e.Command = c
	case []any:
		if words := stringsOf(c); len(words) > 0 {
			e.Command, e.Args = words[0], words[1:]
		}
	case map[string]any: // Zed before 2025
		e.Command, _ = c["path"].(string)
		e.Args = stringsOf(c["args"])
	}
	if cmd, ok := v["cmd"].(string); ok {
		e.Command = cmd
	}
	if args, ok := v["args"]; ok {
		e.Args = stringsOf(args)
	}
	for _, key := range []string{"env", "environment", "envs"} {
		for name, value := range mapOf(v[key]) {
			if e.Env == nil {
				e.Env = map[string]string{}
			}
			e.Env[name] = fmt.Sprint(value)
		}
	}
	e.Off = v["disabled"] == true || v["enabled"] == false
	return e
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func stringsOf(v any) (out []string) {
	list, _ := v.([]any)
	for _, one := range list {
		out = append(out, fmt.Sprint(one))
	}
	return out
}

// Installed returns the sign that a host is installed: the path of its program, or of a folder or file of the host; ""
// when there is none.
func (p Place) Installed(h *Host) string {
	for _, name := range h.programs {
		if path := p.lookPath(name); path != "" {
			return path
		}
	}
	for _, folder := range h.folders {
		if path := filepath.Join(p.User.HomeDir(), filepath.FromSlash(folder)); exists(path) {
			return path
		}
	}
	for _, s := range []Scope{User, Project} {
		if file := p.File(h, s); file != "" && exists(file) {
			return file
		}
	}
	return ""
}

// lookPath returns the path of a program on the PATH of the hosts, which may differ from that of this process; "" when
// it is not there.
func (p Place) lookPath(name string) string {
	suffixes := []string{""}
	if runtime.GOOS == "windows" {
		suffixes = []string{".exe", ".cmd", ".bat"}
	}
	for _, dir := range filepath.SplitList(p.Path) {
		if !filepath.IsAbs(dir) {
			continue // a relative folder would mean another program in each project
		}
		for _, suffix := range suffixes {
			path := filepath.Join(dir, name+suffix)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() &&
				(runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return path
			}
		}
	}
	return ""
}

// Program returns the absolute path of the program that a host with this PATH starts for a command, "" when there is
// none. A relative path counts as none, because it would mean another program in each project.
func (p Place) Program(command string) string {
	switch {
	case filepath.IsAbs(command):
		if path, err := exec.LookPath(command); err == nil {
			return path
		}
		return ""
	case strings.ContainsAny(command, `/\`):
		return ""
	}
	return p.lookPath(command)
}

// ProgramFor returns the command for a host's entry: the bare name if that leads to this lspi on the host's PATH, else
// the absolute path.
func (p Place) ProgramFor(h *Host) string {
	if found := p.lookPath("lspi"); !h.desktop && found != "" && trust.SameFile(found, p.Executable) {
		return "lspi"
	}
	return p.Executable
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// launch returns the command line with which a host should start lspi.
func (p Place) launch(h *Host, readOnly bool) launch {
	l := launch{p.ProgramFor(h), []string{"mcp"}}
	switch {
	case h.readOnly && !readOnly:
		l.args = append(l.args, "--context", "full")
	case h.context != "":
		l.args = append(l.args, "--context", h.context)
	}
	if readOnly && !h.readOnly {
		l.args = append(l.args, "--read-only")
	}
	return l
}

// Line returns the command line of an entry for a shell.
func (e *Entry) Line() string {
	words := []string{contract.ShellWord(e.Command)}
	for _, a := range e.Args {
		words = append(words, contract.ShellWord(a))
	}
	return strings.Join(words, " ")
}
