package setup

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/testkit"
)

// place is a user with an empty home, a project, and an lspi that PATH does not find.
func place(t testing.TB) Place {
	t.Helper()
	home := t.TempDir()
	env := map[string]string{"XDG_STATE_HOME": filepath.Join(home, "state"),
		"XDG_CONFIG_HOME": filepath.Join(home, ".config")}
	p := Place{User: trust.User{Home: home, Getenv: func(n string) string {
		return env[n]
	}}, Project: filepath.Join(home, "project"), Executable: filepath.Join(home, "bin", "lspi")}
	testkit.Must(t, os.MkdirAll(p.Project, 0o700))
	testkit.Must(t, os.MkdirAll(filepath.Dir(p.Executable), 0o700))
	testkit.WriteProgram(t, p.Executable, "#!/bin/sh\n")
	p.Path = filepath.Dir(p.Executable)
	return p
}

func put(t testing.TB, file, text string) {
	t.Helper()
	testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	testkit.Must(t, os.WriteFile(file, []byte(text), 0o640))
}

func read(t testing.TB, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	testkit.Must(t, err)
	return string(raw)
}

// write plans and writes one host.
func write(t testing.TB, p Place, name string, s Scope, r Rights) *Change {
	t.Helper()
	c, err := p.Plan(Find(name), s, r)
	testkit.Must(t, err)
	_, err = p.Write(context.Background(), c)
	testkit.Must(t, err)
	return c
}

// Every host: a new file has the entry, a second setup changes nothing, undo leaves nothing.
func TestEveryHost(t *testing.T) {
	for _, h := range Hosts {
		for _, s := range []Scope{User, Project} {
			p := place(t)
			file := p.File(h, s)
			if file == "" {
				continue
			}
			write(t, p, h.Name, s, DefaultRights)
			f := p.lookAt(h, s, file)
			want := p.launch(h, h.readOnly)
			if f.Err != nil || f.Entry == nil || f.Entry.Command != want.command ||
				!reflect.DeepEqual(f.Entry.Args, want.args) || f.Entry.Off {
				t.Errorf("%s %s: %+v, %v\n%s", h.Name, s, f.Entry, f.Err, read(t, file))
			}
			if h.desktop != filepath.IsAbs(want.command) {
				t.Errorf("%s: starts %s", h.Name, want.command)
			}
			again, err := p.Plan(h, s, DefaultRights)
			if err != nil || again.Diff != "" {
				t.Errorf("%s %s a second time: %v\n%s", h.Name, s, err, again.Diff)
			}
			for _, u := range undo(t, p) {
				testkit.Must(t, u.Err)
			}
			if exists(file) {
				t.Errorf("%s %s: undo left\n%s", h.Name, s, read(t, file))
			}
		}
	}
}

// What others wrote between two changes of setup survives undo, which goes back to before the first of them.
func TestUndoOfTwoChanges(t *testing.T) {
	p := place(t)
	file := p.File(Find("gemini"), User)
	put(t, file, "{\n  \"a\": 1\n}\n")
	write(t, p, "gemini", User, DefaultRights)
	put(t, file, strings.Replace(read(t, file), "\"a\": 1", "\"a\": 2", 1))
	write(t, p, "gemini", User, ReadOnly)
	for _, u := range undo(t, p) {
		testkit.Must(t, u.Err)
	}
	testkit.Equal(t, read(t, file), "{\n  \"a\": 2\n}\n", "after undo")
}

func undo(t testing.TB, p Place) []Undone {
	t.Helper()
	all, err := p.Undo(nil, false)
	testkit.Must(t, err)
	return all
}

