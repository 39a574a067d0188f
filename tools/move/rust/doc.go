// Package rust plans moves of items and modules of Rust, for which rust-analyzer has no request (1.97.1): what a module
// declares is named by its path, or imported by use.
//
// text.go reads the items and uses of a source, modules.go which file is which module of a crate. users.go gives all
// who name what moves its new path, and makes visible what has to be. symbol.go finds an item and what it needs in its
// new module, symbol_target.go writes the texts; file.go moves a module with its mod line. The texts are those before
// the move throughout. What a text alone does not tell, such as which trait has a method, the server is asked for; what
// neither tells, cargo check does when the move is applied.
package rust
