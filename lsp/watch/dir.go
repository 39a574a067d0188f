package watch

// dir is one folder of the snapshot. files, subs and apart are guarded by tree.mu, the rest is only for Journal.run.
type dir struct {
	path   string
	parent *dir             // nil at the root
	files  map[string]stamp // by name; nil while there are none
	subs   map[string]*dir  // by name; nil while there are none
	apart  bool             // see Options.Apart; guarded by tree.mu

	id     inode
	access uint64
	rules  *rules // that hold for what is in it
	// it was to be left out: only what Keep wants is tracked in it, and where it is apart what Apart wants
	kept  bool
	shut  bool   // it could not be listed
	round uint64 // tree.round when it was scanned last
}
