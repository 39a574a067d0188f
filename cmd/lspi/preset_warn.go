package main

import (
	"fmt"
	"io"

	"lspi/cmd/lspi/internal/config"
	"lspi/contract"
)

// warnOfPreset prints which tools and servers of a preset do not exist. get_current_config says so as well, but the
// preset may leave that tool out.
func warnOfPreset(errs io.Writer, c *config.Config, name string) {
	for _, f := range c.PresetWarnings(name) {
		fmt.Fprintln(errs, "lspi: warning:", contract.EscapeLine(f.String()))
	}
}
