package catalogue

// optionalLanguages are the languages that stand beside a project's code: data, markup, prose, configuration, and the glue of
// shells and build tools (the types data, markup and prose of GitHub's Linguist, and of its programming languages those
// that other projects contain by the way). Answers about them are welcome and nobody's reason for lspi: where their
// server is missing, the workspace still works.
var optionalLanguages = map[string]bool{
	"json": true, "jsonc": true, "yaml": true, "toml": true, "xml": true, "xsl": true, "markdown": true, "rmd": true,
	"latex": true, "bibtex": true, "typst": true, "html": true, "css": true, "scss": true, "less": true, "erb": true,
	"eelixir": true, "phoenix-heex": true, "gotmpl": true, "helm": true, "go.mod": true, "go.work": true, "go.sum": true,
	"cabal": true, "gpr": true, "dune": true, "prisma": true, "graphql": true, "proto": true, "sql": true, "jsonnet": true,
	"cue": true, "terraform-vars": true, "shellscript": true, "powershell": true, "dockerfile": true, "cmake": true,
	"starlark": true, "vim": true, "glsl": true,
}

// OptionalLanguage reports whether a language, by its LSP identifier, is one that stands beside the code: no workspace needs a
// server for it.
func OptionalLanguage(languageID string) bool { return optionalLanguages[languageID] }