// What is in a file stays, byte for byte, and undo gives it back, also when others changed the file since.
func TestFilesKeepWhatTheyHave(t *testing.T) {
	const args = `"command": "lspi",`
	for _, c := range []struct {
		name, host, before string
		want               string // of the text after
		elsewhere          string // appended to the file by another program before undo, where that is possible
	}{
		{"comments", "gemini", "// mine\n{\n  \"a\": 1, // one\n  /* two */ \"b\": [1,\n 2] // last\n}\n",
			"\"b\": [1,\n 2], // last\n  \"mcpServers\": {\n    \"lspi\": {\n      \"command\": \"lspi\",", "// end\n"},
		{"trailing comma", "gemini", "{\n  \"a\": 1, // one\n}\n",
			"\"a\": 1, // one\n  \"mcpServers\": {\n    \"lspi\": {", "// end\n"},
		{"tabs", "claude", "{\n\t\"mcpServers\": {\n\t\t\"other\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n",
			"\n\t\t},\n\t\t\"lspi\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t" + args, "\n"},
		{"four spaces and CRLF", "gemini", "{\r\n    \"mcpServers\": {\r\n    },\r\n    \"z\": 1\r\n}\r\n",
			"\"mcpServers\": {\r\n        \"lspi\": {\r\n            \"command\"", "// x\r\n"},
		{"byte order mark", "gemini", "\xef\xbb\xbf{\"a\": 1}", "\xef\xbb\xbf{\"a\": 1, \"mcpServers\": { \"lspi\": {",
			"\n"},
		{"one line", "claude", `{"mcpServers":{"x":{"command":"a  b"}}}`,
			`{"x":{"command":"a  b"}, "lspi": { "type": "stdio", "command": "lspi", "args": ["mcp", "--context", "claude"], "env": {} }}}`, " "},
		{"empty object", "claude", "{}", "{\n  \"mcpServers\": {\n    \"lspi\"", ""},
		{"comment in an empty object", "gemini", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}",
			"// none yet\n    \"lspi\": {", ""},
		{"empty file", "gemini", "", "\"lspi\"", ""},
		{"toml", "codex",
			"# mine\nmodel = \"x\" # m\n\n[mcp_servers.other]\ncommand = 'o'\n\n# about a\n[projects.\"/a\"]\ntrust_level = \"trusted\"", "\"trusted\"\n\n[mcp_servers.lspi]\ncommand = \"lspi\"\nargs = [\"mcp\", \"--context\", \"codex\"]\ntool_timeout_sec = 60\n", "\n[projects.\"/b\"]\ntrust_level = \"trusted\"\n"},
		{"toml with CRLF", "codex", "a = 1\r\n", "a = 1\r\n\r\n[mcp_servers.lspi]\r\ncommand = \"lspi\"\r\n",
			"[b]\r\n"},
		{"array of tables", "vibe", "[[mcp_servers]]\nname = \"o\"\n",
			"name = \"o\"\n\n[[mcp_servers]]\nname = \"lspi\"\n", "\n[x]\n"},
		{"an empty array", "vibe", "mcp_servers = []\n\n[x]\na = 1\n",
			"mcp_servers = [{ name = \"lspi\", transport = \"stdio\", command = \"lspi\", args = [\"mcp\"], tool_timeout_sec = 60 }]\n\n[x]", "[y]\n"},
		{"an empty array with a comment", "vibe", "mcp_servers = [ # none\n] # m\n",
			"mcp_servers = [ # none\n    { name = \"lspi\",", "[y]\n"},
		{"an inline array", "vibe", "mcp_servers = [\n  { name = \"o\", command = \"x, ]#\" }, # it\n]\na = 1\n",
			"mcp_servers = [\n  { name = \"lspi\", transport = \"stdio\", command = \"lspi\", args = [\"mcp\"], tool_timeout_sec = 60 },\n  { name = \"o\"", "[y]\n"},
		{"an inline array in one line", "vibe", "mcp_servers = [{ name = \"o\" }]\n", " }, { name = \"o\" }]\n",
			"[y]\n"},
		{"an inline table", "codex", "mcp_servers = { o = { command = \"o\" } }\n",
			"mcp_servers = { lspi = { command = \"lspi\", args = [\"mcp\", \"--context\", \"codex\"], tool_timeout_sec = 60 }, o = {", "[y]\n"},
		{"an empty inline table", "codex", "mcp_servers = {}\r\n", "mcp_servers = { lspi = {", "[y]\r\n"},
		{"yaml list", "cn", "name: x # n\nmcpServers: # all\n- name: o # it\n  command: c\nz: 1\n",
			"mcpServers: # all\n- name: lspi\n  type: stdio\n  command: lspi\n  args: [\"mcp\"]\n- name: o # it",
			"y: 2\n"},
		{"yaml without the key", "cn", "name: x", "name: x\nmcpServers:\n  - name: lspi\n", "y: 2\n"},
		{"yaml map", "goose", "extensions:\n    dev:\n        type: builtin\nz: 1\n",
			"extensions:\n    lspi:\n      name: lspi\n", "y: 2\n"},
		{"yaml with nothing in it", "goose", "extensions: {}\nz: 1\n", "extensions:\n  lspi:\n", "y: 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t)
			h := Find(c.host)
			file := p.File(h, User)
			put(t, file, c.before)
			write(t, p, c.host, User, DefaultRights)
			after := read(t, file)
			testkit.Holds(t, after, c.want)
			if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
				t.Errorf("%v %v", info.Mode(), err)
			}
			if again, err := p.Plan(h, User, DefaultRights); err != nil || again.Diff != "" {
				t.Errorf("a second time: %v\n%s", err, again.Diff)
			}
			put(t, file, after+c.elsewhere)
			for _, u := range undo(t, p) {
				testkit.Must(t, u.Err)
			}
			if c.elsewhere == "" {
				testkit.Equal(t, read(t, file), c.before, "undo")
				return
			}
			left := read(t, file)
			tree, err := h.form.decode(withoutMark([]byte(left)))
			testkit.Must(t, err)
			if h.form.find(tree, h.path) != nil || !strings.HasSuffix(left, c.elsewhere) {
				t.Errorf("undo left %q", left)
			}
			for word := range strings.FieldsSeq(c.before) {
				if !strings.Contains(left, strings.TrimRight(word, ",}")) && word != "{}" {
					t.Errorf("undo lost %q: %q", word, left)
				}
			}
		})
	}
}

