package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// Diff is the files that differ between a commit and another one or the disk.
type Diff struct {
	Base  string // the commit, in full
	Files []File
	// Later are files of a range that were changed on disk since its end.
	Later []string // files of a range that were changed on disk since its end

	repository
}

// File is one changed file.
type File struct {
	Path   string // absolute
	Status byte   // as git diff has it: M, A, D, T, U; ? for a file that git does not track
	Module bool   // a submodule
	blob   string // the object with the text before; zeros when there was none
}

// repository runs git in one repository.
type repository struct {
	top     string   // its top folder; before that is known the folder of the question
	env     []string // overrides of the filters that the repository names
	environ []string // of the session
}

// maxOutput bounds what is read of one run of git, in bytes. A run that says more is killed.
const maxOutput = 64 << 20

// Read finds what changed in the repository around dir: on disk against a revision, or between the ends
// of a range (A..B, or A...B for since their common ancestor). Errors are of the kind git_failed, with
// a reason among their facts. environ is the environment of the session, as os.Environ has it; nil
// means that of this process.
func Read(ctx context.Context, dir, revision string, environ []string) (*Diff, error) {
	r, err := open(ctx, dir, environ)
	if err != nil {
		return nil, err
	}
	from, to, err := r.ends(ctx, revision)
	if err != nil {
		return nil, err
	}
	d := &Diff{Base: from, repository: r}
	if d.Files, err = r.changedFiles(ctx, from, to); err != nil {
		return nil, err
	}
	if to == "" {
		if err := d.unmerged(ctx); err != nil {
			return nil, err
		}
		return d, d.untracked(ctx)
	}
	since, err := r.changedFiles(ctx, to, "")
	for _, f := range since {
		for _, have := range d.Files {
			if have.Path == f.Path {
				d.Later = append(d.Later, f.Path)
			}
		}
	}
	return d, err
}

// open finds the repository around dir, and overrides what would run programs that it names.
func open(ctx context.Context, dir string, environ []string) (repository, error) {
	r := repository{top: dir, environ: environ}
	top, err := r.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return r, err
	}
	r.top = filepath.FromSlash(strings.TrimRight(top, "\r\n"))
	return r, r.silenceFilters(ctx)
}

// ReadFiles finds which of some files differ on disk from the last commit. It looks at no other files,
// so its cost does not depend on the repository's size. Errors and environ are those of [Read].
func ReadFiles(ctx context.Context, dir string, paths, environ []string) (*Diff, error) {
	r, err := open(ctx, dir, environ)
	if err != nil {
		return nil, err
	}
	d := &Diff{Base: "HEAD", repository: r}
	if d.Files, err = r.changedFiles(ctx, d.Base, "", paths...); err != nil {
		if _, none := r.run(ctx, "rev-parse", "--verify", "--quiet", d.Base+"^{commit}"); isExit(none, 1) {
			err = contract.Errorf(contract.KindGitFailed, contract.Facts{"reason": "revision"},
				"nothing is committed in %s", r.top)
		}
	}
	return d, err
}

// Before returns the text of a file at the commit; "" when the file did not exist there.
func (d *Diff) Before(ctx context.Context, f File) (string, error) {
	if strings.Trim(f.blob, "0") == "" {
		return "", nil
	}
	return d.run(ctx, "cat-file", "blob", f.blob)
}

// ends returns the commits of a revision or range; to is "" for a single revision, which is compared
// with the disk.
func (r *repository) ends(ctx context.Context, revision string) (from, to string, err error) {
	a, b, ranged := strings.Cut(revision, "..")
	common := strings.HasPrefix(b, ".")
	b = strings.TrimPrefix(b, ".")
	if from, err = r.commit(ctx, a); err != nil || !ranged {
		return from, "", err
	}
	if to, err = r.commit(ctx, b); err != nil || !common {
		return from, to, err
	}
	from, err = r.run(ctx, "merge-base", from, to)
	return strings.TrimSpace(from), to, err
}

// commit returns the full id of a commit; "" names HEAD. --end-of-options keeps a revision such as
// --upload-pack from being taken for an option.
func (r *repository) commit(ctx context.Context, name string) (string, error) {
	if name == "" {
		name = "HEAD"
	}
	id, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", contract.Errorf(contract.KindGitFailed, contract.Facts{"reason": "revision"},
			"git knows no commit %q in %s", name, r.top)
	}
	return strings.TrimSpace(id), nil
}

