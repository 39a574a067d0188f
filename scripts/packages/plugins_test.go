package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestRegistryName(t *testing.T) {
	for page, want := range map[string]string{
		"https://example.com/lspi": "com.example/lspi", "https://github.com/someone/lspi": "io.github.someone/lspi",
		"https://lspi.example.org": "org.example.lspi/lspi",
	} {
		if got, err := registryName(page); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", page, got, err, want)
		}
	}
	if name, err := registryName("nowhere"); err == nil {
		t.Errorf("%q is a name", name)
	}
	if len(summary) > 100 {
		t.Errorf("the registry takes 100 characters, not %d", len(summary))
	}
}

// A bundle has the program where its manifest says, and server.json names every bundle with its sum.
func TestBundles(t *testing.T) {
	t.Chdir("../..")
	r := &release{dist: t.TempDir(), version: version{semver: "1.2.3"}, homepage: "https://example.com/lspi",
		download: "https://example.com/lspi/releases/download/v1.2.3", npm: "lspi-mcp"}
	for _, s := range systems {
		must(t, os.MkdirAll(r.work(s.String()), 0o755))
		must(t, os.WriteFile(r.work(s.String(), s.program()), []byte(s.String()), 0o755))
	}
	must(t, r.bundles())
	must(t, r.registry())
	var server struct {
		Packages []struct{ RegistryType, Identifier, FileSha256 string }
	}
	raw, err := os.ReadFile(filepath.Join(r.dist, "server.json"))
	must(t, err)
	must(t, json.Unmarshal(raw, &server))
	if len(server.Packages) != 1+len(systems) {
		t.Errorf("server.json has %d packages", len(server.Packages))
	}
	for i, s := range systems {
		z, err := zip.OpenReader(filepath.Join(r.dist, r.bundleName(s)))
		must(t, err)
		var manifest struct {
			Server struct {
				Entry string `json:"entry_point"`
			}
		}
		must(t, json.Unmarshal(content(t, z, "manifest.json"), &manifest))
		if got := string(content(t, z, manifest.Server.Entry)); got != s.String() {
			t.Errorf("%s: the program is %q", s, got)
		}
		must(t, z.Close())
		sum, err := r.sum(r.bundleName(s))
		must(t, err)
		p := server.Packages[i+1]
		if p.RegistryType != "mcpb" || p.Identifier != r.download+"/"+r.bundleName(s) || p.FileSha256 != sum {
			t.Errorf("%s: server.json has %+v", s, p)
		}
	}
}

func content(t *testing.T, z *zip.ReadCloser, name string) []byte {
	t.Helper()
	f, err := z.Open(name)
	must(t, err)
	raw, err := io.ReadAll(f)
	must(t, err)
	return raw
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
