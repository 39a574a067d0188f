// Package packages finds what a package offers that sources import: the files of a dependency, of the standard library
// or of the workspace, with the names that these pass on.
//
// A name is one of a language by its form ([Of]). Where a source of the workspace imports the package, its server leads
// from there to the files ([Find]); else the rule of the language says where they lie: the module cache, site-packages,
// node_modules, the registry of Cargo, the folders of headers. Every file is read through the server's documents, which
// show nothing but the workspace and the folders of dependencies.
package packages
