package doctor

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/internal/testkit"
)

// What lspi doctor --json prints is what docs/doctor.schema.json says.
func TestReportFitsItsSchema(t *testing.T) {
	raw, err := os.ReadFile("../../../../docs/doctor.schema.json")
	testkit.Must(t, err)
	var schema jsonschema.Schema
	testkit.Must(t, json.Unmarshal(raw, &schema))
	resolved, err := schema.Resolve(nil)
	testkit.Must(t, err)
	r := mixed(t)
	r.AddHosts([]Host{{Name: "codex", Title: "Codex CLI", Scope: "user", File: "/f", State: HostFails,
		Checks: []Check{{Name: "x", Level: Warning, Message: "m", Repair: &Repair{Command: "c"}}}}})
	r.MCPServers = []MCPServer{{ID: "x", File: "/f", State: MCPFails, Error: "e",
		Checks: []Check{{Name: nameMCPServer, Level: Warning, Message: "m"}}}}
	fits := func() error {
		printed, err := json.Marshal(r)
		testkit.Must(t, err)
		var value any
		testkit.Must(t, json.Unmarshal(printed, &value))
		return resolved.Validate(value)
	}
	testkit.Must(t, fits())
	r.Hosts[0].State = "odd"
	if fits() == nil {
		t.Error("a state that does not exist fits")
	}
}
