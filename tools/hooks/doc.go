// Package hooks decides what lspi tells a model that did not ask: after a change the new errors, before a turn ends
// those that are left, after a search for a word or a read of some lines what that is.
//
// A host runs `lspi hook` at these moments; the shared process answers the [Event] with an [Answer], whose text the
// host puts before its model. An answer costs the model tokens each time, so each error is told once, nothing is told
// of a clean change, and what is not certain within the budget is told with a later event, or not at all.
//
// Life of a [State], which belongs to one session of a host at one root:
//
//  1. [State.Start] notes where the journals of changes stand, and the texts from before: the commit that is checked
//     out and what differs from it (before.go). Where a host has no such event, the first event of any kind does it.
//  2. [State.AfterChange] takes from the journals which files changed since the last event, whoever wrote them, and
//     asks their servers as get_diagnostics does ([diagnostics.OfChanged]). A file whose diagnosis does not come in
//     time is owed, and asked about again at the next event (change.go).
//  3. Errors are compared with those of the last look at the file, and moved with its text. At the first look at a file
//     that has errors, the servers are asked what they say with the texts from before ([overlay.Under]), unless they
//     had told before the first change that it has none; what they say then was there already (judge.go).
//  4. When files changed again while all this went on, nothing of it is told or kept, and the files are owed.
//  5. [State.Unheard] takes an answer back that did not reach the host, so that the next one tells it.
package hooks
