package share

import (
	"debug/elf"
	"errors"
	"os"
	"strings"
)

// program is the program that runs, also when its file was replaced by a newer one.
func program() (string, error) { return "/proc/self/exe", nil }

// namespaces are those in which paths, processes and the network mean the same.
var namespaces = []string{"mnt", "pid", "user", "net"}

// confines are the lines of /proc/self/status that say what the process may do: a sandbox of a host (seccomp, Landlock, which needs
// NoNewPrivs) must not be left by asking a process outside of it.
var confines = []string{"Uid", "Gid", "Groups", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp", "Umask"}

func confinement() (out []string, err error) {
	for _, name := range namespaces {
		link, err := os.Readlink("/proc/self/ns/" + name)
		if err != nil && !os.IsNotExist(err) { // a kernel without that kind
			return nil, err
		}
		out = append(out, link)
	}
	root, err := os.Readlink("/proc/self/root")
	if err != nil {
		return nil, err
	}
	out = append(out, "root "+root)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(status)) {
		for _, name := range confines {
			if rest, ok := strings.CutPrefix(line, name+":"); ok {
				out = append(out, name+" "+strings.TrimSpace(rest))
			}
		}
	}
	if label, err := os.ReadFile("/proc/self/attr/current"); err == nil { // AppArmor, SELinux
		out = append(out, "label "+strings.Trim(string(label), "\x00\n"))
	}
	return out, nil
}

// noteHead is what precedes the build id in its section: the lengths of the name and of the id, the kind, and the name "Go".
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
