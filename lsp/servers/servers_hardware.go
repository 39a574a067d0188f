package servers

import "lspi/lsp/spec"

var hardwareServers = []spec.Spec{{
	ID: "vhdl_ls", Title: "VHDL Language Server (rust_hdl)",
	Languages: languages("vhdl"),
	Commands:  []spec.Command{run("vhdl_ls")},
	Roots:     roots(closestTo("vhdl_ls.toml", ".vhdl_ls.toml")),
	Readiness: waits(), // parses all files of its project file before the first answer
	Freshness: opened("vhdl_ls.toml", ".vhdl_ls.toml"),
	Project: &spec.ProjectFile{
		Files: []string{"vhdl_ls.toml", ".vhdl_ls.toml"}, Warning: "no_project_file",
		Hint: "vhdl_ls sees other files only when a vhdl_ls.toml names their libraries.",
	},
	SkipDirs: []string{"work", "xsim.dir"},
	Install:  []spec.Install{cargoInstall("vhdl_ls"), nixProfile("vhdl-ls")},
}, {
	ID: "verible", Title: "Verible",
	Languages: languages("systemverilog", "verilog"),
	Commands:  []spec.Command{run("verible-verilog-ls", "--rules_config_search")},
	Roots:     roots(closestTo("verible.filelist"), closestTo(".rules.verible_lint", ".git")),
	Freshness: opened("verible.filelist"),
	Project: &spec.ProjectFile{
		Files: []string{"verible.filelist"}, Warning: "no_project_file",
		Hint: "Verible sees other files only when a verible.filelist at the root names them.",
	},
	SkipDirs: []string{"obj_dir", "work", "xsim.dir"},
	Install:  []spec.Install{brew("chipsalliance/verible/verible"), nixProfile("verible")},
}}
