// Package reload tells sessions that run when a file that decides about them has changed: configurations, presets, and what the user trusts.
//
// A process has one [Watcher], whatever the number of its sessions. It watches the folders of the files that it is asked for, or the nearest ones
// above them that exist, and calls back when nothing has happened to a file for [Quiet], so that nobody reads one that is half written. What it
// misses, because a file system has no events or there are too many watches, costs time only: each call looks at the files itself ([Stamps]).
package reload
