package servers

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"lspi/lsp/spec"
)

//go:embed pins.txt
var pinTable string

// Pin is a version of a program, and the package that has it: what the tests of lspi run, and what "lspi servers
// install" installs.
type Pin struct {
	Name      string   // of the server in pins.txt, for people
	Version   string   // without "v"
	Launchers []string // programs that it puts on PATH; empty for what others need
	How       string   // go, npm, pip, cargo or deb: the package registry
	Details   []string // what the registry is asked for; pins.txt explains it
}

// Pins are all lines of pins.txt, in its order. Nobody may change what they share.
var Pins = sync.OnceValue(func() (out []Pin) {
	for line := range strings.Lines(pinTable) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "#") || len(cells) != 5 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		pin := Pin{Name: cells[0], Version: cells[1], How: cells[3], Details: strings.Fields(cells[4])}
		if cells[2] != "-" {
			pin.Launchers = strings.Fields(cells[2])
		}
		out = append(out, pin)
	}
	return out
})

// PinOf is the pin whose launchers have one of the commands of a server; ok is false when no pin does.
func PinOf(s *spec.Spec) (pin Pin, ok bool) {
	for _, pin := range Pins() {
		for _, command := range s.Commands {
			if slices.Contains(pin.Launchers, command.Name) {
				return pin, true
			}
		}
	}
	return Pin{}, false
}
