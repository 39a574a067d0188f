package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// registryModule is the MCP registry, whose module has the schemas that it holds a server.json against.
const registryModule = "github.com/modelcontextprotocol/registry@v1.8.9"

// server.json follows the schema that it names, as the MCP registry has it. LSPI_SERVER_JSON is the file; make
// packages-test sets it, because the module comes over the network.
func TestServerJSON(t *testing.T) {
	file := os.Getenv("LSPI_SERVER_JSON")
	if file == "" {
		t.Skip("LSPI_SERVER_JSON names a server.json (make packages-test)")
	}
	var server map[string]any
	read(t, file, &server)
	url, _ := server["$schema"].(string)
	var module struct{ Dir string }
	cmd := exec.Command("go", "mod", "download", "-json", registryModule)
	cmd.Dir = t.TempDir() // so that it is no matter of the project's own modules
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	must(t, err)
	must(t, json.Unmarshal(out, &module))
	var schema jsonschema.Schema
	version := path.Base(path.Dir(url)) // …/schemas/2025-12-11/server.schema.json
	read(t, filepath.Join(module.Dir, "internal", "validators", "schemas", version+".json"), &schema)
	if schema.ID != url {
		t.Errorf("it names %s, the schema is %s", url, schema.ID)
	}
	resolved, err := schema.Resolve(nil)
	must(t, err)
	must(t, resolved.Validate(server))
	delete(server, "version")
	if resolved.Validate(server) == nil {
		t.Error("the schema takes a server.json without its version")
	}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	must(t, err)
	must(t, json.Unmarshal(raw, into))
}
