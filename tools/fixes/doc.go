// Package fixes does one thing in many files: a source action (organize imports, fix all), the quick fixes of one rule,
// or formatting. [Run] is all of it; code_actions calls it for a folder or a glob, and to format one file.
//
// # Rounds
//
// A round asks the servers of the files what is to be done in each as it is now ([work.gather]), and joins the fixes of
// a file that do not touch each other; what touches waits for the next round. A preview is the first round. With apply
// "if_safe" each round is written ([work.write]) in parts of some files: each part is one atomic edit, whose errors are
// compared before and after, and which is undone where it brings one. Then it is halved, so that one bad file costs
// itself alone. Rounds end when the servers have nothing more to change, or with a bound, which the answer tells.
//
// # What is left
//
// An answer names the files in which something is left, with the reason: generated and read-only files, what a server
// refuses, several fixes to choose from, fixes that change other files, new errors. Files that there was no time for
// make it partial, with the step that continues behind them.
package fixes
