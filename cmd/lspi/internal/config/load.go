package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/recall"
	"lspi/tools/session"
)

// Options are what a configuration is made from. The zero values of Getenv, WorkDir and Home mean those of the process.
type Options struct {
	WorkspaceFlag string // --workspace-root
	ConfigFlag    string // --config
	Flags         Flags
	// Environ is that of the session, as os.Environ has it; nil means that of this process. Getenv follows it
	// unless it is set itself.
	Environ   []string
	Getenv    func(string) string
	HostRoots []string              // the host's roots, in its order: paths or file URIs
	Workspace *trust.FoundWorkspace // found already; nil lets Load find it by what stands above
	WorkDir   string
	Home      string
	Catalogue []spec.Spec // catalogue.Servers(); Load reads it and shares its rows
	Tools     []string    // the names of all tools, for [mcp.tools]
	// CheckDefault says why a tool's argument cannot have a default ([tools.NAME]); nil takes all.
	CheckDefault func(tool, argument string, value any) error
}

// fill puts in what is not given.
func (o *Options) fill() {
	o.fillEnvironment()
	o.Home = o.userFolders().HomeDir()
	if o.WorkDir == "" {
		o.WorkDir, _ = os.Getwd()
	}
}

func (o *Options) fillEnvironment() {
	switch {
	case o.Getenv != nil:
	case o.Environ != nil:
		o.Getenv = func(name string) string { return spec.Variable(o.Environ, name) }
	default:
		o.Getenv = os.Getenv
	}
}

// Dir is the folder that the session was started in.
func (o Options) Dir() string {
	o.fill()
	return o.WorkDir
}

// User says whose folders are meant.
func (o Options) User() trust.User {
	o.fillEnvironment()
	return o.userFolders()
}

func (o *Options) userFolders() trust.User { return trust.User{Getenv: o.Getenv, Home: o.Home} }

// Load finds, reads, checks and merges the configuration. What is wrong with a file is a finding, see [Config.Err]; the
// error is for what leaves nothing to work with: no workspace, or a wrong flag.
func Load(o Options) (*Config, error) {
	o.fill()
	if err := o.Flags.check(); err != nil {
		return nil, err
	}
	found, err := o.workspace()
	if err != nil {
		return nil, err
	}
	l, c := o.read(found, nil)
	if broken := l.strangersMistakes(); broken != nil {
		_, c = o.read(found, broken)
	}
	return c, nil
}

// read reads all files. broken is that of the workspace which is not applied; nil when there is none.
func (o Options) read(found trust.FoundWorkspace, broken *layer) (*loader, *Config) {
	l := &loader{Options: o, root: found.Root, broken: broken, merged: settings{values: defaults(false)},
		given: map[string]bool{}}
	l.addUsers()
	l.addProjects()
	for _, layer := range l.layers {
		l.apply(layer)
	}
	return l, l.config(found.Others)
}

func (o *Options) workspace() (trust.FoundWorkspace, error) {
	if o.Workspace != nil {
		return *o.Workspace, nil
	}
	return trust.FindWorkspace(o.WorkspaceFlag, o.HostRoots, o.userFolders(), o.WorkDir)
}

// LoadUser reads the user's own file alone, for what holds for no workspace in particular.
func LoadUser(o Options) *Config {
	o.fill()
	l := loader{Options: o, root: o.Home, merged: settings{values: defaults(false)}, given: map[string]bool{}}
	l.addUsers()
	for _, layer := range l.layers {
		l.apply(layer)
	}
	return l.config(nil)
}

// loader holds what Load has so far.
type loader struct {
	Options
	root   string   // the workspace so far
	layers []*layer // from lowest to highest precedence
	merged settings
	given  map[string]bool // keys that an applied file sets, and the tables that hold them
	broken *layer          // the file of the workspace that is not applied; nil when there is none

	findings []Finding // about what no file says: flags and variables
}

// addUsers reads the user's own file.
func (l *loader) addUsers() {
	path := l.userFolders().ConfigFile()
	if path == "" {
		return
	}
	l.addPresetFiles(filepath.Dir(path))
	if _, err := os.Lstat(path); err == nil {
		l.add(newLayer(SourceUser, path))
	}
}

