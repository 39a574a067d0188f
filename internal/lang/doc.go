// Package lang holds what is known of each language without its server: the table of languages ([Language]), and
// scanners of sources that need no parser. A language is added, or a fact about one, by an entry of the table
// (languages.go).
//
// The packages below lang read the files by which the tools of one language know a project: lang/golang go.mod,
// go.work and build constraints, lang/cargo Cargo.toml, lang/typescript tsconfig.json, lang/python pyright's
// configuration, lang/compdb compilation databases. They ask no server and keep no state but caches of files; which
// server needs what they tell is decided by the catalogue and the adapters.
package lang
