// Package jsonl reads the JSON lines of a transcript with [jsontext], one token at a time.
//
// Life of a Reader: [NewReader] over a stream that begins at the begin of a line. [Reader.Next] goes to the next
// line; the caller then takes from it what it wants, by [Reader.Object], [Reader.Array], [Reader.String] and their
// kin, and skips the rest with [Reader.Skip]. [Reader.End] closes the line and tells whether it was whole and
// valid. An error within a line ends that line only, because a raw line feed is never part of JSON; so does a line
// of more than 128 MB. What is held is the longest string of a line. A line without a line feed at the end of the
// stream is still being written: it is never reported as whole, and [Reader.Offset] stays at its begin, where a
// later Reader starts again.
//
// [NewDocument] reads a file that is one object, which may have line feeds within, as if it were one line.
package jsonl