// addProjects reads the files named on purpose, else the workspace's.
func (l *loader) addProjects() {
	byEnv := l.Getenv("LSPI_CONFIG_PATH")
	if byEnv != "" {
		l.add(newLayer(SourceEnv, source.Absolute(l.WorkDir, byEnv)))
	}
	if l.ConfigFlag != "" {
		l.add(newLayer(SourceFlag, source.Absolute(l.WorkDir, l.ConfigFlag)))
	}
	if byEnv == "" && l.ConfigFlag == "" {
		l.addWorkspaces()
	}
}

// addWorkspaces reads the file of the workspace, unless it is the user's own.
func (l *loader) addWorkspaces() {
	path, others := WorkspaceFile(l.root)
	if path == "" || slices.ContainsFunc(l.layers, func(other *layer) bool {
		return trust.SameFile(other.Path, path)
	}) {
		return
	}
	if l.broken != nil {
		l.layers = append(l.layers, l.broken)
		return
	}
	layer := newLayer(SourceWorkspace, path)
	layer.Trusted = false
	for _, other := range others {
		layer.warn(FindingTwoFiles, "put everything into one of them and remove the other: "+other,
			"%s is not read, because this file is there too", filepath.Base(other))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && !source.Within(l.root, real) {
		// A link to a file that the user trusts elsewhere would bring its trust along, and errors would quote any file.
		layer.warn(FindingUntrusted, "name it with --config or LSPI_CONFIG_PATH",
			"not read: this is a link to a file outside the workspace")
		l.layers = append(l.layers, layer)
		return
	}
	l.add(layer)
}

// add reads and checks a file and lets it choose the workspace.
func (l *loader) add(layer *layer) {
	l.layers = append(l.layers, layer)
	layer.read()
	c := checker{layer: layer, catalogue: l.Catalogue, tools: l.Tools, arguments: l.CheckDefault}
	c.run()
	if layer.Kind == SourceWorkspace {
		l.trust(layer)
	}
	layer.workspace = l.root
	if root := l.resolver(layer).chooseRoot(); root != "" && l.WorkspaceFlag == "" {
		l.root = root
	}
}

func (l *loader) resolver(layer *layer) *pathResolver {
	return &pathResolver{layer: layer, home: l.Home, workspace: l.root}
}

// trust looks the file up among those that the user trusts. A store inside the workspace is the repository's own word.
func (l *loader) trust(layer *layer) {
	store := trust.Open(l.userFolders())
	if dir := store.InsideOf(l.root); dir != "" {
		layer.warn(FindingTrustStore, "", "the list of trusted files is not used: it lies inside the workspace, in %s",
			dir)
		return
	}
	entry, ok, err := store.File(layer.real)
	if err != nil {
		layer.warn(FindingTrustStore, "", "reading the list of trusted files: %v", err)
		return
	}
	layer.Trusted = ok && entry.SHA256 == layer.SHA256 && layer.SHA256 != ""
	layer.changed = ok && !layer.Trusted
}

// apply lays a file over those below it, without what it may not set.
func (l *loader) apply(layer *layer) {
	l.resolver(layer).run()
	layer.addsPlaces(l.merged.values)
	layer.keepsTrust(lookup[string](l.merged.values, "trust"))
	if !layer.Trusted {
		r := restriction{layer: layer, base: l.merged, defaults: defaults(true), tools: l.Tools, rows: l.Catalogue,
			rooted: l.WorkspaceFlag != ""}
		r.run()
	}
	layer.reportStripped()
	layer.reportNarrowed()
	l.merged.merge(layer.settings)
	for _, g := range layer.all() {
		for name := cmp.Or(g.ofNamed(), g.key.name); name != ""; name =
			name[:max(0, strings.LastIndexByte(name, '.'))] {
			l.given[strings.TrimSuffix(name, "[]")] = true
		}
	}
}

// config is what all files and the flags say.
func (l *loader) config(hostRoots []string) *Config {
	l.merged.merge(settings{values: l.Options.values()})
	c := &Config{Workspace: l.root, given: l.given, Transcripts: recall.EnvironmentOf(l.Getenv, l.Home)}
	for _, g := range l.merged.all() {
		switch {
		case g.key.config != nil:
			g.key.holds.store(g.key.config(c), g.value())
		case g.key.named != nil:
			g.key.holds.store(g.key.named(c, g.of), g.value())
		}
	}
	for name := range lookup[map[string]any](l.merged.values, "presets") {
		c.preset(name).File = l.fileOf("presets." + name).Path // one that leaves out nothing is one, too
	}
	c.unreadable = l.unreadable()
	l.usePreset(c)
	l.finishMCP(&c.MCP)
	l.finishServers(c)
	over := overlay{catalogue: l.Catalogue, pass: c.pass}
	over.run(l.merged.servers, c.catalogue)
	l.programsByVariables(over.specs)
	c.Specs, c.Disabled, c.Withheld, c.Configured = over.specs, over.disabled, over.withheld, over.entries
	c.withoutPreset()
	c.Roots = c.roots(hostRoots)
	c.skipDirs = router.SkipDirs(l.Catalogue)
	c.setEnviron(l.Environ)
	c.judged = append([]string{l.root}, hostRoots...)
	c.Trust = trust.Decide(l.userFolders(), c.policy, c.judged...)
	if dir := l.userFolders().StateDir(); dir != "" {
		c.apart = filepath.Join(dir, "empty")
	}
	if !c.Trust.Trusted {
		c.distrust(l.Home)
	}
	if c.Search.TokenEnv != "" {
		c.Search.Token = l.Getenv(c.Search.TokenEnv)
	}
	l.missingPrograms(c.Specs)
	for _, layer := range l.layers {
		c.Sources = append(c.Sources, layer.Source)
		if layer.within != nil { // the workspace's file alone is not trusted
			c.MCP.Tools.Within = layer.within
		}
		if layer.Kind == SourceWorkspace && layer.Trusted {
			c.trusted = append(c.trusted, trust.File{Path: layer.real, SHA256: layer.SHA256})
		}
		for _, f := range layer.sorted() {
			if layer.ofOtherPreset(f.Key, c.MCP.Preset) {
				f.Severity, f.OtherPreset = SeverityWarning, true // it stops nothing
			}
			c.Findings = append(c.Findings, f)
		}
	}
	c.Findings = append(c.Findings, l.findings...)
	if (c.Err() != nil || l.broken != nil) && l.Flags.ReadOnly == nil && !c.MCP.ReadOnly {
		c.MCP.ReadOnly = true // what could not be read may have said so
		c.ReadOnlyBy = l.mistake(c).String()
	}
	return c
}

// mistake is what makes lspi read-only: the first error, or what is told of the file of the workspace that is not
// applied.
func (l *loader) mistake(c *Config) Finding {
	if all := c.Errors(); len(all) > 0 {
		return all[0]
	}
	i := slices.IndexFunc(l.broken.findings, func(f Finding) bool { return f.Kind == FindingNotApplied })
	return l.broken.findings[max(0, i)]
}

// programsByVariables takes the programs of servers that the environment of the session names, as the original lspi
// did; what a file says wins. A relative path stays one, which lsp/launch looks for nowhere: it would be a program
// of whatever repository the session is in.
func (l *loader) programsByVariables(specs []spec.Spec) {
	for i := range specs {
		s := &specs[i]
		if _, program := l.programByVariable(s); program != "" {
			s.Commands = []spec.Command{{Name: program, Args: s.Commands[0].Args}}
		}
	}
}

// programByVariable is the program that a variable names for a server, "" for none.
func (l *loader) programByVariable(s *spec.Spec) (variable, program string) {
	variable, known := session.OriginalVariables[s.Kind]
	if !known || len(s.Commands) == 0 || s.Commands[0].File != "" {
		return "", ""
	}
	return variable, strings.TrimSpace(l.Getenv(variable))
}

// missingPrograms finds fault with variables that name a program which is not there. What a file names so ends
// calls; a variable may be of another machine or project, and other servers answer.
func (l *loader) missingPrograms(specs []spec.Spec) {
	for i := range specs {
		variable, program := l.programByVariable(&specs[i])
		if program == "" {
			continue
		}
		if found, _ := launch.FindCommands(&specs[i]); len(found) == 0 {
			l.findings = append(l.findings, Finding{Severity: SeverityWarning, Kind: FindingNotFound,
				Message: fmt.Sprintf(
					"%s names %s as the program of %s, and there is no such program, so that another server of the language answers if there is one", variable, quoted(program), specs[i].ID),
				Fix: "name the program by an absolute path or by its name on PATH, or unset " + variable})
		}
	}
}

// finishMCP decides what depends on several keys.
func (l *loader) finishMCP(m *MCP) {
	if slices.Contains(m.Tools.Raw, allMethods) {
		m.Tools.Raw = lsp.RawMethods(l.Catalogue)
	}
	// Whether lspi is read-only: the flags, else the key, else the mode, else the context.
	switch {
	case l.Flags.ReadOnly != nil:
	case l.Flags.Mode == modeNavigation: // no file undoes what the command line promises
		m.ReadOnly = true
	case l.given["mcp.read_only"]:
	case m.Mode != "":
		m.ReadOnly = m.Mode == modeNavigation
	default:
		m.ReadOnly = m.Context == "codex" || m.Context == "navigation"
	}
	if m.Output.MaxTotalCharsDefault > m.Output.MaxTotalCharsHard {
		m.Output.MaxTotalCharsDefault = m.Output.MaxTotalCharsHard
		l.findCaps()
	}
}

// findCaps finds fault with a file that sets the default cap above the hard one; two files that do are no mistake
// of either.
func (l *loader) findCaps() {
	const key = "mcp.output.max_total_chars_default"
	for _, layer := range l.layers {
		n, ok := find[int64](layer.values, key)
		if hard, both := find[int64](layer.values, "mcp.output.max_total_chars_hard"); ok && both && n > hard {
			layer.findAt(SeverityError, FindingBadValue, key, "",
				`"max_total_chars_default" is %d, above "max_total_chars_hard", which is %d`, n, hard)
		}
	}
}

// roots are all folders that may be read and edited, the workspace first. A server's root inside of one of them is
// left out: it is allowed already, and would end the search for other servers' markers early.
func (c *Config) roots(hostRoots []string) []string {
	out := []string{c.Workspace}
	add := func(dirs ...string) {
		for _, dir := range dirs {
			if !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	add(c.folders...)
	add(hostRoots...)
	for _, s := range c.Configured {
		if !s.Enabled {
			continue
		}
		if dir := s.Spec.RootDir; dir != "" && !slices.ContainsFunc(out, func(root string) bool {
			return source.Within(root, dir)
		}) {
			add(dir)
		}
		add(s.Spec.Folders...)
	}
	return out
}

// workspaceFileNames are the names under which a workspace may keep its configuration, relative to its root, the
// one that wins first.
var workspaceFileNames = []string{".lspi/config.toml", ".lspi/config.json", "lspi.toml", "lspi.json"}

// WorkspaceFiles are the paths that a workspace may have its configuration at, and the folder of one.
func WorkspaceFiles(root string) []string {
	out := []string{filepath.Join(root, ".lspi")}
	for _, name := range workspaceFileNames {
		out = append(out, filepath.Join(root, filepath.FromSlash(name)))
	}
	return out
}

// WorkspaceFile is the configuration file of the workspace, or "" when it has none. others are further ones that
// are there, too.
func WorkspaceFile(root string) (first string, others []string) {
	for _, name := range workspaceFileNames {
		path := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if first == "" {
			first = path
		} else {
			others = append(others, path)
		}
	}
	return first, others
}

// Review is what is wrong with one file, with all of it applied. It is read for the workspace that it lies in,
// whatever the environment says.
func Review(o Options, path string) []Finding {
	o.fill()
	path = source.Absolute(o.WorkDir, path)
	getenv := o.Getenv
	o.Getenv = func(name string) string {
		if name == "LSPI_CONFIG_PATH" || name == "CLAUDE_PROJECT_DIR" {
			return ""
		}
		return getenv(name)
	}
	o.ConfigFlag, o.WorkspaceFlag, o.HostRoots, o.Flags = path, baseOf(path), nil, Flags{}
	c, err := Load(o)
	if err != nil {
		return []Finding{{Severity: SeverityError, Kind: FindingUnreadable, File: path, Message: err.Error()}}
	}
	return slices.DeleteFunc(c.Findings, func(f Finding) bool { return f.File != path })
}
