package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/contract"
	"lspi/internal/events"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/tools/session"
)

// record makes the events of the session go to the file that a configuration names. Its error says why they cannot be
// written; the session goes on without them.
func (s *wiring) record(c *config.Config) error {
	err := s.events.Follow(events.Options{
		Path:  c.Logging.Events,
		Debug: func() bool { return s.logs.log.Enabled(context.Background(), slog.LevelDebug) },
		Mask:  secretsOf(c),
	})
	if err != nil {
		s.logs.log.Warn("events are not written", "file", c.Logging.Events, "error", err)
		return fmt.Errorf("events are not written (logging.events): %w", err)
	}
	return nil
}

// recorded calls record and returns the settings of the session, with a warning when events cannot be written.
func (s *wiring) recorded(c *config.Config, settings session.Settings) session.Settings {
	err := s.record(c)
	if err == nil {
		return settings
	}
	settings.Warnings = append(slices.Clone(settings.Warnings), contract.Warning{Kind: contract.WarnConfig,
		Message: err.Error(),
		Facts:   contract.Facts{"file": c.Logging.Events, "finding": config.FindingUnwritable}})
	if settings.Configuration != nil {
		conf := *settings.Configuration
		conf.Findings = append(slices.Clone(conf.Findings),
			session.ConfigFinding{Severity: string(config.SeverityWarning),
				Kind: string(config.FindingUnwritable), File: c.Logging.Events, Key: "logging.events",
				Message: err.Error()})
		settings.Configuration = &conf
	}
	return settings
}

// secretsOf returns a function that masks secrets in a text: the values of variables that servers are started with, the
// headers and tokens of other MCP servers, and the session's variables whose names say that they hold a secret.
func secretsOf(c *config.Config) func(text string) string {
	all := mcpclient.Spec{Env: map[string]string{}}
	specs := []*mcpclient.Spec{&all}
	for i := range c.Specs {
		for name, value := range c.Specs[i].Env {
			all.Env[c.Specs[i].ID+" "+name] = value
		}
	}
	for _, m := range c.MCPServers {
		specs = append(specs, &mcpclient.Spec{Env: m.Env, Headers: m.Headers, Token: m.Token, URL: m.URL,
			Secrets: m.Secrets})
	}
	own := spec.Spec{Environ: c.Table().Environ}
	for _, variable := range own.Environment() {
		if name, value, _ := strings.Cut(variable, "="); launch.Secret(name) {
			all.Env["of the session "+name] = value
		}
	}
	return mcpclient.NewMask(specs...).Text
}

// close ends the log and the events of a session.
func (s *wiring) close() {
	s.logs.close()
	s.events.Close()
}
