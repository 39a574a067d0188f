package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/doctor"
	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/tools/git"
	"lspi/tools/index"
	"lspi/tools/indexed"
)

func newIndexCommand() *cobra.Command {
	var f sessionFlags
	var output string
	cmd := &cobra.Command{
		Use:   "index [INDEXER...]",
		Short: "Make an index of the workspace that answers while no language server can",
		Long: "index runs the SCIP indexer of each language of the workspace that has one and that is installed: scip-go,\n" +
			"rust-analyzer, scip-typescript, scip-python. The index goes into lspi's cache, with the commit that it is of, and\n" +
			"tools answer from it where no server is installed, starts or has the memory, or while it still loads (docs/index.md).\n" +
			"With --output it is a file for others. Indexers run code of the project, as its language servers do.",
		Example: "  lspi index\n  lspi index scip-go --output index.scip",
		Args:    positional(knownIndexers),
		RunE: func(cmd *cobra.Command, args []string) error {
			return makeIndexes(cmd, &f, args, output)
		},
		ValidArgs: indexerNames(),
	}
	f.addCommon(cmd)
	cmd.Flags().StringVar(&output, "output", "", "write the index to this `file`; for one project and one indexer")
	return cmd
}

// knownIndexers refuses names that are not in [index.Indexers].
func knownIndexers(cmd *cobra.Command, args []string) error {
	for _, name := range args {
		if !slices.Contains(indexerNames(), name) {
			return &usageError{withNearest(fmt.Errorf("lspi knows no indexer %q", name), name, indexerNames(), ""),
				cmd.CommandPath()}
		}
	}
	return nil
}

func indexerNames() (out []string) {
	for _, i := range index.Indexers {
		out = append(out, i.Name)
	}
	return out
}

// indexing is one index to make.
type indexing struct {
	index.Indexer
	root    string
	program string // "" when it is not installed
}

// makeIndexes runs the indexers of a workspace.
func makeIndexes(cmd *cobra.Command, f *sessionFlags, names []string, output string) error {
	s := newWiring(f, cmd.ErrOrStderr())
	c, err := s.load(nil)
	if err != nil {
		return &usageError{err: err}
	}
	if !c.Trust.Trusted {
		return fmt.Errorf("indexers run code of the project, and %s is not trusted (%s): run lspi trust", c.Workspace,
			c.Trust.Why)
	}
	runner := launch.Checker(nil)
	runner.Environ = s.options.Environ
	var all []indexing
	for _, root := range c.Roots {
		all = append(all, indexings(root, runner, names)...)
	}
	if len(all) == 0 {
		return fmt.Errorf("no project in %s has an indexer that lspi knows (%s)", c.Workspace,
			strings.Join(indexerNames(), ", "))
	}
	if output != "" && len(all) > 1 {
		return &usageError{fmt.Errorf("--output names one file, and there are %d indexes to make: name an indexer, and a project by --workspace-root",
			len(all)), cmd.CommandPath()}
	}
	cache := s.options.User().CacheDir()
	end := watchSignals()
	failed := false
	for _, one := range all {
		file := index.Own(cache, one.root, one.Name)
		if output != "" {
			if file.Path, err = filepath.Abs(output); err != nil {
				return err
			}
		}
		said, err := one.run(end.ctx, runner, cache, file)
		if end.ctx.Err() != nil {
			return end.code()
		}
		if err != nil { // the others may be made
			failed = true
			fmt.Fprintln(cmd.ErrOrStderr(), "lspi: "+contract.EscapeText(err.Error()))
			continue
		}
		fmt.Fprintln(cmd.OutOrStdout(), contract.EscapeText(said))
	}
	return failedUnless(!failed)
}

// notProjects are folders that are not searched for projects, besides hidden ones.
var notProjects = []string{"node_modules", "target", "vendor", "testdata", "build", "dist"}

// indexings are the indexes of the projects below a root: of nested ones, the outermost is the project.
func indexings(root string, runner *spec.Spec, names []string) (out []indexing) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read has no project
		base := filepath.Base(path)
		switch {
		case err != nil && d != nil && d.IsDir():
			return filepath.SkipDir
		case err != nil || !d.IsDir():
			return nil
		case path != root && (base[0] == '.' || base[0] == '_' || slices.Contains(notProjects, base)):
			return filepath.SkipDir
		}
		for _, i := range index.Indexers {
			nested := slices.ContainsFunc(out, func(o indexing) bool {
				return o.Name == i.Name && source.Within(o.root, path)
			})
			if !nested && i.IsProject(path) && (len(names) == 0 || slices.Contains(names, i.Name)) {
				out = append(out, indexing{i, path, programOf(runner, i.Name)})
			}
		}
		return nil
	})
	return out
}

// programOf returns the program of an indexer, on PATH or in lspi's own folder of servers; "" when it is not there.
func programOf(runner *spec.Spec, name string) string {
	s := *runner
	s.Commands = []spec.Command{{Name: name}}
	if found, _ := launch.FindCommands(&s); len(found) > 0 {
		return found[0].Path
	}
	return ""
}

