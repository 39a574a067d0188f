package daemon

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// self is the program that runs, also when its file was replaced by a newer one.
const self = "/proc/self/exe"

// program is the program that runs: under its own name, by which people look for it, unless another file has that now.
func program() (string, error) {
	path, err := os.Readlink(self)
	if err != nil {
		return self, nil
	}
	named, err := os.Stat(path)
	running, runErr := os.Stat(self)
	if err != nil || runErr != nil || !os.SameFile(named, running) {
		return self, nil
	}
	return path, nil
}

// namespaces are those in which paths, processes and the network mean the same.
var namespaces = []string{"mnt", "pid", "user", "net"}

// confines are the lines of /proc/self/status that say what the process may do: a sandbox of a host (seccomp,
// Landlock, which needs NoNewPrivs) must not be left by asking a process outside of it.
var confines = []string{"Uid", "Gid", "Groups", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp"}

// habits are lines of the same file that decide what files become, and keep nobody from anything.
var habits = []string{"Umask"}

// confinement is what confines this process, and its habits.
func confinement() ([]string, error) {
	return describe("self", append(slices.Clone(confines), habits...))
}

// confinedAlike is an error when a process, which is at the other end of a connection, is confined in another way
// than this one: it would leave its sandbox by what this one does for it. What it says of itself does not count.
func confinedAlike(pid int) error {
	if pid <= 0 {
		return errors.New("it is in another container")
	}
	own, err := describe("self", confines)
	if err != nil {
		return err
	}
	its, err := describe(strconv.Itoa(pid), confines)
	if err != nil {
		return fmt.Errorf("reading what confines it: %w", err)
	}
	if !slices.Equal(own, its) {
		return errors.New("it is confined in another way, such as by a sandbox")
	}
	return nil
}

// describe reads what confines a process of /proc, and the named lines of its status.
func describe(process string, lines []string) (out []string, err error) {
	dir := "/proc/" + process
	for _, name := range namespaces {
		link, err := os.Readlink(dir + "/ns/" + name)
		if err != nil && !os.IsNotExist(err) { // a kernel without that kind
			return nil, err
		}
		out = append(out, link)
	}
	root, err := os.Readlink(dir + "/root")
	if err != nil {
		return nil, err
	}
	out = append(out, "root "+root)
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(status)) {
		for _, name := range lines {
			if rest, ok := strings.CutPrefix(line, name+":"); ok {
				out = append(out, name+" "+strings.TrimSpace(rest))
			}
		}
	}
	if label, err := os.ReadFile(dir + "/attr/current"); err == nil { // AppArmor, SELinux
		out = append(out, "label "+strings.Trim(string(label), "\x00\n"))
	}
	return out, nil
}

// noteHead is what precedes the build id in its section: the lengths of the name and of the id, the kind, and the
// name "Go".
const noteHead = 16

// buildID names the program that runs: two copies of one build have the same one.
func buildID() (string, error) {
	path, err := program()
	if err != nil {
		return "", err
	}
	f, err := elf.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	section := f.Section(".note.go.buildid")
	if section == nil {
		return "", errors.New("the program has no build id")
	}
	note, err := section.Data()
	if err != nil {
		return "", err
	}
	if len(note) <= noteHead {
		return "", errors.New("the program's build id is empty")
	}
	return strings.TrimRight(string(note[noteHead:]), "\x00"), nil
}
