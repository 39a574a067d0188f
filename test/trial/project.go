package trial

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// Language is a project, what breaks it, and a compiler that knows the truth.
type Language struct {
	Name   string
	Title  string            // for people
	Needs  []string          // programs
	Files  map[string]string // one of them has an error from before
	Breaks []Break
	Format []string // a formatter; nil for none
	// Check are commands whose output names each error as ErrorLine finds it
	Check     [][]string
	ErrorLine *regexp.Regexp // file, line
	// Hidden returns further errors, "file:line" each, that the commands do not come to; nil where there are none
	Hidden   func(dir string) []string
	Comment  string
	InSource string // the file that clean edits change
}

// Break is an edit that brings errors: in File Old becomes New.
type Break struct{ File, Old, New string }

// Languages are all that are tried; the first is the one of make test.
var Languages = []Language{languageGo, languageTypeScript, languagePython, languageRust, languageCpp}

// Wanted reports whether LSPI_HOOK_LANGUAGES has a language; without it, all are.
func Wanted(lang Language) bool {
	names := os.Getenv("LSPI_HOOK_LANGUAGES")
	return names == "" || slices.Contains(strings.Split(names, ","), lang.Name)
}

// Project is the project of a language on disk, committed to git.
type Project struct {
	Language
	Dir string
	Env []string // of git and the compiler
}

// NewProject writes the files of a language into a folder and commits them.
func NewProject(t testing.TB, lang Language, dir string, env []string) *Project {
	t.Helper()
	testkit.Fill(t, dir, lang.Files)
	p := &Project{Language: lang, Dir: dir, Env: env}
	p.Run("git", "init", "-q", ".")
	p.Run("git", "add", "-A")
	p.Run("git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "begin")
	return p
}

// Run runs a command in the project and returns what it says.
func (p *Project) Run(name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// Truth returns the errors that the compiler finds, by [Project.Key].
func (p *Project) Truth() map[string]bool {
	out := map[string]bool{}
	for _, c := range p.Check {
		for _, m := range p.ErrorLine.FindAllStringSubmatch(p.Run(c[0], c[1:]...), -1) {
			out[p.Key(m[1], m[2])] = true
		}
	}
	return out
}

// hiddenBehind returns the errors that the compiler does not come to before those of truth are mended.
func (p *Project) hiddenBehind(truth map[string]bool) map[string]bool {
	out := map[string]bool{}
	if p.Hidden == nil {
		return out
	}
	for _, at := range p.Hidden(p.Dir) {
		file, line, _ := strings.Cut(at, ":")
		if key := p.Key(file, line); !truth[key] {
			out[key] = true
		}
	}
	return out
}

// Key names an error by its file and the text of its line, which moves with it.
func (p *Project) Key(file, line string) string {
	raw, _ := os.ReadFile(filepath.Join(p.Dir, file))
	n, _ := strconv.Atoi(line)
	lines := strings.Split(string(raw), "\n")
	if n < 1 || n > len(lines) {
		return file + ": line " + line
	}
	return file + ": " + strings.TrimSpace(lines[n-1])
}
