package spec

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// Off returns why the server is not started in this workspace; "" when it is.
func (s *Spec) Off() string {
	if len(s.Untrusted) == 0 || s.Code == nil {
		return ""
	}
	return s.Code.Restrict.Off
}

// Restricted returns the spec for a workspace that is not trusted, with the folders of that workspace. What the
// user's configuration says of the server stays, as far as the restriction does not replace it.
func (s Spec) Restricted(untrusted []string) Spec {
	s.Untrusted = slices.Clone(untrusted)
	if s.Code == nil {
		return s
	}
	r := s.Code.Restrict
	s.Settings = Merge(s.Settings, r.Settings)
	s.InitializationOptions = Merge(s.InitializationOptions, r.Options)
	if len(r.Env) > 0 {
		env := maps.Clone(s.Env)
		if env == nil {
			env = map[string]string{}
		}
		maps.Copy(env, r.Env)
		s.Env = env
	}
	s.Notify = append(slices.Clone(s.Notify), r.Notify...)
	if r.NoCheck {
		s.Diagnostics.Check = nil
	}
	for _, bar := range r.Bars { // a changed one may bar the server, which only a start looks at
		s.Freshness.RestartOn = append(slices.Clone(s.Freshness.RestartOn), baseNames(bar.Files)...)
	}
	return s
}

func baseNames(paths []string) []string {
	var out []string
	for _, p := range paths {
		if base := filepath.Base(p); !slices.Contains(out, base) {
			out = append(out, base)
		}
	}
	return out
}

// ProjectCode says which code of a project a server runs, and what keeps it from that in a workspace that is not
// trusted: a server that builds, loads plugins or takes its compiler from the project runs what whoever wrote the
// repository wants, with the first question.
type ProjectCode struct {
	Runs     []ProjectRun
	Fetches  []ProjectFetch
	Restrict Restriction
	// Tried is how it is known what runs and that Restrict stops it: the version and the date of a trial, or the
	// test that holds it; "" when only the server's documentation says so.
	Tried string
}

// ProjectRun is one kind of code that a server runs.
type ProjectRun struct {
	What string // for people, in the plural: "build scripts"
	// that there is some: globs of paths below any folder of the workspace ("build.rs", ".cargo/config.toml")
	Files []string
	Text  string // what one of these files must hold; "" for any
	// Absent: a root in which none of Files is counts, too, because nobody can tell then.
	Absent bool
	// Loss is what answers may lack when it is not run ("names that macros make"), and Methods are the LSP methods
	// of such answers. Without Methods nothing is lacking in any answer.
	Loss    string
	Methods []string
}

// ProjectText is a file of a project, a glob of paths below any of its folders, that holds a text; "" for any text.
type ProjectText struct{ File, Text string }

// Restriction is laid over a row in a workspace that is not trusted.
type Restriction struct {
	// why the server is not started at all: what it runs that nothing turns off; "" when it is started
	Off      string
	Settings map[string]any    // over Spec.Settings
	Options  map[string]any    // over Spec.InitializationOptions
	Env      map[string]string // over Spec.Env
	NoCheck  bool              // Diagnostics.Check is not run
	Notify   []string          // Spec.Notify
	Bars     []Bar
	User     *UserFile
	Own      *OwnFile // nil when the server does not take this file from the project
}

// Bar names files of a project with which the server is not started, because they make it run something that
// nothing turns off. They are looked for in the root and in all folders above it, where those of this user count no
// longer above the untrusted folders.
type Bar struct {
	Files []string // paths relative to such a folder
	// Allowed are the keys that these TOML files may have nevertheless, dotted, * for any one part; all below an
	// allowed key is allowed. nil bars the file whatever it holds.
	Allowed []string
	Why     string // what it would have the server run
}

// OwnFile is a file that a server takes from the project, and has to be given from elsewhere: where the server
// itself is installed, else beside one of the programs.
type OwnFile struct {
	Option   string   // initialization option that names it, dotted
	Path     string   // below a folder of packages: "typescript/lib/tsserver.js"
	Folder   string   // what folders of packages are called: "node_modules"
	Programs []string // of packages that have it: "tsc"
	Install  string   // how to have it, a command line
}

// Key identifies a kind of code by how it is found in a project.
func (r ProjectRun) Key() string { return strings.Join(r.Files, "\x00") + "\x00\x00" + r.Text }

// Matches reports whether a path below a workspace is one of Files, in whatever folder.
func (r ProjectRun) Matches(rel string) bool {
	return slices.ContainsFunc(r.Files, func(glob string) bool {
		for tail, more := rel, true; more; _, tail, more = strings.Cut(tail, "/") {
			if ok, _ := path.Match(glob, tail); ok {
				return true
			}
		}
		return false
	})
}

// maxManifest bounds what is read of a file that may show code, in bytes.
const maxManifest = 4 << 20

// In reports whether what is at path is such code: a folder, or a regular file that holds the text of r. A file that
// cannot be read counts as such, because nobody can tell.
func (r ProjectRun) In(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil && info.IsDir() && r.Text == ""
	}
	if r.Text == "" {
		return true
	}
	f, _, err := source.OpenRegular(path)
	if err != nil {
		return true
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxManifest))
	return err != nil || bytes.Contains(content, []byte(r.Text))
}

// FetchedBy returns what a server may fetch because of files of its workspace, for people; nil when the workspace is
// not trusted.
func FetchedBy(spec *Spec) (out []string) {
	for _, f := range Fetches(spec) {
		out = append(out, f.What)
	}
	return out
}

// Fetches returns what a server may fetch because of files of its workspace; nil when the workspace is not trusted.
func Fetches(spec *Spec) []ProjectFetch {
	if spec.Code == nil || len(spec.Untrusted) > 0 {
		return nil
	}
	return spec.Code.Fetches
}
