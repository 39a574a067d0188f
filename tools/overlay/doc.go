// Package overlay tells what an edit would do to the diagnostics of a server, before anything is on disk.
//
// [Compare] asks for diagnostics, shows the server the new texts in place of those on disk ([lsp.Overlay.Show]),
// asks again, and withdraws them. The rest of the package finds out how far the difference can be trusted:
//
//   - which files besides the edited ones may depend on the edit (dependents.go, references.go: those that use
//     what changes; shape.go: none, when the declarations and their types stay as they are; additions.go: those
//     that hold a name that the edit adds);
//   - what the server reports no errors of: code that it does not build (inactive.go), definitions for the linker
//     (linkage.go), uses by name in dynamic languages (heads.go), what is read from disk alone (disk.go).
//
// The state of one comparison is the type check, and that of one time that the server is shown the new texts the type
// trial. A comparison may need two trials: what the server said before is taken from memory at first (kept.go), and
// asked again when the new diagnostics disagree with it. Nothing is kept between two comparisons. The caller has the
// server alone meanwhile, because other questions would be answered with texts that are not on disk; and whatever
// happens, the server is shown the texts on disk again before [Compare] returns.
//
// The direction of doubt is the same everywhere: what cannot be told counts as "the edit may break other files", so
// that an answer promises less than it could and never more.
package overlay