// What a user put into the entry stays; what keeps it from starting lspi is mended; rights change when they are
// asked for.
func TestEntriesThatAreThere(t *testing.T) {
	for _, c := range []struct {
		name, host, before string
		rights             Rights
		want               string // the text after; "" for the same
	}{
		{"env and time-outs", "gemini",
			"{\"mcpServers\": {\"lspi\": {\"command\": \"lspi\", \"args\": [\"mcp\", \"--log-level\", \"debug\"], \"env\": {\"A\": \"b\"}, \"timeout\": 1}}}", DefaultRights, ""},
		{"uvx", "gemini", `{"mcpServers": {"lspi": {"command": "uvx", "args": ["lspi", "mcp"]}}}`, DefaultRights, ""},
		{"npx with the package of lspi", "gemini",
			`{"mcpServers": {"lspi": {"command": "npx", "args": ["-y", "lspi-mcp@1.2.0", "mcp"]}}}`, DefaultRights, ""},
		{"switched off", "cline", `{"mcpServers": {"lspi": {"command": "lspi", "args": ["mcp"], "disabled": true}}}`,
			DefaultRights, ""},
		{"a path that is gone", "gemini",
			"{\"mcpServers\": {\"lspi\": {\"command\": \"/gone/lspi\", /* c */ \"args\": [\"mcp\"]}}}", DefaultRights,
			"{\"mcpServers\": {\"lspi\": {\"command\": \"lspi\", /* c */ \"args\": [\"mcp\"]}}}"},
		{"read-only", "gemini",
			`{"mcpServers": {"lspi": {"command": "lspi", "args": ["mcp", "--log-level", "debug"]}}}`, ReadOnly,
			`{"mcpServers": {"lspi": {"command": "lspi", "args": ["mcp", "--read-only", "--log-level", "debug"]}}}`},
		{"codex read-write", "codex",
			"[mcp_servers.lspi] # l\ncommand = \"lspi\" # c\nargs = [\n  'mcp', # m\n  '--context', 'codex',\n] # a\nstartup_timeout_sec = 9\n[mcp_servers.lspi.env]\nA = \"b\"\n", ReadWrite,
			"[mcp_servers.lspi] # l\ncommand = \"lspi\" # c\nargs = [\"mcp\", \"--context\", \"full\"] # a\nstartup_timeout_sec = 9\n[mcp_servers.lspi.env]\nA = \"b\"\n"},
		{"vibe, inline", "vibe",
			"mcp_servers = [\n    { name = \"o\", args = [\"mcp\"] },\n    { name = \"lspi\", command = \"/gone/lspi\", args = [\"mcp\"] },\n]\n", ReadOnly,
			"mcp_servers = [\n    { name = \"o\", args = [\"mcp\"] },\n    { name = \"lspi\", command = \"lspi\", args = [\"mcp\", \"--read-only\"] },\n]\n"},
		{"yaml list", "cn",
			"mcpServers: # all\n- command: c\n  name: o\n  args: [mcp]\n- name: lspi # it\n  args: [ 'mcp', \"it's # 1\", it's ] # a\n  command: lspi\nz: 1 # z\n", ReadOnly,
			"mcpServers: # all\n- command: c\n  name: o\n  args: [mcp]\n- name: lspi # it\n  args: [\"mcp\", \"--read-only\", \"it's # 1\", \"it's\"] # a\n  command: lspi\nz: 1 # z\n"},
		{"yaml map, a block", "goose",
			"extensions:\r\n    lspi:\r\n        cmd: lspi\r\n        args:\r\n        - mcp # m\r\n        -\r\n          --read-only\r\n        # of the time\r\n        timeout: 9\r\n    o:\r\n        args:\r\n        - mcp\r\n", ReadWrite,
			"extensions:\r\n    lspi:\r\n        cmd: lspi\r\n        args:\r\n        - mcp\r\n        # of the time\r\n        timeout: 9\r\n    o:\r\n        args:\r\n        - mcp\r\n"},
		{"yaml map, a deeper block at the end", "goose",
			"é: [ü]\nextensions:\n  lspi:\n    cmd: \"lspi\"\n    args:\n      - 'mcp'\n\n      - x", ReadOnly,
			"é: [ü]\nextensions:\n  lspi:\n    cmd: \"lspi\"\n    args:\n      - mcp\n      - \"--read-only\"\n      - x"},
		{"yaml, a path that is gone", "goose", "extensions:\n  lspi: {cmd: /gone/lspi, args: [mcp, # c ]\n   'x']}\n",
			ReadOnly,
			"extensions:\n  lspi: {cmd: lspi, args: [\"mcp\", \"--read-only\", \"x\"]}\n"},
		{"codex, inline", "codex", "[mcp_servers]\nlspi = { command = \"lspi\", args = [\"mcp\"] } # c\n", ReadOnly,
			"[mcp_servers]\nlspi = { command = \"lspi\", args = [\"mcp\", \"--context\", \"codex\"] } # c\n"},
		{"vibe, a path that is gone", "vibe",
			"[[mcp_servers]]\ncommand = \"o\"\nname = \"o\"\n[[mcp_servers]]\ncommand = \"/gone/lspi\"\nname = \"lspi\"\nargs = [\"mcp\"]\n", DefaultRights,
			"[[mcp_servers]]\ncommand = \"o\"\nname = \"o\"\n[[mcp_servers]]\ncommand = \"lspi\"\nname = \"lspi\"\nargs = [\"mcp\"]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t)
			file := p.File(Find(c.host), User)
			put(t, file, c.before)
			write(t, p, c.host, User, c.rights)
			want := c.want
			if want == "" {
				want = c.before
			}
			testkit.Equal(t, read(t, file), want, c.name)
		})
	}
}

