// Package proofs runs each row of the catalogue that is called proven with its real server: testdata/ROW.txtar is a
// project and a script of questions, asked as a host asks them, with what the true answer is. A script has a part
// for each point of [points], headed "# POINT"; what a server cannot do is a part of one line, "# POINT: why not",
// which docs/servers.md shows. Commands of scripts besides those of testscript:
//
//	ask TOOL JSON          calls a tool; its answer is stdout. ! ask wants an error. Besides, an answer has to be complete, unless
//	ask -unknown TOOL JSON says that the server cannot show it, or
//	ask -partial TOOL JSON that lspi shows that it is not.
//	edit FILE OLD NEW      replaces the one place that has the text OLD in a file, as an editor outside of lspi would
//	crash                  ends the processes of the server, as a crash does
//
// To prove a row: pin its program in lsp/servers/pins.txt, write the script, add the row to proven in
// lsp/servers/catalogue.go, and run go test ./test/proofs -run TestRows/ROW, then make proofs, which runs all and
// writes docs/servers.md. Rows that other packages' tests run (gopls, clangd, rust-analyzer,
// typescript-language-server, bash-language-server, ruff) have no script yet. $SERVERS is the folder of the
// installed servers, for packages that a project has of its own.
package proofs
