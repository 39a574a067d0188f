package catalogue

import (
	"slices"

	"lspi/lsp"
)

// Servers is every server that is known without configuration, in order of preference: of two that serve a file the
// earlier one is asked first. The rows are fresh copies, so that a configuration may be laid over them.
func Servers() []lsp.Spec {
	specs := slices.Concat(goServers(), cServers(), rustServers(), webServers(), pythonServers(), jvmServers(),
		dotnetServers(), shellServers(), scriptServers(), functionalServers(), nativeServers(), hardwareServers(),
		markupServers(), infraServers(), checkers())
	code := projectCode()
	for i := range specs {
		s := &specs[i]
		s.Code = code[s.ID]
		s.Kind = s.ID
		s.Verified = verified[s.ID]
		s.Variables = slices.Clone(variables[s.ID])
		if of := sources[s.ID]; of != nil {
			s.Sources = of()
		}
	}
	return specs
}

// verified names the version of each server that this project's tests run for real, as scripts/servers.sh pins it;
// whoever adds a real test adds the line. All other rows are made from what the servers document.
var verified = map[string]string{
	"gopls":                      "0.23.0",
	"clangd":                     "22.1.8",
	"rust-analyzer":              "1.97.1",
	"typescript-language-server": "6.0.2",
	"pyright":                    "1.1.414",
	"basedpyright":               "1.40.1",
	"bash-language-server":       "5.8.1",
	"ruff":                       "0.17.5",
}