// Undo takes out the entry also when the host has written the file anew, or the user has added to the entry.
func TestUndoFindsTheEntry(t *testing.T) {
	for _, c := range []struct{ name, host, now, want string }{
		{"vibe writes it anew", "vibe",
			"a = 1\n\n[[mcp_servers]]\nname = \"o\"\n\n[[mcp_servers]]\nname = \"lspi\"\ncommand = \"lspi\"\nargs = [\n    \"mcp\",\n]\n\n[[mcp_servers]]\nname = \"z\"\n",
			"a = 1\n\n[[mcp_servers]]\nname = \"o\"\n\n[[mcp_servers]]\nname = \"z\"\n"},
		{"vibe writes it inline", "vibe",
			"mcp_servers = [\n    { name = \"o\" },\n    { name = \"lspi\", command = \"lspi\", args = [\"mcp\"] },\n]\nb = 1\n", "mcp_servers = [\n    { name = \"o\" },\n]\nb = 1\n"},
		{"the last inline", "vibe",
			"mcp_servers = [{ name = \"o\" }, { name = \"lspi\", command = \"lspi\", args = [\"mcp\"] }]\n",
			"mcp_servers = [{ name = \"o\" }]\n"},
		{"the first inline", "vibe",
			"mcp_servers = [{ command = \"lspi\", name = \"lspi\", args = [\"mcp\"] }, { name = \"o\" }]\n",
			"mcp_servers = [{ name = \"o\" }]\n"},
		{"the only one inline", "vibe",
			"mcp_servers = [ { name = \"lspi\", command = \"lspi\", args = [\"mcp\"] } ] # c\n",
			"mcp_servers = [  ] # c\n"},
		{"a table of the array's table", "vibe",
			"[[mcp_servers]]\nname = \"lspi\"\ncommand = \"lspi\"\nargs = [\"mcp\"]\n[mcp_servers.env]\nA = \"b\"\n[x]\n", "[x]\n"},
		{"a line more", "codex",
			"a = 1\n\n[mcp_servers.lspi]\ncommand = \"lspi\"\nstartup_timeout_sec = 9 # slow\nargs = [\"mcp\"]\n\n# about o\n[mcp_servers.o]\ncommand = \"o\"\n",
			"a = 1\n\n# about o\n[mcp_servers.o]\ncommand = \"o\"\n"},
		{"a table more", "codex",
			"[mcp_servers.lspi]\r\ncommand = \"lspi\"\r\nargs = [\"mcp\"]\r\n\r\n[mcp_servers.o]\r\n\r\n[mcp_servers.lspi.env]\r\nA = \"\"\"b\r\n\"\"\"\r\n", "\r\n[mcp_servers.o]\r\n"},
		{"inline in its table", "codex",
			"[mcp_servers]\nlspi = { command = \"lspi\", args = [\"mcp\"] }\no = { command = \"o\" }\n",
			"[mcp_servers]\no = { command = \"o\" }\n"},
		{"all inline", "codex",
			"mcp_servers = { o = { command = \"o\" }, lspi = { command = \"lspi\", args = [\"mcp\"] } }\n",
			"mcp_servers = { o = { command = \"o\" } }\n"},
		{"dotted", "codex",
			"mcp_servers.lspi.command = \"lspi\"\nmcp_servers.lspi.args = [\"mcp\"]\nmcp_servers.o.command = \"o\"\n",
			"mcp_servers.o.command = \"o\"\n"},
		{"goose sorts", "goose",
			"GOOSE: x\nextensions:\n  dev:\n    type: builtin\n  lspi:\n    args:\n    - mcp\n    cmd: lspi\n    enabled: true\n  zz:\n    type: builtin\nz: 1\n", "GOOSE: x\nextensions:\n  dev:\n    type: builtin\n  zz:\n    type: builtin\nz: 1\n"},
		{"the only one of goose", "goose",
			"extensions: # all\n  lspi:\n    args: [mcp]\n    cmd: lspi\n\n# about z\nz: 1\n", "\n# about z\nz: 1\n"},
		{"the only one of goose in what was there", "goose",
			"extensions: # all\n  lspi:\n    args: [mcp]\n    cmd: lspi\n\n# about z\nz: 1\n",
			"extensions: {} # all\n\n# about z\nz: 1\n"},
		{"a list", "cn",
			"mcpServers:\n  - name: o\n    command: o\n  - command: lspi\n    args:\n      - mcp\n    env:\n      A: |\n        b\n\n        c\n    name: lspi\n# end\n", "mcpServers:\n  - name: o\n    command: o\n# end\n"},
		{"a list whose dashes stand alone", "cn",
			"mcpServers:\n-\n  name: lspi\n  command: lspi\n  args: [\"mcp\"]\n- name: o\n",
			"mcpServers:\n- name: o\n"},
		{"the only one of a list", "cn", "a: 1\nmcpServers:\n- name: lspi\n  command: lspi\n  args: [\"mcp\"]",
			"a: 1\nmcpServers: []\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t)
			file := p.File(Find(c.host), User)
			before := "\n"
			if strings.HasSuffix(c.name, "in what was there") {
				before = "extensions: {}\n"
			}
			put(t, file, before)
			write(t, p, c.host, User, DefaultRights)
			put(t, file, c.now)
			for _, u := range undo(t, p) {
				testkit.Must(t, u.Err)
			}
			testkit.Equal(t, read(t, file), c.want, "undo")
		})
	}
}

