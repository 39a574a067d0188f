//go:build linux

package faults

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// asksFor makes files of a server's language that name a URL, and notes whether somebody asked for it.
func asksFor(server, program, file string, text func(url string) string) bool {
	return add(attack{
		point: "C13", name: server + ": a file names a schema by a URL", programs: []string{program},
		never:  "a request to that URL while the workspace is not trusted",
		answer: "diagnostics without that schema; nothing is fetched. In a trusted workspace it is, and the first answer of the process says so (`fetches`)",
		try: func(a *attempt) {
			var asked atomic.Int32
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				_, _ = w.Write([]byte(`{"type": "object", "required": ["x"]}`))
			}))
			defer web.Close()
			a.file(file, text(web.URL+"/schema.json"))
			direct := func(s *spec.Spec) { s.Env = map[string]string{"NO_PROXY": "*", "no_proxy": "*"} }
			s := a.restricted(server, direct)
			if x := s.call("get_diagnostics", map[string]any{"file_path": file}); !x.OK {
				a.Fatalf("%s", x.raw)
			}
			_ = s.call("hover", map[string]any{"file_path": file, "line": 2, "character": 1})
			if n := asked.Load(); n > 0 {
				a.worked("%d requests", n)
			}
			trusted := (&project{server: server}).openIn(a, a.dir, options{spec: direct})
			at := map[string]any{"file_path": file}
			if x := trusted.call("get_diagnostics", at); asked.Load() == 0 || !slices.Contains(x.Kinds(), "fetches") ||
				!x.OK {
				a.Errorf("trusted: %d requests, %s", asked.Load(), x.raw)
			}
			if x := trusted.call("get_diagnostics", at); slices.Contains(x.Kinds(), "fetches") {
				a.Errorf("it is told again: %s", x.raw)
			}
		},
	})
}

var (
	_ = asksFor("yaml", "yaml-language-server", "a.yaml", func(url string) string {
		return "# yaml-language-server: $schema=" + url + "\na: 1\n"
	})
	_ = asksFor("json", "vscode-json-language-server", "a.json", func(url string) string {
		return "{\n\"$schema\": \"" + url + "\"\n}\n"
	})
)

var _ = add(attack{
	point: "C13", name: "rust-analyzer: Cargo.toml and .cargo/config.toml name registries and a git repository by URL",
	programs: []string{rust, "cargo"},
	never:    "a request to these URLs while the workspace is not trusted, with the user's token or without",
	answer:   "what is not downloaded yet is missing (`load_failed`, with `cargo fetch` as a step); cargo works offline",
	try: func(a *attempt) {
		var asked atomic.Int32
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.WriteHeader(http.StatusNotFound)
		}))
		defer web.Close()
		a.file("src/lib.rs", "pub fn helper() {}\n")
		a.file(".cargo/config.toml", "[net]\noffline = false\n[registries.corp]\nindex = \"sparse+"+web.URL+
			"/corp/\"\n")
		a.file("Cargo.toml", "[package]\nname = \"victim\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\n"+
			"x = { version = \"1\", registry = \"corp\" }\ny = { version = \"1\", registry-index = \"sparse+"+web.URL+
			"/y/\" }\nz = { git = \""+web.URL+"/z\" }\n")
		s := a.restricted(rust, func(s *spec.Spec) {
			s.Env = map[string]string{"NO_PROXY": "*", "no_proxy": "*", "CARGO_NET_RETRY": "0",
				"RUST_SRC_PATH": testkit.SmallStd()}
		})
		x := loaded(func() *reply {
			return s.call("find_references", map[string]any{"file_path": "src/lib.rs", "symbol_name": "helper"})
		})
		if !slices.Contains(x.Kinds(), "load_failed") {
			a.Errorf("%s", x.raw)
		}
		if n := asked.Load(); n > 0 {
			a.worked("%d requests", n)
		}
	},
})
