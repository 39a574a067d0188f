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
// environment, its folder, its home, and what it finds, starts or leaves out by them. The shared process serves
// hosts that were started with others, so what is for a session asks [spec.Spec.Environ] and its kin.
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

// The reasons that several files have.
const (
	byDefault = "a session that brings none has that of this process"
	ofCommand = "of the terminal that a command was typed in, and no session"
	ofHost    = "the host's own process tells what its session has"
	ofUser    = "the name of the shared process has the home folder in it, so all of its sessions have the same"
	cleans    = "the paths of sessions are absolute already"
	allGiven  = "with absolute paths, and the environment that it is given"
)

// processOnly are the files that may use one of them, and why that is right for all sessions.
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
		"cmd/lspi/call_arguments.go": ofCommand, "cmd/lspi/setup.go": ofCommand,
		"cmd/lspi/internal/trust/store.go": ofCommand,
	},
	"build.Default": {"internal/lang/golang/constraint.go": "what of it depends on the environment is set anew"},
}

// notServed begin the names of packages of which nothing runs in lspi.
var notServed = []string{"test/", "scripts/", "internal/house", "internal/testkit", "lsp/lsptest", "tools/toolstest",
	"internal/mcptest",
	"cmd/lspi/internal/demo", "cmd/lspi/internal/fakels", "cmd/lspi/internal/gen"}

// Nothing but what is listed asks this process for what a session has of its own, and the list has no more than is
// used.
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
				t.Errorf("%s: %s is that of this process, which may serve sessions with others: see environment_test.go", files.Position(at), name)
			}
		})
	})
	for name, files := range processOnly {
		for path := range files {
			if !used[name+" "+path] {
				t.Errorf("%s does not use %s: the list in environment_test.go is too long", path, name)
			}
		}
	}
}

// eachUse visits what a file uses of [ofThisProcess], also where it is not called but handed on.
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