// Undo gives an entry that was there before setup its own program again, also when others changed the file since.
func TestUndoRestoresAnEntryThatWasThere(t *testing.T) {
	for _, c := range []struct{ host, before, elsewhere string }{
		{"gemini", "{\"mcpServers\": {\"lspi\": {\"command\": \"/gone/lspi\", \"args\": [\"mcp\"]}}}", "// end\n"},
		{"codex", "[mcp_servers.lspi]\ncommand = \"/gone/lspi\"\nargs = [\"mcp\"]\n", "[b]\n"},
		{"cn", "mcpServers:\n  - name: lspi\n    command: \"/gone/lspi\" # c\n    args: [\"mcp\"]\n", "z: 1\n"},
		{"goose", "extensions:\n  lspi:\n    cmd: \"/gone/lspi\"\n    args:\n      - mcp\n", "z: 1\n"},
		{"opencode", "{\"mcp\": {\"lspi\": {\"type\": \"local\", \"command\": [\"/gone/lspi\", \"mcp\"]}}}",
			"// end\n"},
	} {
		p := place(t)
		file := p.File(Find(c.host), User)
		put(t, file, c.before)
		write(t, p, c.host, User, ReadOnly)
		changed := read(t, file)
		if changed == c.before {
			t.Fatalf("%s: setup changed nothing", c.host)
		}
		put(t, file, changed+c.elsewhere)
		for _, u := range undo(t, p) {
			testkit.Must(t, u.Err)
		}
		testkit.Equal(t, read(t, file), c.before+c.elsewhere, c.host)
	}
}

