// Package setup puts lspi into the configuration of MCP hosts, and takes it out again.
//
// Life of one setup: [Hosts] is the table of hosts (files, keys, formats, each with its source). [Place.Look] reads
// what their files have now. [Place.Plan] computes the change of one file, as its whole text before and after, and
// writes nothing. [Place.Write] writes it atomically, with a backup and a record in the journal. [Place.Undo] takes out
// what the journal records.
//
// Files belong to their users. An edit replaces parts of the original bytes, at positions that a parser of the format
// gives (hujson, go-toml, yaml), so that comments, order, indentation, line ends and a byte order mark stay. Before
// anything is written, the texts before and after are decoded and compared: only the entry of lspi may differ. A file
// for which that fails is left as it is, with an error.
package setup
