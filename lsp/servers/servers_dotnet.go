package servers

import (
	"time"

	"lspi/lsp/spec"
)

var (
	dotnetRoots = roots(topmost("*.sln", "*.slnx", "*.slnf"), closestTo("*.csproj", "*.fsproj"))
	dotnetSkips = []string{"bin", "obj", ".vs", "packages", "node_modules"}
	dotnetFiles = []string{"*.sln", "*.slnx", "*.csproj", "*.props", "*.targets"}
	dotnetWaits = spec.Timeouts{Initialize: 2 * time.Minute, Request: time.Minute}
)

var dotnetServers = []spec.Spec{{
	ID: "csharp-ls", Title: "csharp-ls",
	Languages: []spec.Language{extensions("csharp", "cs", "csx")},
	Commands:  []spec.Command{run("csharp-ls")},
	Roots:     dotnetRoots,
	// It loads the solution under a progress of its own and holds requests back meanwhile.
	Readiness: spec.Readiness{Sign: spec.SignProgress, Waits: true},
	Freshness: notified(dotnetFiles...),
	SkipDirs:  dotnetSkips,
	Timeouts:  dotnetWaits,
	Install:   []spec.Install{dotnet("csharp-ls")},
}, {
	ID: "roslyn", Title: "Roslyn Language Server",
	Languages: []spec.Language{extensions("csharp", "cs", "csx")},
	Commands: []spec.Command{
		run("roslyn-language-server", "--stdio", "--autoLoadProjects"),
		run("Microsoft.CodeAnalysis.LanguageServer", "--stdio", "--autoLoadProjects", "--logLevel", "Information"),
	},
	Roots:       dotnetRoots,
	Readiness:   spec.Readiness{Sign: spec.SignMessage, Tokens: []string{"workspace/projectInitializationComplete"}},
	Freshness:   notified(dotnetFiles...),
	Diagnostics: pull(),
	SkipDirs:    dotnetSkips,
	Timeouts:    dotnetWaits,
	Install:     []spec.Install{dotnet("roslyn-language-server --prerelease")},
}, {
	ID: "omnisharp", Title: "OmniSharp",
	Languages: languages("csharp"),
	Commands:  []spec.Command{run("OmniSharp", "-lsp", "-e", "utf-8"), run("omnisharp", "-lsp", "-e", "utf-8")},
	Roots:     dotnetRoots,
	Freshness: notified(dotnetFiles...),
	SkipDirs:  dotnetSkips,
	Timeouts:  dotnetWaits,
	Install: []spec.Install{
		brew("omnisharp/omnisharp-roslyn/omnisharp-mono"), nixProfile("omnisharp-roslyn"),
		by("scoop", "scoop install omnisharp"),
	},
}, {
	ID: "fsautocomplete", Title: "FsAutoComplete",
	Languages:             languages("fsharp"),
	Commands:              []spec.Command{run("fsautocomplete", "--adaptive-lsp-server-enabled")},
	Roots:                 dotnetRoots,
	InitializationOptions: map[string]any{"AutomaticWorkspaceInit": true},
	Freshness:             notified("*.sln", "*.slnx", "*.fsproj"),
	SkipDirs:              dotnetSkips,
	Timeouts:              dotnetWaits,
	Install:               []spec.Install{dotnet("fsautocomplete")},
}, {
	ID: "powershell", Title: "PowerShell Editor Services",
	Languages: languages("powershell"),
	// No commands: the module starts from the folder that it was unpacked into, which only the configuration
	// knows: pwsh -NoLogo -NoProfile -Command "FOLDER/PowerShellEditorServices/Start-EditorServices.ps1 -Stdio …".
	Roots:     roots(closestTo("PSScriptAnalyzerSettings.psd1", ".git")),
	Freshness: opened(),
	SkipDirs:  []string{".git", "node_modules"},
	Install: []spec.Install{
		download("PowerShellEditorServices.zip of the releases of github.com/PowerShell/PowerShellEditorServices"),
	},
}}
