// Package disk is what routing and the catalogue see of the file system: whether a folder has an entry, and the text of a
// manifest; and whose a file is. [OS] is the file system as it is, [Cache] the same with a memory that one stat per folder keeps true.
package disk
