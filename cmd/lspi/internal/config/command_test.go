package config

import "testing"

// The command of a server keeps the file and line that name it, also where another file adds to the server.
func TestCommandsKeepTheirPlace(t *testing.T) {
	w := newWorld(t)
	user := w.user("# mine\n[[servers]]\nid = \"gopls\"\ncommand = \"gopls-mine\"\n\n[[servers]]\nid = \"rust-analyzer\"\nargs = [\"-v\"]\n")
	w.repo("[[servers]]\nid = \"gopls\"\nrequest_timeout_ms = 1000\n")
	c := w.load()
	for _, spec := range c.Specs {
		switch own := spec.Configured(); {
		case spec.ID != "gopls" && own != nil:
			t.Errorf("%s: %v", spec.ID, own)
		case spec.ID == "gopls" && (own == nil || own.Name != "gopls-mine" || own.File != user || own.Line != 4):
			t.Errorf("%v", own)
		}
	}
}