// run makes one index and its table, and returns what it says of them.
func (i indexing) run(ctx context.Context, runner *spec.Spec, cache string, file index.File) (string, error) {
	if i.program == "" {
		return "", fmt.Errorf("%s is not installed, so %s has no index; install it with: %s (or lspi servers install %s)",
			i.Name, i.root, i.Install, i.Name)
	}
	if err := os.MkdirAll(filepath.Dir(file.Path), 0o700); err != nil {
		return "", err
	}
	// Beside its place, so that no question reads half of it, nor another run of this command. The ending is not that of
	// an index.
	made := fmt.Sprintf("%s.%d.new", file.Path, os.Getpid())
	defer os.Remove(made)
	commit, unknown := cleanCommit(ctx, i.root, runner.Environ, file.Path)
	process := launch.Run(ctx, runner, i.root, append([]string{i.program}, i.Args(i.root, made, commit)...)...)
	var said bytes.Buffer
	process.Stdout, process.Stderr = &said, &said
	if err := process.Run(); err != nil {
		return "", fmt.Errorf("%s in %s: %w\n%s", i.Name, i.root, err, lastLines(said.String(), 12))
	}
	if after, why := sameCommit(ctx, i.root, runner.Environ, commit, file.Path); commit != "" && !after {
		commit, unknown = "", why
	}
	// The old commit never stands beside the new index.
	if err := os.Remove(file.Path + index.CommitSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(made, file.Path); err != nil {
		return "", fmt.Errorf("%s made no index: %w", i.Name, err)
	}
	if commit != "" {
		if err := os.WriteFile(file.Path+index.CommitSuffix, []byte(commit+"\n"), 0o600); err != nil {
			return "", err
		}
	}
	table, err := index.Open(ctx, cache, file)
	if err != nil {
		return "", err
	}
	defer table.Close()
	of := "of commit " + commit
	if commit == "" {
		of = "of no commit (" + unknown + "), so answers from it are never called complete"
	}
	return fmt.Sprintf("%s: %s, %s; %s", i.root, describeTable(table), of, file.Path), nil
}

// describeTable tells what an index has.
func describeTable(t *index.Table) string {
	return fmt.Sprintf("%s, %d documents, table of %.1f MB", t.Label(), t.Documents, float64(t.Size)/(1<<20))
}

// cleanCommit returns the commit that a folder is exactly of; "" and why, when it is of none.
func cleanCommit(ctx context.Context, root string, environ []string, output string) (commit, why string) {
	state, err := git.Since(ctx, root, "HEAD", environ)
	if err != nil {
		return "", err.Error()
	}
	for _, path := range state.Changed {
		if path != output && path != output+index.CommitSuffix {
			return "", path + " is changed or not committed"
		}
	}
	return state.Commit, ""
}

// sameCommit reports whether the commit is still checked out and no file of it changed while the indexer ran; what an
// indexer wrote beside them, such as the output of a build, is no source of the index.
func sameCommit(ctx context.Context, root string, environ []string, commit, output string) (same bool, why string) {
	state, err := git.Since(ctx, root, "HEAD", environ)
	if err != nil {
		return false, err.Error()
	}
	for _, path := range state.Changed {
		if state.Tells(path) && path != output && path != output+index.CommitSuffix {
			return false, path + " changed while the indexer ran"
		}
	}
	return state.Commit == commit, "another commit was checked out while the indexer ran"
}

// lastLines are the last lines of what a program said.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(len(lines)-n, 0):], "\n")
}

// indexChecks are what the doctor says of the indexes of a workspace.
func indexChecks(ctx context.Context, c *config.Config, cache string, roots []string) (out []doctor.Check) {
	in := index.Place{Cache: cache, Files: c.Index.Files, Commit: c.Index.Commit, Allowed: c.Roots,
		Roots: append(slices.Clone(c.Roots), roots...)}
	for _, f := range in.Find() {
		check := doctor.Check{Name: "index", Level: doctor.OK}
		t, err := index.Open(ctx, cache, f)
		if err != nil {
			check.Level, check.Message = doctor.Warning, fmt.Sprintf("the index %s is not used: %v", f.Path, err)
			check.Fix = []string{"Make it anew with lspi index, or take it away."}
			out = append(out, check)
			continue
		}
		check.Message = fmt.Sprintf("the index %s (%s)", f.Path, describeTable(t))
		changed, known, why := indexed.State(ctx, t, nil)
		switch {
		case known && changed == 0 && why == "":
			check.Message += " is of the commit that is checked out, and no file changed since"
		case known:
			check.Level = doctor.Note
			check.Message += fmt.Sprintf(" is of commit %s; %s: answers from it are partial", t.Commit, why)
			check.Fix = []string{"lspi index"}
		default:
			check.Level = doctor.Note
			check.Message += ": " + why + "; answers from it are partial"
			check.Fix = []string{"lspi index"}
		}
		_ = t.Close() // it was read
		out = append(out, check)
	}
	return out
}
