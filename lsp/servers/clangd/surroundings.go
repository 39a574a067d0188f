package clangd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// maxSearched bounds the folders with headers that are looked at.
const maxSearched = 4000

// freshTime is how old the time stamp of a folder must be for the next change of it to have another one (10 ms on
// Linux, 2 s on FAT).
const freshTime = 20 * time.Millisecond

// systemIncludes are where packages put their headers.
var systemIncludes = []string{"/usr/local/include", "/usr/include"}

// late matches an include; behind the first code it is no part of the preamble.
var late = source.LazyRegexp(`#\s*(include|import|embed)|__has_`)

// surroundings is [lsp.SyncHooks].Surroundings: what decides how a file is built, where clangd notices no change by
// itself or only after a while: the configuration above and beside the project, and folders in which another header
// may come that is found first.
func (a *Process) surroundings(path string) string {
	text, err := a.Server.Documents().Load(path)
	if a.list == nil || a.list.path == "" || a.Server.Spec().RunsElsewhere() || a.forcedIncludes() || err != nil ||
		late.MatchString(strings.TrimPrefix(text.Content(), lsp.Head(text.Content()))) {
		return ""
	}
	folders, ok := a.searched(path)
	env := launch.Environment(a.Server.Spec())
	if !ok || slices.ContainsFunc(searchVariables, func(name string) bool { return spec.Variable(env, name) != "" }) {
		return ""
	}
	var mark strings.Builder
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		for _, name := range []string{".clangd", ".clang-tidy", "compile_flags.txt", "compile_commands.json",
			filepath.Join("build", "compile_commands.json")} {
			stamp(&mark, filepath.Join(dir, name))
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, file := range userConfigs(env) {
		stamp(&mark, file)
	}
	followed := map[string]bool{}
	for path := range a.Server.Journal().Files() {
		followed[filepath.Dir(path)] = true
	}
	for n, dir := range withSubfolders(folders) {
		if n == maxSearched {
			return ""
		}
		if !followed[dir] && time.Since(stamp(&mark, dir)) < freshTime {
			return ""
		}
	}
	return mark.String()
}

// withSubfolders are folders, each with those in it: an include often names one.
func withSubfolders(folders []string) (out []string) {
	for _, dir := range folders {
		out = append(out, dir)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.IsDir() && e.Name() != ".git" && len(out) < maxSearched {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	return out
}

// searchFlags begin the arguments that name folders with headers.
var searchFlags = []string{"-I", "-isystem", "-iquote", "-idirafter", "-F", "-iframework", "-isysroot", "--sysroot=",
	"--sysroot"}

// searched are the folders in which the includes of a file are looked for, as far as its entry in the list tells;
// false where there is no entry, or one that is written so that only a shell reads it.
func (a *Process) searched(path string) (folders []string, ok bool) {
	if have, ok := a.folders[path]; ok {
		return have, have != nil
	}
	known, found := true, false
	Entries(a.list.path, func(file string, raw []byte) bool {
		if file != path {
			return true
		}
		found = true
		of, plain := searchedBy(raw)
		known = known && plain
		folders = append(folders, of...)
		return known // a file may have several
	})
	if !known || !found {
		folders = nil
	} else {
		folders = append(folders, systemIncludes...)
	}
	if a.folders == nil {
		a.folders = map[string][]string{}
	}
	a.folders[path] = folders
	return folders, folders != nil
}

// searchedFolders is [lsp.IncludeHooks].Searched, as far as the list tells.
func (a *Process) searchedFolders(ctx context.Context) (folders []string) {
	path, _ := a.database(a.Server.Root())
	if path == "" {
		return nil
	}
	Entries(path, func(_ string, raw []byte) bool {
		of, _ := searchedBy(raw)
		for _, dir := range of {
			if !slices.Contains(folders, dir) {
				folders = append(folders, dir)
			}
		}
		return ctx.Err() == nil && len(folders) < maxFolders
	})
	return folders
}

// searchedBy are the folders in which the command of an entry has includes looked for; plain is false where only a
// shell reads it for certain.
func searchedBy(raw []byte) (folders []string, plain bool) {
	directory, arguments, plain := commandOf(raw)
	for _, dir := range named(arguments) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(directory, dir)
		}
		folders = append(folders, filepath.Clean(dir))
	}
	return folders, plain
}

// commandOf are the folder and the arguments of an entry; plain is false where only a shell reads these for certain.
func commandOf(raw []byte) (directory string, arguments []string, plain bool) {
	var entry struct {
		Directory, Command string
		Arguments          []string
	}
	if json.Unmarshal(raw, &entry) != nil {
		return "", nil, false
	}
	plain = len(entry.Arguments) > 0 || !strings.ContainsAny(entry.Command, "\"'\\$`")
	if len(entry.Arguments) == 0 {
		entry.Arguments = strings.Fields(strings.NewReplacer(`\`, "", `"`, "", "'", "").Replace(entry.Command))
	}
	return entry.Directory, entry.Arguments, plain
}

// named are the folders that arguments of a compiler name behind searchFlags.
func named(arguments []string) (folders []string) {
	for n, one := range arguments {
		for _, flag := range searchFlags {
			rest, ok := strings.CutPrefix(one, flag)
			switch {
			case ok && rest == "" && n+1 < len(arguments):
				folders = append(folders, arguments[n+1])
			case ok && rest != "":
				folders = append(folders, rest)
			}
		}
	}
	return folders
}

// searchVariables name further folders with headers.
var searchVariables = []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"}

// userConfigs are where the user's own configuration of a clangd with this environment may be, absolute
// (https://clangd.llvm.org/config#files).
func userConfigs(env []string) (files []string) {
	home, own := spec.Variable(env, "HOME"), spec.Variable(env, "XDG_CONFIG_HOME")
	if !filepath.IsAbs(own) {
		own = filepath.Join(home, ".config")
	}
	for _, dir := range []string{own, filepath.Join(home, "Library", "Preferences"),
		spec.Variable(env, "LOCALAPPDATA")} {
		if filepath.IsAbs(dir) {
			files = append(files, filepath.Join(dir, "clangd", "config.yaml"))
		}
	}
	return files
}

// stamp writes down what tells a file or folder from a changed one, and gives the time of the change; zero when it
// is not there.
func stamp(mark *strings.Builder, path string) (changed time.Time) {
	if info, err := os.Stat(path); err == nil {
		changed = info.ModTime()
		fmt.Fprintf(mark, "%s %d %d\n", path, changed.UnixNano(), info.Size())
	}
	return changed
}
