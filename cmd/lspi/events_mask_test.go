package main

import (
	"testing"

	"lspi/cmd/lspi/internal/config"
	"lspi/internal/testkit"
)

// The secret of one server may be a prefix of another's: both are masked completely.
func TestSecretsOfSeveralServers(t *testing.T) {
	c := &config.Config{MCPServers: map[string]*config.MCPServer{
		"a": {ID: "a", Token: "hunter22"},
		"b": {ID: "b", Env: map[string]string{"KEY": "hunter22-and-more"}},
		"c": {ID: "c", Headers: map[string]string{"X-Key": "hunter22-and"}},
	}}
	for range 20 {
		testkit.Equal(t, secretsOf(c)("a hunter22 b hunter22-and-more c hunter22-and"), "a *** b *** c ***")
	}
}
