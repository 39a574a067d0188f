package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plugins makes an archive of each plugin that lspi knows of a host, with its files at the top, where hosts look for
// them. The files come from the tables by which lspi setup works; opencode's is one file.
func (r *release) plugins() error {
	dir := r.work("plugins")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := r.command(".", nil, r.work("lspi"), "plugins", dir, "--homepage", r.homepage); err != nil {
		return err
	}
	kinds, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		base := filepath.Join(r.dist, "lspi_"+r.version.semver+"_"+kind.Name())
		if kind.Name() == "opencode-plugin" {
			if err := copyFile(base+".js", filepath.Join(dir, kind.Name(), "lspi.js"), 0o644); err != nil {
				return err
			}
			continue
		}
		entries, err := below(filepath.Join(dir, kind.Name()))
		if err != nil {
			return err
		}
		entries = append(entries, entry{"LICENSE", "LICENSE", 0o644})
		if err := create(base+".zip", entries, r.zip); err != nil {
			return err
		}
	}
	return nil
}

// below returns all files of a folder with their paths in it.
func below(dir string) (out []entry, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, entry{name, filepath.Join(dir, filepath.FromSlash(name)), 0o644})
		}
		return err
	})
	return out, err
}

// bundles makes a bundle for each system, with the program (github.com/modelcontextprotocol/mcpb, manifest 0.3): a
// bundle cannot say which processor it is for, so that a client has to be given the right one.
func (r *release) bundles() error {
	for _, s := range systems {
		manifest := r.work("mcpb", s.String()+".json")
		if err := writeJSON(manifest, r.bundle(s)); err != nil {
			return err
		}
		entries := []entry{{"manifest.json", manifest, 0o644},
			{"server/" + s.program(), r.work(s.String(), s.program()), 0o755}, {"LICENSE", "LICENSE", 0o644}}
		if err := create(filepath.Join(r.dist, r.bundleName(s)), entries, r.zip); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) bundleName(s System) string {
	return "lspi_" + r.version.semver + "_" + s.String() + ".mcpb"
}

// bundle is the manifest of a bundle. Its host has no project of its own, so that it asks for the folder.
func (r *release) bundle(s System) map[string]any {
	const folder = "workspace_root"
	return map[string]any{"manifest_version": "0.3", "name": "lspi", "display_name": "lspi",
		"version": r.version.semver, "description": summary, "author": map[string]any{"name": "lspi"},
		"homepage": r.homepage, "license": "MIT", "tools_generated": true,
		"compatibility": map[string]any{"platforms": []string{nodeNames[s.OS]}},
		"server": map[string]any{"type": "binary", "entry_point": "server/" + s.program(),
			"mcp_config": map[string]any{"command": "${__dirname}/server/" + s.program(),
				"args": []string{"mcp", "--workspace-root", "${user_config." + folder + "}"}}},
		"user_config": map[string]any{folder: map[string]any{"type": "directory", "title": "Project folder",
			"description": "The folder of the project that lspi answers about", "required": true}},
	}
}

// summary is what lspi is, for lists of packages: at most 100 characters (the MCP registry's limit).
const summary = "Language servers for coding agents, over MCP"

// registry writes server.json, by which the MCP registry learns of a release (schema of 2025-12-11).
func (r *release) registry() error {
	name, err := registryName(r.homepage)
	if err != nil {
		return err
	}
	stdio := map[string]any{"type": "stdio"}
	arguments := []any{map[string]any{"type": "positional", "value": "mcp"}}
	packages := []any{map[string]any{"registryType": "npm", "identifier": r.npm, "version": r.version.semver,
		"transport": stdio, "packageArguments": arguments}}
	for _, s := range systems {
		sum, err := r.sum(r.bundleName(s))
		if err != nil {
			return err
		}
		packages = append(packages, map[string]any{"registryType": "mcpb",
			"identifier": r.download + "/" + r.bundleName(s), "version": r.version.semver, "fileSha256": sum,
			"transport": stdio})
	}
	return writeJSON(filepath.Join(r.dist, "server.json"), map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    name, "title": "lspi", "description": summary, "version": r.version.semver, "websiteUrl": r.homepage,
		"packages": packages})
}

// registryName returns the name of lspi in the MCP registry: the domain of the project's page backwards, and lspi. A
// page on GitHub stands for its owner, who can prove it by signing in there.
func registryName(homepage string) (string, error) {
	u, err := url.Parse(homepage)
	if err != nil {
		return "", err
	}
	if u.Hostname() == "" {
		return "", fmt.Errorf("%q is no page on the web", homepage)
	}
	if owner, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "/"); u.Hostname() == "github.com" && owner != "" {
		return "io.github." + owner + "/lspi", nil
	}
	labels := strings.Split(u.Hostname(), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "/lspi", nil
}

func writeJSON(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := encode(f, v); err != nil {
		return err
	}
	return f.Close()
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
