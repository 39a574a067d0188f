package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lspi/lsp/spec"
)

// machineChecks are the checks that concern no single server.
var machineChecks = []func(context.Context, *examination) []Check{watching, inotifyLimits, shellPath, sharing}

func sharing(ctx context.Context, e *examination) []Check {
	if e.Sharing == nil {
		return nil
	}
	return e.Sharing(ctx)
}

// watching warns when the system reports no changes of files: then every call compares the whole tree.
func watching(ctx context.Context, e *examination) []Check {
	events, reason := e.Probe.Watching(ctx)
	if events {
		return []Check{{Name: "watching", Level: OK, Message: "the system reports changes of files"}}
	}
	return []Check{{Name: "watching", Level: Warning,
		Message: "each call compares the whole tree with what was there, which is slow in large ones: " + reason}}
}

// The limits of inotify(7), which all programs of a user share.
const (
	watchesFile   = "/proc/sys/fs/inotify/max_user_watches"
	instancesFile = "/proc/sys/fs/inotify/max_user_instances"
	// fewInstances is what a desktop and an editor use up by themselves.
	fewInstances = 128
)

// inotifyLimits compares the limits of inotify with what the workspace needs.
func inotifyLimits(_ context.Context, e *examination) []Check {
	if e.Machine.OS != "linux" {
		return nil
	}
	watches, instances := e.number(watchesFile), e.number(instancesFile)
	folders := e.report.Workspace.Folders
	switch {
	case watches == 0:
		return nil
	// lspi watches each folder once, and servers and editors do so too.
	case folders*2 > watches:
		return []Check{{Name: "inotify_watches", Level: Warning,
			Message: fmt.Sprintf(
				"the limit on watches is %d and the workspace has %d folders, each watched by lspi and perhaps by servers and editors", watches, folders),
			Fix: []string{sysctl("max_user_watches", max(524288, 8*folders))}}}
	case instances > 0 && instances < fewInstances:
		return []Check{{Name: "inotify_instances", Level: Note,
			Message: fmt.Sprintf("the limit on inotify instances is %d; other programs may use them up", instances),
			Fix:     []string{sysctl("max_user_instances", 512)}}}
	}
	return []Check{{Name: "inotify", Level: OK, Message: fmt.Sprintf("%d watches allowed for %d %s", watches, folders,
		plural(folders, "folder"))}}
}

func sysctl(name string, value int) string {
	return fmt.Sprintf("echo fs.inotify.%s=%d | sudo tee /etc/sysctl.d/60-%s.conf && sudo sysctl --system", name,
		value, name)
}

// number reads a number from a file; 0 when it cannot be read.
func (e *examination) number(path string) int {
	raw, err := e.Machine.Read(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	return n
}

// shellPath notes servers that are found only on the PATH of the doctor's shell: a host that was started from a desktop
// has the PATH of a login shell and would not find them.
func shellPath(ctx context.Context, e *examination) []Check {
	login := e.loginPath()
	if len(login) == 0 {
		return nil
	}
	var far []string
	for _, s := range e.report.Servers {
		if s.From == "PATH" && s.Command != "" && !slices.Contains(login, filepath.Dir(s.Command)) {
			far = append(far, fmt.Sprintf("%s (%s)", s.ID, filepath.Dir(s.Command)))
		}
	}
	if len(far) == 0 {
		return []Check{{Name: "path", Level: OK, Message: "a login shell finds the same programs"}}
	}
	return []Check{{Name: "path", Level: Note,
		Message: "found on the PATH of this shell, but not of a login shell, so a host that was not started from here may not find them: " +
			strings.Join(far, ", "),
		Fix: []string{
			"Set PATH in the host's configuration of lspi (env), or servers[].command to the absolute path."}}}
}

// pathMark marks the line with PATH among what a profile prints.
const pathMark = "lspi-path="

// askLogin starts a login shell, once, to ask for its PATH; its profile may take seconds. loginPath waits for the
// answer.
func (e *examination) askLogin(ctx context.Context) {
	done := make(chan []string, 1)
	go func() { done <- filepath.SplitList(LoginPath(ctx, e.Machine)) }()
	e.loginPath = sync.OnceValue(func() []string { return <-done })
}

// LoginPath returns PATH of a login shell; "" when it cannot be found out.
func LoginPath(ctx context.Context, m Machine) (path string) {
	shell := m.Getenv("SHELL")
	if m.OS == "windows" || !filepath.IsAbs(shell) {
		return ""
	}
	o := m.Run(ctx, "", shell, "-lc", `echo "`+pathMark+`$PATH"`)
	if o.Err != nil {
		return ""
	}
	for line := range strings.Lines(o.Stdout) {
		if found, ok := strings.CutPrefix(strings.TrimSpace(line), pathMark); ok {
			// fish prints its list with spaces.
			if !strings.Contains(found, ":") {
				found = strings.ReplaceAll(found, " ", ":")
			}
			path = found
		}
	}
	return path
}

// foundByShell looks for a missing server on the PATH of a login shell.
func (e *examination) foundByShell(spec *spec.Spec) []Check {
	for _, dir := range e.loginPath() {
		for _, c := range spec.Commands {
			path := filepath.Join(dir, c.Name)
			if filepath.IsAbs(dir) && !filepath.IsAbs(c.Name) && e.Machine.Exists(path) {
				return []Check{{Name: "path", Level: Note, Message: "a login shell finds it at " + path +
					", this process does not",
					Fix: []string{"Start lspi with the PATH of your shell, or set servers[].command to that path."}}}
			}
		}
	}
	return nil
}
