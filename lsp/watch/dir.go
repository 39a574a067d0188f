package watch

// dir is one folder of the snapshot. tree.mu guards files, subs and unlisted; Journal.run alone uses the rest.
type dir struct {
	path     string
	parent   *dir             // nil at the root
	files    map[string]stamp // by name; nil while there are none
	subs     map[string]*dir  // by name; nil while there are none
	unlisted bool             // its files are not listed (Options.Unlisted)

	id     inode  // of the folder that was last seen at path
	access uint64 // as in node; when it changes, a folder may have become readable
	rules  *rules // the ignore rules for what is in it
	// kept: the folder is ignored or skipped. Only what Options.Keep wants is tracked in it, or, where it is
	// unlisted, what Options.Unlisted wants.
	kept       bool
	unlistable bool   // listing it failed
	round      uint64 // tree.round of its last scan
}
