package clangd

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

func TestFiles(t *testing.T) {
	for _, c := range []struct {
		text  string
		files []string // relative ones are below the directory
		whole bool
	}{
		{`[]`, nil, true},
		{`[{"directory": "/d", "file": "a.cc"}, {"directory": "/d", "file": "/e/b.cc", "arguments": []}]`,
			[]string{"/d/a.cc", "/e/b.cc"}, true},
		{`[{"directory": "/d", "file": "../a.cc"}]`, []string{"/a.cc"}, true},
		{`[{"directory": "/d", "file": "a.cc"},`, []string{"/d/a.cc"}, false},
		{`[{"directory": "/d", "file": "a.cc"}`, []string{"/d/a.cc"}, false},
		{`[{"directory": "/d", "file": 1}]`, nil, false},
		{``, nil, false},
	} {
		path := filepath.Join(t.TempDir(), "compile_commands.json")
		testkit.Must(t, os.WriteFile(path, []byte(c.text), 0o600))
		var files []string
		whole := Files(path, func(file string) bool { files = append(files, filepath.ToSlash(file)); return true })
		if !slices.Equal(files, c.files) || whole != c.whole {
			t.Errorf("%s: %v, %v", c.text, files, whole)
		}
	}
	if Files(filepath.Join(t.TempDir(), "none"), func(string) bool { return true }) {
		t.Error("a database that is not there was read to its end")
	}
}

func TestFirst(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.cc", "b.cc", "c.cc"} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	list := filepath.Join(dir, "compile_commands.json")
	text := `[{"file": "gone.cc"}, {"file": "a.cc"}, {"file": "b.cc"}, {"file": "c.cc"}]`
	testkit.Must(t, os.WriteFile(list, []byte(text), 0o600))
	t.Chdir(dir)
	if got := First(list, 2); !slices.Equal(got, []string{"a.cc", "b.cc"}) {
		t.Errorf("%v", got)
	}
}

// A shard of the form of clangd's format 20 (Serialization.cpp), and what is none.
func TestReadShard(t *testing.T) {
	chunk := func(name, data string) string {
		if len(data)%2 == 1 {
			return name + string(rune(len(data))) + "\x00\x00\x00" + data + "\x00"
		}
		return name + string(rune(len(data))) + "\x00\x00\x00" + data
	}
	shard := func(version, sources string) string {
		return "RIFF\x00\x00\x00\x00CdIx" + chunk("meta", version+"\x00\x00\x00") + chunk("symb", "abc") +
			chunk("srcs", sources) +
			chunk("stri", "\x00\x00\x00\x00file:///a.cc\x00file:///a.h")
	}
	// the second has errors, and no digest
	own, included := "\x01\x00digest!!\x01\x01", "\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	path := filepath.Join(t.TempDir(), "a.cc.0123456789ABCDEF.idx")
	for text, want := range map[string]struct {
		own, broken []string
		ok          bool
	}{
		shard("\x14", own+included):     {[]string{"file:///a.cc"}, []string{"file:///a.h"}, true},
		shard("\x14", own):              {[]string{"file:///a.cc"}, nil, true},
		shard("\x13", own):              {nil, nil, false},
		shard("\x14", "\x01\x00digest"): {nil, nil, false},
		"RIFF":                          {nil, nil, false},
	} {
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
		read, err := ReadShard(path)
		if !slices.Equal(read.Own, want.own) || !slices.Equal(read.Broken, want.broken) || (err == nil) != want.ok ||
			want.ok && !slices.Equal(read.Includes, []string{"file:///a.h"}) {
			t.Errorf("%q: %v, %v", text, read, err)
		}
	}
}
