package session

import (
	"strings"
	"testing"
)

// A listed name has at most 64 characters with the prefix of Claude Code, and is the same when it is made again.
func TestListedNames(t *testing.T) {
	long := strings.Repeat("long-", 20)
	for _, c := range []struct{ given, want string }{
		{"one:echo", "one__echo"},
		{"one__echo", "one__echo"},
		{"one:read.file", "one__read_file"},
		{"one__read.file", "one__read_file"},
		{"one:a:b", "one__a_b"},
		{"one__a:b", "one__a_b"},
		{"one:a__b", "one__a__b"},
		{"one:get-*", "one__get-*"},
		{"*:read.file", "*__read_file"},
		{"one:" + long, "one__long-long-long-long-long-long-long-long_cd9ddee2"},
		{"find_references", "find_references"},
		{"one:", "one:"},
		{":echo", ":echo"},
		{"__echo", "__echo"},
	} {
		got := Listed(c.given)
		if got != c.want {
			t.Errorf("%s is listed as %s, not %s", c.given, got, c.want)
		}
		if len("mcp__lspi__"+got) > 64 || Listed(got) != got {
			t.Errorf("%s: %d characters with the prefix, made again %s", got, len("mcp__lspi__"+got), Listed(got))
		}
	}
	for _, id := range []string{"a", strings.Repeat("i", 32)} {
		if name := ServerTool(id, long); len("mcp__lspi__"+name) != 64 || ServerTool(id, Exposed(id, long)) != name {
			t.Errorf("%s: %d characters with the prefix", name, len("mcp__lspi__"+name))
		}
	}
}
