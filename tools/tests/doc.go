// Package tests finds the tests that reach a declaration, and the commands that run just these.
// What a file has as tests ([In]) is known by the rules of the test runners: names in Go and Python, attributes in
// Rust, calls with a title in TypeScript, macros in C++. A [Search] goes from a declaration to its uses, from each
// use to the declaration or the test around it, and from a declaration on to its own uses. A member that is used
// without its name (what the language or a library calls) leads to the uses of its type, and a fixture of pytest
// to the tests that ask for it by a parameter. What code only reaches by reflection, in another process or by a
// name that it computes is not found. [Commands] go by the files of the project: which runner it uses, and from
// which folder that runs.
package tests