// silenceFilters overrides the clean and smudge filters that the configuration names: git diff runs
// them on changed files, and a repository may bring its own. Their names are free, so they have to be
// asked for first.
func (r *repository) silenceFilters(ctx context.Context) error {
	names, err := r.run(ctx, "config", "--null", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil && !isExit(err, 1) { // 1: there are none
		return err
	}
	n := len(safe)
	for name := range strings.SplitSeq(names, "\x00") {
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			value := ""
			if strings.EqualFold(name[i+1:], "required") {
				value = "false"
			}
			r.env = append(r.env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, name),
				fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
			n++
		}
	}
	r.env = append(r.env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
	return nil
}

// safe are the settings that keep git from running what a repository names.
var safe = [][2]string{{"core.fsmonitor", "false"}, {"core.hooksPath", "/dev/null"},
	{"safe.bareRepository", "explicit"},
	{"core.pager", "cat"}, {"submodule.recurse", "false"}}

// changedFiles runs git diff --raw between two commits, or a commit and the disk; of paths alone when there are
// some. It reads no texts, so its output stays small.
func (r *repository) changedFiles(ctx context.Context, from, to string, paths ...string) (out []File, err error) {
	args := []string{"diff", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-color",
		"--no-relative",
		"--ignore-submodules=dirty", from}
	if to != "" {
		args = append(args, to)
	}
	raw, err := r.run(ctx, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(raw, "\x00")
	seen := map[string]bool{}
	for i := 0; i+1 < len(fields); i += 2 {
		// ":100644 100644 <before> <after> M", then the path. A renamed file is one that is gone and one that came.
		head := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(head) != 5 {
			return nil, contract.Errorf(contract.KindGitFailed, contract.Facts{"reason": "output"},
				"reading the answer of git diff: %q", fields[i])
		}
		f := File{Status: head[4][0], blob: head[2], Module: head[0] == "160000" || head[1] == "160000"}
		f.Path = filepath.Join(r.top, filepath.FromSlash(fields[i+1]))
		if seen[f.Path] { // an unmerged file is told twice
			continue
		}
		seen[f.Path] = true
		out = append(out, f)
	}
	return out, nil
}

// unmerged marks the files in which a merge met a conflict: git diff against a commit shows them as
// modified.
func (d *Diff) unmerged(ctx context.Context) error {
	raw, err := d.run(ctx, "ls-files", "-z", "--unmerged")
	for line := range strings.SplitSeq(raw, "\x00") {
		_, name, _ := strings.Cut(line, "\t") // mode, blob, stage
		for i := range d.Files {
			if name != "" && d.Files[i].Path == filepath.Join(d.top, filepath.FromSlash(name)) {
				d.Files[i].Status = 'U'
			}
		}
	}
	return err
}

// maxUntracked bounds the files that git does not track, such as the output of a build that nobody
// ignores.
const maxUntracked = 1000

// untracked adds the files that git does not track and does not ignore; nested repositories are left
// out.
func (d *Diff) untracked(ctx context.Context) error {
	raw, err := d.run(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	n := 0
	for name := range strings.SplitSeq(raw, "\x00") {
		if name == "" || strings.HasSuffix(name, "/") || n == maxUntracked { // a repository in this one
			continue
		}
		n++
		path := filepath.Join(d.top, filepath.FromSlash(name))
		// What was only taken out of the index is on disk: it changed, and nothing of it is gone.
		if i := slices.IndexFunc(d.Files, func(f File) bool { return f.Path == path && f.Status == 'D' }); i >= 0 {
			d.Files[i].Status = 'M'
			continue
		}
		d.Files = append(d.Files, File{Path: path, Status: '?'})
	}
	return nil
}

// patience is how long one run of git may take.
const patience = 15 * time.Second

var errSlow = errors.New("git is slow")

// run runs git and returns what it says. git takes no lock (a git of the user would fail on it), asks
// nobody for passwords, fetches nothing, and is never an executable from the repository itself. An
// error joins the one that is told with that of the process, for [isExit].
func (r *repository) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSlow)
	defer cancel()
	s := &spec.Spec{Untrusted: []string{r.top}, Environ: r.environ}
	program := launch.LookPath(s, "git")
	if program == "" {
		return "", contract.Errorf(contract.KindGitFailed, contract.Facts{"reason": "not_installed"},
			"git is not on PATH")
	}
	cmd := launch.Run(ctx, s, r.top, append([]string{program, "--no-pager", "--literal-pathspecs"}, args...)...)
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none",
		"GIT_NO_LAZY_FETCH=1",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(safe)))
	for i, kv := range safe {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	cmd.Env = append(cmd.Env, r.env...) // the last entry of a name counts
	var said bytes.Buffer
	cmd.Stderr = &said
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", fmt.Errorf("starting git: %w", err)
	}
	// An error of the read shows in Wait as well.
	out, _ := io.ReadAll(io.LimitReader(pipe, maxOutput+1))
	if len(out) > maxOutput {
		_ = cmd.Process.Kill()
	}
	err = cmd.Wait()
	switch {
	case errors.Is(context.Cause(ctx), errSlow):
		return "", contract.Errorf(contract.KindGitFailed, contract.Facts{"reason": "slow"},
			"git %s did not answer in %v", args[0], patience)
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case len(out) > maxOutput:
		return "", contract.Errorf(contract.KindGitFailed, contract.Facts{"reason": "too_large"},
			"git %s says more than %d bytes", args[0], maxOutput)
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		reason := "failed"
		if strings.Contains(line, "not a git repository") {
			reason = "not_a_repository"
		}
		failed := contract.Errorf(contract.KindGitFailed, contract.Facts{"reason": reason}, "git %s in %s: %s",
			args[0], r.top, line)
		return string(out), errors.Join(failed, err)
	}
	return string(out), nil
}

// isExit reports whether git ended with this exit code; git config and rev-parse say "there is none" by
// 1.
func isExit(err error, code int) bool {
	var e *exec.ExitError
	return errors.As(err, &e) && e.ExitCode() == code
}
