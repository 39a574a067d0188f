package main

import (
	"fmt"
	"io"

	"lspi/cmd/lspi/internal/config"
	"lspi/contract"
)

// warnOfPreset tells what of a preset does not exist: a session may have no tool to ask with, least of all
// get_current_config, which says so, too.
func warnOfPreset(errs io.Writer, c *config.Config, name string) {
	for _, f := range c.PresetWarnings(name) {
		fmt.Fprintln(errs, "lspi: warning:", contract.EscapeLine(f.String()))
	}
}