// Codex gets read-only tools; an entry with all of them stays as its user wrote it, and that is told.
func TestEntryWithAllToolsIsTold(t *testing.T) {
	p := place(t)
	for args, told := range map[string]bool{`["mcp"]`: true, `["mcp", "--context", "codex"]`: false,
		`["mcp", "--context", "full"]`: false} {
		put(t, p.File(Find("codex"), User), "[mcp_servers.lspi]\ncommand = \"lspi\"\nargs = "+args+"\n")
		c, err := p.Plan(Find("codex"), User, DefaultRights)
		testkit.Must(t, err)
		if (len(c.Notes) > 0) != told || c.Diff != "" {
			t.Errorf("%s: %q\n%s", args, c.Notes, c.Diff)
		}
	}
}

// A file that cannot be edited is refused with a place and what to do, and stays as it is.
func TestFilesThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, host, before string
		want               []string
	}{
		{"broken JSON", "gemini", "{\n  \"a\": 1\n  \"b\": 2\n}", []string{"line 3", "mend the file"}},
		{"comments in strict JSON", "cline", "{\n  // no\n  \"a\": 1\n}", []string{"line 2", "without comments"}},
		{"a key twice", "gemini", "{\n  \"a\": 1,\n  \"a\": 2\n}", []string{"line 3", "stands twice"}},
		{"a list", "gemini", "[]", []string{"no JSON object"}},
		{"servers are a list", "gemini", "{\n  \"mcpServers\": []\n}", []string{"line 2", "no object"}},
		{"UTF-16", "gemini", "\xff\xfe{\x00}\x00", []string{"line 1"}},
		{"broken TOML", "codex", "a = 1\nb = \n", []string{"line 2", "mend the file"}},
		{"TOML of another type", "codex", "a = 1\nmcp_servers = 3\n",
			[]string{"line 2", "is no table", "mend the file"}},
		{"TOML that is no array", "vibe", "mcp_servers = { o = 1 }\n", []string{"line 1", "no array of tables",
			"mend the file"}},
		{"broken YAML", "goose", "a: b: c\n", []string{"line 1", "mend the file"}},
		{"YAML documents", "goose", "a: 1\n---\nb: 1\n", []string{"several YAML documents"}},
		{"flow YAML", "cn", "mcpServers: [{name: o, command: c}]\n", []string{"line 1", "as a block"}},
		{"an anchor in YAML", "goose",
			"extensions:\n  lspi:\n    cmd: &c /gone/lspi\n    args: [mcp]\n  o:\n    cmd: *c\n",
			[]string{"line 3", "by hand"}},
		{"folded YAML", "goose", "extensions:\n  lspi:\n    args: [mcp]\n    cmd: >-\n      /gone/lspi\n",
			[]string{"line 4", "by hand"}},
		{"an entry by reference", "goose", "x: &x {cmd: /gone/lspi, args: [mcp]}\nextensions:\n  lspi: *x\n",
			[]string{"by hand"}},
		{"another program", "gemini", `{"mcpServers": {"lspi": {"command": "other", "args": ["mcp"]}}}`,
			[]string{"starts \"other mcp\"", "remove or rename"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t)
			file := p.File(Find(c.host), User)
			put(t, file, c.before)
			_, err := p.Plan(Find(c.host), User, DefaultRights)
			if err == nil {
				t.Fatal("it was not refused")
			}
			testkit.Holds(t, err.Error(), filepath.Base(file))
			for _, want := range c.want {
				testkit.Holds(t, err.Error(), want)
			}
			testkit.Equal(t, read(t, file), c.before, "the file")
		})
	}
}

