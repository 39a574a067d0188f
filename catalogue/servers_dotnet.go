package catalogue

import (
	"time"

	"lspi/lsp"
)

var (
	dotnetRoots = roots(topmost("*.sln", "*.slnx", "*.slnf"), closestTo("*.csproj", "*.fsproj"))
	dotnetSkips = []string{"bin", "obj", ".vs", "packages", "node_modules"}
	dotnetFiles = []string{"*.sln", "*.slnx", "*.csproj", "*.props", "*.targets"}
	dotnetWaits = lsp.Timeouts{Initialize: 2 * time.Minute, Request: time.Minute}
)

var dotnetServers = []lsp.Spec{{
	ID: "csharp-ls", Title: "csharp-ls",
	Languages: []lsp.Language{extensions("csharp", "cs", "csx")},
	Commands:  []lsp.Command{run("csharp-ls")},
	Roots:     dotnetRoots,
	// It loads the solution under a progress of its own and holds requests back meanwhile.
	Readiness: lsp.Readiness{Sign: lsp.SignProgress, Waits: true},
	Freshness: notified(dotnetFiles...),
	SkipDirs:  dotnetSkips,
	Timeouts:  dotnetWaits,
	Install:   []lsp.Install{dotnet("csharp-ls")},
}, {
	ID: "roslyn", Title: "Roslyn Language Server",
	Languages: []lsp.Language{extensions("csharp", "cs", "csx")},
	Commands: []lsp.Command{
		run("roslyn-language-server", "--stdio", "--autoLoadProjects"),
		run("Microsoft.CodeAnalysis.LanguageServer", "--stdio", "--autoLoadProjects", "--logLevel", "Information"),
	},
	Roots:       dotnetRoots,
	Readiness:   lsp.Readiness{Sign: lsp.SignMessage, Tokens: []string{"workspace/projectInitializationComplete"}},
	Freshness:   notified(dotnetFiles...),
	Diagnostics: pull(),
	SkipDirs:    dotnetSkips,
	Timeouts:    dotnetWaits,
	Install:     []lsp.Install{dotnet("roslyn-language-server --prerelease")},
}, {
	ID: "omnisharp", Title: "OmniSharp",
	Languages: languages("csharp"),
	Commands:  []lsp.Command{run("OmniSharp", "-lsp", "-e", "utf-8"), run("omnisharp", "-lsp", "-e", "utf-8")},
	Roots:     dotnetRoots,
	Readiness: silent(),
	Freshness: notified(dotnetFiles...),
	SkipDirs:  dotnetSkips,
	Timeouts:  dotnetWaits,
	Install: []lsp.Install{
		brew("omnisharp/omnisharp-roslyn/omnisharp-mono"), nixProfile("omnisharp-roslyn"), by("scoop", "scoop install omnisharp"),
	},
}, {
	ID: "fsautocomplete", Title: "FsAutoComplete",
	Languages:             languages("fsharp"),
	Commands:              []lsp.Command{run("fsautocomplete", "--adaptive-lsp-server-enabled")},
	Roots:                 dotnetRoots,
	InitializationOptions: map[string]any{"AutomaticWorkspaceInit": true},
	Readiness:             silent(),
	Freshness:             notified("*.sln", "*.slnx", "*.fsproj"),
	SkipDirs:              dotnetSkips,
	Timeouts:              dotnetWaits,
	Install:               []lsp.Install{dotnet("fsautocomplete")},
}, {
	ID: "powershell", Title: "PowerShell Editor Services",
	Languages: languages("powershell"),
	// No commands: the module starts from the folder that it was unpacked into, which only the configuration
	// knows: pwsh -NoLogo -NoProfile -Command "FOLDER/PowerShellEditorServices/Start-EditorServices.ps1 -Stdio …".
	Roots:     roots(closestTo("PSScriptAnalyzerSettings.psd1", ".git")),
	Readiness: silent(),
	Freshness: opened(),
	SkipDirs:  []string{".git", "node_modules"},
	Install: []lsp.Install{
		download("PowerShellEditorServices.zip of the releases of github.com/PowerShell/PowerShellEditorServices"),
	},
}}
