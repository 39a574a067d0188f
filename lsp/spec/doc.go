// Package spec describes language servers as data. A [Spec] is one row of the catalogue, or a [[servers]] entry of
// the configuration laid over such a row: which files the server handles, how it is started, how it shows that it is
// ready, how it learns of changes on disk, and what it leaves out of its answers.
//
// Package launch starts processes by a Spec, and package lsp talks to them. A Spec does not change once a process
// runs by it. Methods of these types read the Spec and at most the file system; none of them talks to a server.
package spec
