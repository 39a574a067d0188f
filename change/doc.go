// Package change shows a change of files before it is made, and carries it out when it is agreed to: the preview with digests, the edit by
// package edit with its journal, the errors that are new behind it, and the recovery of an edit that a crash cut off.
package change
