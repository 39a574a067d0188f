// Package contract is what a host may rely on: the envelope of every answer, the closed lists of kinds of errors and
// warnings, next steps, and positions (1-based, in Unicode code points). It imports nothing of ours, so that every
// layer can use the same errors and places without knowing the layers above it.
//
// An error is made where its cause is known, as an [*Error] with its [Kind] and facts. Each layer on the way up may
// add one fact with %w. Package tools/answer turns the error into the envelope, with its next steps.
package contract
