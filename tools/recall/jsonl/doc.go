// Package jsonl reads JSON lines of any length in a fixed amount of memory.
//
// Life of a Reader: [NewReader] over a stream that begins at the begin of a line. [Reader.Next] goes to the next line; the caller then takes
// from it what it wants, by [Reader.Object], [Reader.Array], [Reader.String] and their kin, and skips the rest with [Reader.Skip], which keeps
// nothing of it: a line of 100 MB costs no more than one of 100 bytes. [Reader.End] closes the line and tells whether it was whole and valid. An
// error within a line ends that line only, because a raw line feed is never part of JSON. A line without a line feed at the end of the stream
// is still being written: it is never reported as whole, and [Reader.Offset] stays at its begin, where a later Reader starts again.
package jsonl
