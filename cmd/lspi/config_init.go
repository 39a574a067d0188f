package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/tools"
	"lspi/tools/answer"
)

// configInit writes a starter configuration: lspi config init, and the lspi setup of the original lspi.
type configInit struct {
	sessionFlags
	output       string // the file; "" is .lspi/config.toml of the workspace
	force, print bool
}

func newConfigInitCommand() *cobra.Command {
	var c configInit
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a starter configuration for this workspace",
		Long: "init writes .lspi/config.toml (or the file that --output names) with the language servers of this workspace and the keys\n" +
			"that are changed most often, as comments. It overwrites no file unless --force says so.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	c.addFlags(cmd)
	cmd.Flags().BoolVar(&c.print, "print", false, "print it, and write nothing")
	return cmd
}

// addFlags adds the flags that lspi setup of the original had as well.
func (c *configInit) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.workspaceRoot, "workspace-root", "",
		"the `folder` to write it for (default: the repository that holds the current folder)")
	cmd.Flags().StringVar(&c.output, "output", "", "the `file` to write (default .lspi/config.toml of the workspace)")
	cmd.Flags().BoolVar(&c.force, "force", false, "overwrite the file if it is there")
}

// run asks which servers the workspace has files for, and writes the file or prints its text.
func (c *configInit) run(cmd *cobra.Command) error {
	c.Share, c.NoPreset = "off", true
	raw, _ := json.Marshal(map[string]any{"max_total_chars": wholeList}) // cannot fail: a number
	var found tools.Result
	err := callTo(cmd, &c.sessionFlags, "list_servers", arguments{object: raw}, false, func(result tools.Result) error {
		if found = result; !result.OK {
			return printResult(cmd.OutOrStdout(), cmd.ErrOrStderr(), result, false)
		}
		return nil
	})
	if err != nil || !found.OK {
		return err
	}
	text, err := starter(found.Structured)
	if err != nil || c.print {
		fmt.Fprint(cmd.OutOrStdout(), text)
		return err
	}
	path, err := c.path()
	if err == nil {
		err = c.write(path, text)
	}
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\nNext: lspi config shows what is in effect, lspi doctor what works.\n", path)
	}
	return err
}

// path is the file to write, absolute. What --output names is relative to the workspace, as in the original.
func (c *configInit) path() (string, error) {
	name := c.output
	if name == "" {
		name = filepath.Join(".lspi", "config.toml")
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	root := c.workspaceRoot
	if root == "" {
		var err error
		if root, err = currentWorkspace(); err != nil {
			return "", err
		}
	}
	return filepath.Abs(filepath.Join(root, name))
}

// write writes the file; one that is there only with --force.
func (c *configInit) write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if c.force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, how, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; --force overwrites it", path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// starter returns the text of a configuration that changes nothing: the servers that an answer of list_servers has, and
// further keys, as comments.
func starter(structured []byte) (string, error) {
	var list struct {
		Servers []struct {
			ID, Title, State string
			Files            int
			Configured       bool
		}
	}
	if err := json.Unmarshal(structured, &list); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`# The configuration of lspi for this workspace. Every key has a default, so that lspi works without this file;
# lspi config keys lists them all. What names programs, arguments or environment counts once you trust the file: lspi trust.

[mcp]
`)
	for _, k := range config.KeyTable() {
		if name, ok := strings.CutPrefix(k.Key, "mcp."); ok && k.Default != "" && (name == "read_only" || name == "call_timeout_ms") {
			fmt.Fprintf(&b, "#%s = %s # %s\n", name, k.Default, plain(firstSentence(k.Description)))
		}
	}
	b.WriteString("\n[mcp.output]\n")
	for _, k := range config.KeyTable() {
		if name, ok := strings.CutPrefix(k.Key, "mcp.output."); ok && k.Default != "" {
			fmt.Fprintf(&b, "#%s = %s # %s\n", name, k.Default, plain(firstSentence(k.Description)))
		}
	}
	for _, s := range list.Servers {
		state := ""
		switch {
		case s.Configured:
			state = ", which another file configures"
		case s.State == "missing":
			state = ", which is not installed (lspi doctor says how)"
		}
		// A table that names a server counts as a change of what lspi runs, which this file must not be.
		fmt.Fprintf(&b, "\n# %s, for %s here%s.\n#[[servers]]\n#id = %q\n#enabled = false\n#request_timeout_ms = 30000\n"+
			"#warmup_timeout_ms = 45000\n#command = \"/absolute/path\"\n", s.Title, answer.Counted(s.Files, "file"), state, s.ID)
	}
	return b.String(), nil
}

// plain returns a description without the marks of Markdown.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }
