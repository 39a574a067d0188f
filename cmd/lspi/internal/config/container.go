package config

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/internal/source"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// A workspace with a devcontainer.json (containers.dev, Dev Container metadata reference) has its tools in a container.
// When that container runs, its servers are those of the workspace: the container's own mounts say which folders both
// sides have, and whoever started it labelled it with the folder here.

// containerTime bounds the questions to docker at the beginning of a session.
const containerTime = 5 * time.Second

// container is the running dev container of a workspace.
type container struct {
	run   func(args ...string) string // docker, or podman; "" where it does not answer
	id    string
	exec  []string // the arguments behind which a program of the container stands
	pairs source.PathPairs
}

// UseContainer has the servers run in the workspace's dev container that are installed there. A server for which a
// file names the command stays. It runs docker or podman, in 5 s at most; in a workspace without such a container, and
// in one that is not trusted, it does nothing. A configuration is read several times when a session begins, so that
// this is a step of its own.
func (c *Config) UseContainer() {
	if !c.DevContainer || !c.Trust.Trusted || !hasDevContainer(c.Workspace) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), containerTime)
	defer cancel()
	for _, name := range []string{"docker", "podman"} {
		checker := launch.Checker(nil)
		checker.Environ = c.environ
		program := launch.LookPath(checker, name)
		if program == "" {
			continue
		}
		in := &container{run: func(args ...string) string {
			cmd := launch.Run(ctx, checker, filepath.Dir(program), append([]string{program}, args...)...)
			cmd.WaitDelay = time.Second
			out, err := cmd.Output()
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(out))
		}}
		if in.find(c.Workspace) {
			c.Container = in.id
			in.use(program, c.Specs)
			return
		}
	}
}

// hasDevContainer reports whether a workspace describes a dev container.
func hasDevContainer(root string) bool {
	if source.Exists(filepath.Join(root, ".devcontainer.json")) {
		return true
	}
	for _, pattern := range []string{".devcontainer/devcontainer.json", ".devcontainer/*/devcontainer.json"} {
		if found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))); len(found) > 0 {
			return true
		}
	}
	return false
}

// find finds the running container of a workspace; false when there is none that has the workspace mounted.
func (in *container) find(root string) bool {
	in.id, _, _ = strings.Cut(in.run("ps", "--quiet", "--no-trunc", "--filter", "label=devcontainer.local_folder="+root), "\n")
	if in.id == "" {
		return false
	}
	var told struct {
		Mounts []struct{ Source, Destination string }
		Config struct{ Labels map[string]string }
	}
	if json.Unmarshal([]byte(in.run("inspect", "--format", "{{json .}}", in.id)), &told) != nil {
		return false
	}
	folders := map[string]string{}
	for _, m := range told.Mounts {
		if info, err := os.Stat(m.Source); err == nil && info.IsDir() && filepath.IsAbs(m.Destination) {
			folders[m.Source] = m.Destination
		}
	}
	in.pairs = source.NewPathPairs(folders)
	there, ok := in.pairs.Remote(root)
	in.exec = []string{"exec", "-i", "-w", there}
	if user := remoteUser(told.Config.Labels["devcontainer.metadata"]); user != "" {
		in.exec = append(in.exec, "-u", user)
	}
	in.exec = append(in.exec, in.id)
	return ok
}

// remoteUser is the user as whom tools run in a container, by the metadata that its image and its file give; the last
// one counts. "" for that of the container.
func remoteUser(metadata string) (user string) {
	var all []struct {
		RemoteUser string `json:"remoteUser"`
	}
	if json.Unmarshal([]byte(metadata), &all) != nil {
		return ""
	}
	for _, one := range all {
		if one.RemoteUser != "" {
			user = one.RemoteUser
		}
	}
	return user
}

// use changes the specs of the servers that are installed in the container.
func (in *container) use(program string, specs []spec.Spec) {
	var names []string
	for i := range specs {
		for _, c := range specs[i].Commands {
			if c.File == "" && !filepath.IsAbs(c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	look := `for p in "$@"; do command -v -- "$p" >/dev/null && echo "$p"; done; true`
	there := strings.Split(in.run(slices.Concat(in.exec, []string{"sh", "-c", look, "sh"}, names)...), "\n")
	for i := range specs {
		for _, c := range specs[i].Commands {
			if c.File != "" || !slices.Contains(there, c.Name) {
				continue
			}
			specs[i].Commands = []spec.Command{{Name: program, Args: slices.Concat(in.exec, []string{c.Name}, c.Args)}}
			specs[i].Elsewhere = spec.Elsewhere{Paths: in.pairs, Before: in.exec}
			break
		}
	}
}
