// Package compat knows what users of the original lspi (the Rust program of the same name, until 2026) have written down: keys and values of
// its configuration files, variables, and the names and arguments of its tools. Everything here is tables and pure functions; where the words
// are met (cmd/lspi/internal/config, mcpserver) asks them, and goes on with today's words. docs/from-original.md is for these users.
package compat
