package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"lspi/cmd/lspi/internal/folders"
	"lspi/cmd/lspi/internal/trust"
	"lspi/lsp"
)

// Options are what a configuration is made from. The zero values of Getenv, WorkDir and Home mean those of the process.
type Options struct {
	WorkspaceFlag string // --workspace-root
	ConfigFlag    string // --config
	Flags         Flags
	Getenv        func(string) string
	HostRoots     []string // the host's roots, in its order: paths or file URIs
	WorkDir       string
	Home          string
	Catalogue     []lsp.Spec // catalogue.Servers(); Load reads it and shares its rows
	Tools         []string   // the names of all tools, for [mcp.tools]
}

// fill puts in what is not given.
func (o *Options) fill() {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	o.Home = o.userFolders().HomeDir()
	if o.WorkDir == "" {
		o.WorkDir, _ = os.Getwd()
	}
}

func (o *Options) userFolders() folders.User { return folders.User{Getenv: o.Getenv, Home: o.Home} }

// Load finds, reads, checks and merges the configuration. What is wrong with a file is a finding, see [Config.Err]; the
// error is for what leaves nothing to work with: no workspace, or a wrong flag.
func Load(o Options) (*Config, error) {
	o.fill()
	if err := o.Flags.check(); err != nil {
		return nil, err
	}
	found, err := folders.FindWorkspace(o.WorkspaceFlag, o.HostRoots, o.userFolders(), o.WorkDir)
	if err != nil {
		return nil, err
	}
	l := loader{Options: o, root: found.Root, merged: defaults(), given: map[string]bool{}}
	l.user()
	l.project()
	for _, layer := range l.layers {
		l.apply(layer)
	}
	return l.config(found.Others), nil
}

// loader holds what Load has so far.
type loader struct {
	Options
	root   string   // the workspace so far
	layers []*layer // from lowest to highest precedence
	merged map[string]any
	given  map[string]bool // keys that an applied file sets
}

func (l *loader) user() {
	path := l.userFolders().ConfigFile()
	if _, err := os.Lstat(path); path == "" || err != nil {
		return
	}
	l.add(newLayer(SourceUser, path))
}

// project reads the files named on purpose, else the workspace's.
func (l *loader) project() {
	if path := l.Getenv("LSPI_CONFIG_PATH"); path != "" {
		l.add(newLayer(SourceEnv, folders.Absolute(l.WorkDir, path)))
	}
	if l.ConfigFlag != "" {
		l.add(newLayer(SourceFlag, folders.Absolute(l.WorkDir, l.ConfigFlag)))
	}
	if l.Getenv("LSPI_CONFIG_PATH") == "" && l.ConfigFlag == "" {
		l.workspace()
	}
}

