package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// nodeNames are what node calls systems (process.platform, process.arch).
var nodeNames = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32", "amd64": "x64",
	"arm64": "arm64"}

// npmPackages makes a package with the program for each system, and one that optionally depends on all of them: npm
// installs those that fit. No script runs at installation.
func (r *release) npmPackages() error {
	optional := map[string]string{}
	for _, s := range systems {
		name := r.npm + "-" + nodeNames[s.OS] + "-" + nodeNames[s.Arch]
		optional[name] = r.version.semver
		dir := r.work("npm", name)
		about := r.npmAbout(name)
		about["description"] = fmt.Sprintf("The program of %s for %s on %s", r.npm, nodeNames[s.OS], nodeNames[s.Arch])
		about["os"], about["cpu"] = []string{nodeNames[s.OS]}, []string{nodeNames[s.Arch]}
		about["preferUnplugged"] = true // Yarn would keep the program in an archive
		err := r.npmPack(dir, about, map[string]string{"bin/" + s.program(): r.work(s.String(), s.program()),
			"LICENSE": "LICENSE"})
		if err != nil {
			return err
		}
	}
	whole := r.npmAbout(r.npm)
	registry, err := registryName(r.homepage)
	if err != nil {
		return err
	}
	whole["description"], whole["mcpName"] = summary, registry // the MCP registry compares the name with server.json
	whole["keywords"] = []string{"mcp", "lsp", "language-server", "agents", "codex", "claude"}
	whole["bin"] = map[string]string{"lspi": "bin/lspi.js", r.npm: "bin/lspi.js"}
	whole["optionalDependencies"] = optional
	whole["engines"] = map[string]string{"node": ">=18"}
	return r.npmPack(r.work("npm", r.npm), whole, map[string]string{"bin/lspi.js": "packaging/npm/lspi.js",
		"README.md": "README.md", "LICENSE": "LICENSE"})
}

func (r *release) npmAbout(name string) map[string]any {
	return map[string]any{"name": name, "version": r.version.semver, "license": "MIT", "homepage": r.homepage,
		"files": []string{"bin"}}
}

// npmPack writes a package into dir and makes its archive.
func (r *release) npmPack(dir string, about map[string]any, files map[string]string) error {
	raw, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), append(raw, '\n'), 0o644); err != nil {
		return err
	}
	for to, from := range files {
		mode := os.FileMode(0o644)
		if filepath.Dir(to) == "bin" {
			mode = 0o755
		}
		if err := copyFile(filepath.Join(dir, to), from, mode); err != nil {
			return err
		}
	}
	return r.command(dir, nil, "npm", "pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", r.dist)
}

func copyFile(to, from string, mode os.FileMode) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, raw, mode)
}
