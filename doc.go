// Package lspi is the root of the module: it holds the tests that look at the whole tree. The program is cmd/lspi.
package lspi
