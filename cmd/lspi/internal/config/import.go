package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"lspi/internal/source"
)

// Import is a configuration file of the original lspi as lspi.toml of today, for the same folder. What is wrong
// with the file, and is left out, is in comments. The error is for a file that cannot be read at all.
func Import(o Options, path string) (string, error) {
	o.fill()
	layer := newLayer(SourceFlag, source.Absolute(o.WorkDir, path))
	layer.read()
	if layer.values == nil {
		return "", errors.New(layer.findings[0].String())
	}
	c := checker{layer: layer, catalogue: o.Catalogue, tools: o.Tools}
	c.run()
	var b strings.Builder
	for _, f := range layer.sorted() {
		if f.Severity == SeverityError {
			fmt.Fprintf(&b, "# left out: line %d, %s\n", f.Line, strings.ReplaceAll(f.Message, "\n", " "))
		}
	}
	out := map[string]any{}
	for name, value := range layer.values {
		out[name] = value
	}
	var servers []map[string]any
	for _, s := range layer.servers {
		servers = append(servers, s.values)
	}
	if servers != nil {
		out["servers"] = servers
	}
	encoder := toml.NewEncoder(&b)
	encoder.Indent = ""
	if err := encoder.Encode(out); err != nil {
		return "", fmt.Errorf("writing TOML: %w", err)
	}
	return b.String(), nil
}
