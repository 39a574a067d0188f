// Package ask puts a question to the servers of a file or of the whole workspace: it chooses the routes, gets a
// server that is ready and has seen what is on disk, asks, and starts over when the server ended, loaded anew or
// turned out to be behind. What limits the answer is added to the call by package audit, after the last attempt
// only: what a void attempt had said is taken back.
package ask
