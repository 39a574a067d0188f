// Package outlines writes the symbols of a file as an agent reads them: a line each, indented below what they are
// in, so that no line repeats the name of its class; functions, fields, constants and members of an enum of one
// parent share a line. It knows no server and asks none.
package outlines
