package main

import (
	"context"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/doctor"
	"lspi/tools/session"
)

// control is something that the shared process does for lspi's own commands. It is a tool of class internal, which no
// host sees or can call: commands ask for it over the process's socket, which only programs of the same user reach, in
// the same sandbox.
type control struct {
	session.Entry
	run func(d *shared, ctx context.Context, h *daemon.Hello, tell func(any)) any
}

// The names of controls. Package daemon has those that it answers itself: ping, stop and retire.
const (
	commandStatus = "status" // asks for a [daemonStatus]
	commandDoctor = "doctor" // runs the checks of lspi doctor: a [doctor.Report], without hosts
	commandStrict = "doctor strict"
	commandPreset = "preset" // switches the preset of the sessions of a workspace: a [presetUse]
	commandReload = "reload" // makes all sessions read their configuration again: a [reloaded]
)

var controls = []control{
	{internal(commandStatus, "The hosts, workspaces and servers of all sessions."),
		func(d *shared, _ context.Context, _ *daemon.Hello, _ func(any)) any {
			return d.status()
		}},
	{internal(commandDoctor, "The checks of lspi doctor."), examineShared},
	{internal(commandStrict, "The checks of lspi doctor --strict."), examineShared},
	{internal(commandPreset, "Another preset for the sessions of a workspace."),
		func(d *shared, _ context.Context, h *daemon.Hello, _ func(any)) any {
			return d.usePreset(h)
		}},
	{internal(commandReload, "All sessions read their configuration anew."),
		func(d *shared, _ context.Context, _ *daemon.Hello, _ func(any)) any {
			return d.reload()
		}},
}

func internal(name, description string) session.Entry {
	return session.Entry{Name: name, Provider: session.LSP, Class: session.Internal, Title: name,
		Description: description}
}

func examineShared(d *shared, ctx context.Context, h *daemon.Hello, tell func(any)) any {
	var progress doctor.Progress = func(subject, doing string) { tell(doctorStep{subject, doing}) }
	return d.examine(ctx, h, progress)
}

// command runs the control that a hello names; false when there is none of that name.
func (d *shared) command(ctx context.Context, h *daemon.Hello, tell func(any)) (any, bool) {
	door := session.Filter{Internal: true}
	for i := range controls {
		if c := &controls[i]; c.Name == h.Command && door.Judge(&c.Entry) == session.Allowed {
			return c.run(d, ctx, h, tell), true
		}
	}
	return nil, false
}
