// Package move plans moves of files and folders: rename_symbol with new_path.
//
// What changes with a path is told by the server (workspace/willRenameFiles) or, at a server without that request, by
// the rule of the language, which reads the imports of the sources that may name what moves (rules.go). Then the texts
// of the whole workspace are searched for the path, in every form in which a file may name it, and the files that move
// for paths that lead elsewhere from the new place (mentions.go). What is found there and is not edited is told, and
// keeps the move from being made by itself: an import is a use that is left, anything else a mention, since lspi edits
// no string, document or project file of which nobody knows how it is read.
//
// With a symbol beside new_path the declaration moves (symbol.go), by a rule of its language: gopls, pyright and
// rust-analyzer have no request for it, so that lspi cuts, inserts, and writes the imports of both files and of all
// users anew (symbol_go*.go, symbol_python*.go, package rust); typescript-language-server moves it, and lspi follows
// who passes it on (symbol_script.go). clangd has none either: the declaration goes into the same namespaces
// (symbol_c_file.go), and includes follow (symbol_c.go for what it needs, symbol_c_users.go for who uses it). Whatever
// may use it and was not changed is told as a use that is left.
package move
