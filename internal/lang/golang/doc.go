// Package golang reads Go sources without types. gopls checks types; what it leaves to the go command, the compiler
// and the linker is told here by comparing a source before and after an edit: [Compare] for what stands in one
// file, [Mainless] for what the files of a folder make together, [AssemblyNames] and [Linknames] for what names
// declarations from outside of Go's scopes.
package golang
