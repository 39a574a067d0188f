// Package proofs tests each row of lsp/servers that is called proven with its real server. testdata/ROW.txtar has a
// project and a script of questions, which are asked as a host asks them, with the true answers. A script has a
// part for each point of [points], headed "# POINT". For what a server cannot do, the part is one line, "# POINT:
// why not", which docs/servers.md shows. [toolstest.Script] has the
// commands.
//
// To prove a row: pin its program in lsp/servers/pins.txt, write the script, add the row to proven in
// lsp/servers/catalogue.go, and run go test ./test/proofs -run TestRows/ROW, then make proofs, which runs all and
// writes docs/servers.md. Rows that the tests of other packages run (gopls, clangd, rust-analyzer,
// typescript-language-server, bash-language-server, ruff) have no script yet. $SERVERS is the folder of the installed
// servers, for projects that need packages of their own.
package proofs
