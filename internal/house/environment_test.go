package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// ofThisProcess are the functions and variables by which code learns of the process that it runs in: its
// environment, its working folder, its home, and what depends on them. The shared process serves hosts whose own
// environment differs, so code that serves a session reads the session's instead ([spec.Spec.Environ] and others).
var ofThisProcess = map[string][]string{
	"os": {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Getwd", "UserHomeDir", "UserCacheDir",
		"UserConfigDir", "TempDir", "MkdirTemp"},
	"os/exec":       {"LookPath", "Command", "CommandContext"},
	"path/filepath": {"Abs"},
	"syscall":       {"Getenv", "Environ", "Getwd"},
	"os/user":       {"Current"},
	"go/build":      {"Default", "Import", "ImportDir"},
	"net/http":      {"DefaultClient", "DefaultTransport", "ProxyFromEnvironment"},
}

// Reasons that several files share.
const (
	byDefault = "a session that brings none uses that of this process"
	ofCommand = "belongs to the terminal in which a command was typed; no session is involved"
	ofHost    = "runs in the host's own child process, which tells the shared process what its session has"
	ofUser    = "the shared process is one per home folder, so all of its sessions have the same"
	cleans    = "only cleans: the paths of sessions are absolute already"
	allGiven  = "called with absolute paths and a given environment"
)

// processOnly lists, for each of them, the files that may use it, with the reason why that is right for all sessions.
var processOnly = map[string]map[string]string{
	"os.Getenv": {
		"cmd/lspi/daemon.go":               "systemd hands the socket to this process",
		"cmd/lspi/internal/config/load.go": byDefault,
		"cmd/lspi/internal/trust/user.go":  byDefault,
		"cmd/lspi/print.go":                ofCommand,
		"cmd/lspi/trust.go":                ofCommand,
		"cmd/lspi/setup.go":                ofCommand,
	},
	"os.Environ": {"cmd/lspi/internal/config/config.go": byDefault, "lsp/spec/environ.go": byDefault,
		"cmd/lspi/shared.go": ofHost, "cmd/lspi/doctor.go": ofCommand},
	"os.Getwd": {"cmd/lspi/internal/config/load.go": byDefault, "cmd/lspi/shared.go": ofHost,
		"cmd/lspi/trust.go": ofCommand},
	"os.UserHomeDir": {
		"cmd/lspi/internal/trust/user.go": byDefault, "internal/source/folder.go": ofUser,
		"lsp/launch/command.go": ofUser, "lsp/launch/dependencies.go": ofUser,
	},
	"os.UserCacheDir":  {"cmd/lspi/internal/trust/user.go": "on macOS and Windows, by the home folder"},
	"os.UserConfigDir": {"cmd/lspi/internal/trust/user.go": "on macOS and Windows, by the home folder"},
	"os.MkdirTemp":     {"lsp/watch/private.go": "for a watcher of this process"},
	"os.TempDir":       {"lsp/watch/private.go": "for a watcher of this process"},
	"exec.LookPath": {"lsp/launch/command.go": allGiven, "lsp/spec/packages.go": allGiven,
		"cmd/lspi/internal/gateway/mcpclient/program.go": allGiven, "cmd/lspi/servers.go": ofCommand,
		"cmd/lspi/internal/setup/look.go": allGiven},
	"exec.Command": {
		"cmd/lspi/internal/doctor/hosts.go":   allGiven,
		"lsp/process/process.go":              allGiven,
		"cmd/lspi/internal/daemon/connect.go": "starts the shared process, whose own environment no session gets",
	},
	"exec.CommandContext": {"cmd/lspi/doctor_fix.go": ofCommand, "lsp/launch/environment.go": allGiven,
		"cmd/lspi/internal/setup/write.go":    "the host's own command, in lspi setup",
		"cmd/lspi/internal/doctor/install.go": ofCommand},
	"filepath.Abs": {
		"lsp/watch/extra.go": cleans, "lsp/watch/journal.go": cleans,
		"cmd/lspi/call_arguments.go": ofCommand, "cmd/lspi/setup.go": ofCommand, "cmd/lspi/config_init.go": ofCommand,
		"cmd/lspi/index.go":                ofCommand,
		"cmd/lspi/internal/trust/store.go": ofCommand,
	},
	"build.Default": {"internal/lang/golang/constraint.go": "what of it depends on the environment is set anew"},
}

// notServed are prefixes of packages that are no part of the program lspi.
var notServed = []string{"test/", "scripts/", "internal/house", "internal/testkit", "lsp/lsptest", "tools/toolstest",
	"internal/mcptest",
	"cmd/lspi/internal/demo", "cmd/lspi/internal/fakels", "cmd/lspi/internal/gen"}

// Only the files in processOnly ask this process for what each session has of its own, and each of them still does.
func TestSessionsAreNotServedByTheEnvironmentOfTheProcess(t *testing.T) {
	used := map[string]bool{}
	eachFile(t, func(dir, path string, _ []string) {
		if slices.ContainsFunc(notServed, func(begin string) bool { return strings.HasPrefix(dir, begin) }) {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		testkit.Must(t, err)
		eachUse(f, func(name string, at token.Pos) {
			if used[name+" "+path] = true; processOnly[name][path] == "" {
				t.Errorf("%s: %s belongs to this process, which may serve sessions with another: see environment_test.go", files.Position(at), name)
			}
		})
	})
	for name, files := range processOnly {
		for path := range files {
			if !used[name+" "+path] {
				t.Errorf("%s no longer uses %s: take it off the list in environment_test.go", path, name)
			}
		}
	}
}

// eachUse visits the uses of [ofThisProcess] in a file: calls, and functions passed as values.
func eachUse(f *ast.File, visit func(name string, at token.Pos)) {
	packages := map[string]string{} // import paths by the name in this file
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		packages[name] = path
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && slices.Contains(ofThisProcess[packages[x.Name]], s.Sel.Name) {
			path := packages[x.Name]
			visit(path[strings.LastIndexByte(path, '/')+1:]+"."+s.Sel.Name, s.Pos())
		}
		return true
	})
}
