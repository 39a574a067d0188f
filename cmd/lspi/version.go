package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/contract"
)

// build describes a binary of lspi.
type build struct {
	Version   string   `json:"version"` // of git describe or the module; "devel" when neither is known
	Revision  string   `json:"revision,omitempty"`
	Time      string   `json:"time,omitempty"` // of the revision
	Modified  bool     `json:"modified"`       // the checkout had changes
	Go        string   `json:"go"`
	Platform  string   `json:"platform"`
	Schema    int      `json:"schema_version"` // of the envelope
	Protocols []string `json:"mcp_protocol_versions"`
}

// release is the version that make and packages set with -ldflags "-X main.release=…" (git describe). It is "" in a
// build by go install, which has the module's version.
var release string

// devel is the version of a build without a known one.
const devel = "devel"

// version returns the build of this binary, from what the Go toolchain wrote into it.
var version = sync.OnceValue(func() build {
	b := build{Version: cmp.Or(release, devel), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Schema: contract.SchemaVersion, Protocols: mcpserver.ProtocolVersions()}
	b.Modified = strings.HasSuffix(release, ".dirty")
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := cmp.Or(release, info.Main.Version); v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = b.Modified || s.Value == "true"
		}
	}
	return b
})

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print version, build and protocol versions",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(cmd.OutOrStdout(), version())
			}
			fmt.Fprint(cmd.OutOrStdout(), version())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func (b build) String() string {
	revision := b.Revision
	if revision == "" {
		revision = "unknown"
	}
	if b.Time != "" {
		revision += " of " + b.Time
	}
	if b.Modified {
		revision += ", modified"
	}
	return fmt.Sprintf("lspi %s\nrevision  %s\ngo        %s %s\nMCP       %s\nenvelope  %d\n",
		b.Version, revision, b.Go, b.Platform, strings.Join(b.Protocols, ", "), b.Schema)
}

// sameAs reports whether another build is known to come from the same source.
func (b build) sameAs(other build) bool {
	return b.Version != devel && b.Version == other.Version && !b.Modified && !other.Modified
}

// newerThan reports whether another build should make room for this one, which holds unless the other is known to be
// later.
func (b build) newerThan(other build) bool { return other.Time <= b.Time }
