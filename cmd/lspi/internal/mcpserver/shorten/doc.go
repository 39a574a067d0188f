// Package shorten makes a JSON value smaller and keeps its shape: where most of the value is, lists lose their last
// items and strings the end of their text. A value that satisfied its JSON schema before satisfies it afterwards;
// everything that is not cut stays byte for byte. The package has no state and does no I/O.
package shorten