func (l *loader) workspace() {
	path, second := workspaceFile(l.root)
	if path == "" || slices.ContainsFunc(l.layers, func(other *layer) bool { return sameFile(other.Path, path) }) {
		return
	}
	layer := newLayer(SourceWorkspace, path)
	layer.Trusted = false
	if second != "" {
		layer.find(Finding{Severity: SeverityWarning, Kind: FindingTwoFiles,
			Message: fmt.Sprintf("%s is not read, because this file is there too", filepath.Base(second)),
			Fix:     fmt.Sprintf("put everything into one of them and remove the other: %s", second)})
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && !folders.Within(l.root, real) {
		// A link to a file that the user trusts elsewhere would bring its trust along, and errors would quote any file.
		layer.find(Finding{Severity: SeverityWarning, Kind: FindingUntrusted,
			Message: "not read: this is a link to a file outside the workspace",
			Fix:     "name it with --config or LSPI_CONFIG_PATH"})
		l.layers = append(l.layers, layer)
		return
	}
	l.add(layer)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// add reads and checks a file and lets it choose the workspace.
func (l *loader) add(layer *layer) {
	l.layers = append(l.layers, layer)
	layer.read()
	c := checker{layer: layer, catalogue: l.Catalogue, tools: l.Tools}
	c.run()
	if layer.Kind == SourceWorkspace {
		l.trust(layer)
	}
	layer.without = l.root
	s := settler{layer: layer, home: l.Home, root: l.root}
	if root := s.workspaceRoot(); root != "" && l.WorkspaceFlag == "" {
		l.root = root
	}
}

// trust looks the file up among those that the user trusts. A store inside the workspace is the repository's own word.
func (l *loader) trust(layer *layer) {
	store := trust.Open(l.userFolders())
	if dir := store.InsideOf(l.root); dir != "" {
		layer.find(Finding{Severity: SeverityWarning, Kind: FindingTrustStore,
			Message: "the list of trusted files is not used: it lies inside the workspace, in " + dir})
		return
	}
	entry, ok, err := store.File(layer.real)
	if err != nil {
		layer.find(Finding{Severity: SeverityWarning, Kind: FindingTrustStore, Message: "reading the list of trusted files: " + err.Error()})
		return
	}
	layer.Trusted = ok && entry.SHA256 == layer.SHA256 && layer.SHA256 != ""
	layer.changed = ok && !layer.Trusted
}

// apply lays a file over those below it, without what it may not set.
func (l *loader) apply(layer *layer) {
	s := settler{layer: layer, home: l.Home, root: l.root}
	s.run()
	if layer.Kind == SourceWorkspace {
		l.addPlaces(layer)
	}
	layer.keepsTrust(lookup[string](l.merged, "trust"))
	if !layer.Trusted {
		r := restriction{layer: layer, base: l.merged, tools: l.Tools, rows: l.Catalogue, rooted: l.WorkspaceFlag != ""}
		r.run()
	}
	layer.reportStripped()
	layer.reportNarrowed()
	merge(l.merged, layer.values)
	maps.Copy(l.given, givenKeys(layer.values))
}

func (l *loader) config(hostRoots []string) *Config {
	over := overlay{workspace: l.root, catalogue: l.Catalogue, pass: lookup[[]string](l.merged, "env_pass")}
	over.run(lookup[[]map[string]any](l.merged, "servers"), lookup[bool](l.merged, "catalogue"))
	c := &Config{
		Workspace: l.root, Specs: over.specs, Disabled: over.disabled, Configured: over.shown,
		Edit: Edit{Protected: lookup[[]string](l.merged, "edit.protected"), Confirm: lookup[[]string](l.merged, "edit.confirm")},
		MCP:  l.mcp(), Limits: l.limits(), Logging: l.logging(), given: l.given,
	}
	c.Roots = l.roots(hostRoots, over.shown)
	if c.Trust = trust.Decide(l.userFolders(), l.policy(), append([]string{l.root}, hostRoots...)...); !c.Trust.Trusted {
		untrusted := folders.WithRepositories(c.Roots, l.Home)
		for i := range c.Specs {
			c.Specs[i] = c.Specs[i].Restricted(untrusted)
		}
	}
	for _, layer := range l.layers {
		c.Sources = append(c.Sources, layer.Source)
		c.Findings = append(c.Findings, layer.all()...)
	}
	if c.Err() != nil && l.Flags.ReadOnly == nil {
		// What could not be read may have said so.
		c.MCP.ReadOnly = true
	}
	return c
}

// roots are all allowed folders, the workspace first.
func (l *loader) roots(hostRoots []string, servers []ServerConfig) []string {
	out := []string{l.root}
	add := func(dirs ...string) {
		for _, dir := range dirs {
			if !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	add(lookup[[]string](l.merged, "workspace_folders")...)
	add(hostRoots...)
	for _, s := range servers {
		if s.Enabled {
			// Inside a root it is allowed already, and would end the search for other servers' markers early.
			if !slices.ContainsFunc(out, func(root string) bool { return folders.Within(root, s.RootDir) }) {
				add(s.RootDir)
			}
			add(s.WorkspaceFolders...)
		}
	}
	return out
}

// WorkspaceFiles are the names under which a workspace may keep its configuration, relative to its root, the one that
// wins first.
var WorkspaceFiles = []string{".lspi/config.toml", "lspi.toml"}

// workspaceFile is the file of the workspace, or "" when it has none. second is the other one when both are there.
func workspaceFile(root string) (first, second string) {
	for _, name := range WorkspaceFiles {
		path := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if first == "" {
			first = path
		} else {
			second = path
		}
	}
	return first, second
}

// baseOf is the folder that relative paths of a file count from: its own, but the workspace for .lspi/config.toml, so
// that a file may move between its two places unchanged.
func baseOf(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == ".lspi" {
		return filepath.Dir(dir)
	}
	return dir
}