// A link is written through, one that leads out of a project is not, and what is read-only stays so.
func TestLinksAndRights(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	p := place(t)
	file, target := p.File(Find("gemini"), User), filepath.Join(p.User.Home, "dotfiles", "gemini.json")
	put(t, target, "{}\n")
	testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	testkit.Must(t, os.Symlink("../dotfiles/gemini.json", file))
	write(t, p, "gemini", User, DefaultRights)
	testkit.Holds(t, read(t, target), `"lspi"`)
	if to, err := os.Readlink(file); err != nil || to != "../dotfiles/gemini.json" {
		t.Errorf("the link is gone: %q %v", to, err)
	}
	undo(t, p)
	testkit.Equal(t, read(t, target), "{}\n", "undo")

	testkit.Must(t, os.Symlink(target, filepath.Join(p.Project, ".mcp.json")))
	if _, err := p.Plan(Find("claude"), Project, DefaultRights); err == nil ||
		!strings.Contains(err.Error(), "out of the project") {
		t.Errorf("a link out of the project: %v", err)
	}
	testkit.Must(t, os.Chmod(target, 0o400))
	if _, err := p.Plan(Find("gemini"), User, DefaultRights); err == nil ||
		!strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only file: %v", err)
	}
}

// Several setups at once leave whole files, and one entry each.
func TestAtOnce(t *testing.T) {
	p := place(t)
	put(t, p.File(Find("gemini"), User), "{\n  \"a\": 1\n}\n")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, name := range []string{"gemini", "codex", "cursor"} {
				if c, err := p.Plan(Find(name), User, DefaultRights); err != nil {
					t.Error(err)
				} else if _, err := p.Write(context.Background(), c); err != nil &&
					!strings.Contains(err.Error(), errMoved.Error()) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, name := range []string{"gemini", "codex", "cursor"} {
		c, err := p.Plan(Find(name), User, DefaultRights)
		if err != nil || c.Diff != "" {
			t.Errorf("%s: %v\n%s", name, err, c.Diff)
		}
	}
	for _, u := range undo(t, p) {
		testkit.Must(t, u.Err)
	}
	testkit.Equal(t, read(t, p.File(Find("gemini"), User)), "{\n  \"a\": 1\n}\n", "undo")
	left, err := filepath.Glob(filepath.Join(p.User.Home, "*", ".lspi-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A file that changed since the plan gets the same change all the same; where that would be another one, it is refused.
func TestFilesThatChangeBeforeTheyAreWritten(t *testing.T) {
	for _, c := range []struct {
		name, host, before, meanwhile string
		want                          string // of the text after; "" where it is refused
	}{
		{"another key", "gemini", "{}\n", "{\n  \"a\": 1\n}\n", "\"a\": 1,\n  \"mcpServers\": {\n    \"lspi\""},
		{"a file that is new", "codex", "", "a = 1\n", "a = 1\n\n[mcp_servers.lspi]"},
		{"the same entry", "codex", "",
			"[mcp_servers.lspi]\ncommand = \"lspi\"\nargs = [\"mcp\", \"--context\", \"codex\"]\n", "\"codex\"]\n"},
		{"another entry", "gemini", "{}\n", "{\"mcpServers\": {\"lspi\": {\"command\": \"other\"}}}\n", ""},
		{"an entry that would be changed", "gemini", "{}\n",
			"{\"mcpServers\": {\"lspi\": {\"command\": \"/gone/lspi\", \"args\": [\"mcp\"]}}}\n", ""},
		{"a broken file", "gemini", "{}\n", "{", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t)
			file := p.File(Find(c.host), User)
			if c.before != "" {
				put(t, file, c.before)
			}
			change, err := p.Plan(Find(c.host), User, DefaultRights)
			testkit.Must(t, err)
			put(t, file, c.meanwhile)
			_, err = p.Write(t.Context(), change)
			if c.want == "" {
				if err == nil || !strings.Contains(err.Error(), errMoved.Error()) {
					t.Errorf("%v", err)
				}
				testkit.Equal(t, read(t, file), c.meanwhile)
				return
			}
			testkit.Must(t, err)
			testkit.Holds(t, read(t, file), c.want)
			for _, u := range undo(t, p) {
				testkit.Must(t, u.Err)
			}
			testkit.Equal(t, read(t, file), c.meanwhile, "undo")
		})
	}
	p := place(t)
	all, err := p.PlanSection(Project)
	testkit.Must(t, err)
	put(t, all[0].File, "# Mine\n")
	_, err = p.Write(t.Context(), all[0])
	testkit.Must(t, err)
	testkit.Holds(t, read(t, all[0].File), "# Mine\n\n"+sectionBegin)
}

// keeps holds that a text with an entry in it has all of the text before, in order and byte for byte but for a
// comma, and that removing gives that back.
func keeps(t *testing.T, h *Host, before []byte) {
	t.Helper()
	if bytes.HasPrefix(before, mark) || blank(before) {
		return
	}
	tree, err := h.form.decode(before)
	if err != nil || h.form.find(tree, h.path) != nil {
		return
	}
	c := &Change{before: before, existed: true}
	p := Place{Executable: "/opt/lspi"}
	if p.edit(c, h, DefaultRights) != nil {
		return // refused, which changes nothing
	}
	rest := before
	if _, ok := h.form.(yamlMap); ok {
		rest = bytes.ReplaceAll(rest, []byte("{}"), nil) // which becomes a block
	}
	for _, b := range c.after { // before is a subsequence of after
		if len(rest) > 0 && rest[0] == b {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 {
		t.Fatalf("%q became %q, without %q", before, c.after, rest)
	}
	for _, added := range []string{c.added, ""} { // "" is as when the text that was put in is not there any more
		r := record{Kind: kindEntry, Host: h.Name, Added: added}
		if left, err := withoutHost(c.after, r); err == nil {
			again, err := h.form.decode(left)
			if err != nil || !reflect.DeepEqual(withoutEntry(h, tree), withoutEntry(h, again)) {
				t.Fatalf("%q became %q, and after undo %q: %v", before, c.after, left, err)
			}
		} else if !strings.Contains(h.file(Place{}), ".yaml") { // whose lines a lone carriage return ends, too
			t.Fatalf("%q became %q, and undo said %v", before, c.after, err)
		}
	}
}

// mends holds that a change of rights leaves all but the entry as it is, and can be made back.
func mends(t *testing.T, h *Host, before []byte) {
	t.Helper()
	p := Place{Executable: "/opt/lspi"}
	edited := func(text []byte, rights Rights) ([]byte, *Entry) {
		c := &Change{before: text, existed: true}
		tree, err := h.form.decode(withoutMark(text))
		if err != nil || h.form.find(tree, h.path) == nil || p.edit(c, h, rights) != nil {
			return nil, nil // refused, which changes nothing
		}
		left, err := h.form.decode(withoutMark(c.after))
		testkit.Must(t, err)
		if !reflect.DeepEqual(withoutEntry(h, tree), withoutEntry(h, left)) {
			t.Fatalf("%q became %q", text, c.after)
		}
		return c.after, entryOf(h.form.find(left, h.path))
	}
	writes, was := edited(before, ReadWrite)
	if was == nil {
		return
	}
	reads, _ := edited(writes, ReadOnly)
	if _, again := edited(reads, ReadWrite); reads != nil && (again == nil || again.Line() != was.Line()) {
		t.Fatalf("%q became %q, and that is not made back: %v", writes, reads, again)
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{"{}", "{\"a\":1}", "// c\n{\"mcpServers\": {\"x\": {}, // y\n}, }",
		"{\r\n\t\"mcpServers\":{\"a\":1}/*z*/}", "{\n \"mcpServers\"\n:\n{\n}\n}", " \n", "{\"mcpServers\":null}",
		"{\"a\":\n1 // x\n, \"b\": 2\n}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { keeps(t, Find("gemini"), text) })
}

func FuzzTOML(f *testing.F) {
	for _, s := range []string{"", "a=1", "[mcp_servers]\n", "[mcp_servers.a]\ncommand='x'\n# end",
		"[[mcp_servers]]\nname='a'", "mcp_servers.a.command = \"x\"\n", "a = \"\"\"\nx\r\n\"\"\"", "mcp_servers=[]",
		"mcp_servers = [\n {name='a', b={c=1}}, # d\n]#", "mcp_servers={a={b=1},c.d=2}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		keeps(t, Find("codex"), text)
		keeps(t, Find("vibe"), text)
	})
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{"", "a: 1", "mcpServers:\n- name: a\n", "extensions:\n  a: {}\n# end", "extensions:\n",
		"mcpServers: []\n", "extensions: # c\n\n   a: 1\n",
		"extensions:\n  lspi:\n    cmd: lspi\n    args:\n    - mcp # c\n    x: 1\n  o: {}\n",
		"mcpServers:\n- name: lspi\n  command: 'lspi'\n  args: [mcp, \"a#\"] # c\n- name: o\n",
		"extensions: {lspi: {cmd: lspi, args: [mcp, it's]}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, host := range []string{"cn", "goose"} {
			keeps(t, Find(host), text)
			mends(t, Find(host), text)
		}
	})
}
