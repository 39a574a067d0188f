// Package golang reads Go sources without types, and the files by which the go command knows a project.
//
// gopls checks types; some errors it leaves to the go command, the compiler and the linker. This package finds them
// by comparing a source before and after an edit: [Compare] for what is in one file, [Mainless] for what the files of
// a folder make together, [ImportsItself] for cycles. [AssemblyNames] and [Linknames] find names of declarations
// outside of Go's scopes.
package golang
