// Package contract is what a host may rely on: the envelope of every answer, the closed lists of error kinds and
// warnings, next steps, and 1-based positions in Unicode code points. It imports nothing of ours, so that every layer
// can speak of the same errors and places without knowing the layers above it.
//
// An error is born where the cause is known as an [*Error] with its precise [Kind] and its facts; the layers between
// add one fact each with %w; the tools package turns whatever arrives into the envelope with its next steps.
package contract
