// Package setup puts lspi into the configuration of MCP hosts, and takes it out again.
//
// Life of one setup: [Hosts] is the table of hosts (files, keys, formats, each with its source); [Place.Look] reads
// what stands in their files now; [Place.Plan] is the change of one file, as its whole text before and after,
// computed and not written; [Place.Write] writes it atomically, with a backup and an entry in the journal, and
// reads it back; [Place.Undo] takes out what the journal has.
//
// Files belong to their users: the edit is a splice of the original bytes at positions that a parser of the format
// gave (hujson, go-toml, yaml), so that comments, order, indentation, line ends and a byte order mark stay. Before
// anything is written, text before and after are decoded and compared: they may differ in the entry of lspi alone.
// A file that cannot be read so is refused and stays as it is.
package setup
