package paths

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// windows are trees of a Windows machine, one within the other, beside one of a machine like this.
func windows(t testing.TB) Map {
	t.Helper()
	m, err := New(map[string]string{
		`C:\src\x`:        "/home/me/x",
		`c:/src/x/vendor`: "/home/me/vendor",
		`D:\a b\`:         "/home/me/ä b",
		"/srv/app":        "/home/me/x/sub",
	})
	testkit.Must(t, err)
	return m
}

func TestToWindows(t *testing.T) {
	m := windows(t)
	for local, remote := range map[string]string{
		"/home/me/x":                          `C:\src\x`,
		"/home/me/x/a b/c.go":                 `C:\src\x\a b\c.go`,
		"/home/me/x/a.go:3":                   `C:\src\x\a.go:3`,
		"/home/me/x/run --url http://h/y":     `C:\src\x\run --url http://h/y`,
		"/home/me/xy":                         "/home/me/xy",
		"/home/me/vendor/y":                   `c:\src\x\vendor\y`,
		"/home/me/x/sub/y":                    "/srv/app/y",
		"/home/me/x/odd\\name":                "/home/me/x/odd\\name", // Windows has no such name
		"file:///home/me/x/a%20b/c.go":        "file:///C:/src/x/a%20b/c.go",
		"file:///home/me/%C3%A4%20b/c.go":     "file:///D:/a%20b/c.go",
		"file:///home/me/x/sub/c.go":          "file:///srv/app/c.go",
		"file://localhost/home/me/x/sub/c.go": "file:///srv/app/c.go",
		"file://localhost/home/me/x/c.go":     "file:///C:/src/x/c.go",
	} {
		testkit.Equal(t, m.ToRemote(local), remote, local)
	}
}

func TestFromWindows(t *testing.T) {
	m := windows(t)
	for remote, local := range map[string]string{
		`C:\src\x`:                                    "/home/me/x",
		`c:\SRC\x\a\b.go`:                             "/home/me/x/a/b.go",
		`C:\src\x\my dir\b.go`:                        "/home/me/x/my dir/b.go",
		`C:\src\x\my dir\b.go:3: is no a\b`:           `/home/me/x/my dir/b.go:3: is no a\b`,
		`C:/src/x/a/b.go`:                             "/home/me/x/a/b.go",
		`C:\src\x\vendor\b.go`:                        "/home/me/vendor/b.go",
		`C:\src\xy`:                                   `C:\src\xy`,
		`C:\src\x.old`:                                `C:\src\x.old`,
		`in C:\src\x. Then`:                           "in /home/me/x. Then",
		`see C:\src\x\a\b.go:3:1, C:\src\x\c\d.`:      "see /home/me/x/a/b.go:3:1, /home/me/x/c/d.",
		`see C:\src\x\a\b.go and not c\d`:             `see /home/me/x/a/b.go and not c\d`,
		`"C:\src\x\my dir\b.go" is not c\d`:           `"/home/me/x/my dir/b.go" is not c\d`,
		`AC:\src\x\a`:                                 `AC:\src\x\a`,
		`{"p":"C:\\src\\x\\my dir\\b.go\n"}`:          `{"p":"/home/me/x/my dir/b.go\n"}`,
		`C:\\src\\x\\a\\b.go\n`:                       `/home/me/x/a/b.go\n`,
		"file:///C:/src/x/a%20b.go":                   "file:///home/me/x/a%20b.go",
		"file:///c%3A/src/x/a.go, file:///c%3a/src/x": "file:///home/me/x/a.go, file:///home/me/x",
		"file:///d%3A/a%20b/c.go":                     "file:///home/me/%C3%A4%20b/c.go",
		`D:\a b\c\d.go`:                               "/home/me/ä b/c/d.go",
		"/srv/app/a":                                  "/home/me/x/sub/a",
		`E:\src\x\a`:                                  `E:\src\x\a`,
		`https://h/C:/src/x`:                          `https://h/C:/src/x`,
	} {
		testkit.Equal(t, m.ToLocal(remote), local, remote)
	}
	sent := `{"file_path":"C:\\src\\x\\a\\b.go","uri":"file:///c%3A/src/x/a","text":"{\"p\":\"C:\\\\src\\\\x\\\\a\\\\b.go\"}"}`
	want := `{"file_path":"/home/me/x/a/b.go","uri":"file:///home/me/x/a","text":"{\"p\":\"/home/me/x/a/b.go\"}"}`
	testkit.Equal(t, string(m.In(json.RawMessage(sent))), want, "JSON, and JSON in JSON")
	testkit.Equal(t, string(m.Out(json.RawMessage(`{"file_path":"/home/me/x/a/b.go"}`))), `{"file_path":"C:\\src\\x\\a\\b.go"}`, "JSON")
}

// Where lspi runs on Windows, what comes to it has slashes: they need no escape in a text that is JSON.
func TestWindowsIsLocal(t *testing.T) {
	m, err := New(map[string]string{"/srv/app": `C:\w\app`, `D:\there`: `C:\w\here`})
	testkit.Must(t, err)
	testkit.Equal(t, m.ToRemote(`C:\w\app\a\b.go`), "/srv/app/a/b.go")
	testkit.Equal(t, m.ToRemote(`c:/w/app/a`), "/srv/app/a")
	testkit.Equal(t, m.ToRemote(`file:///c%3A/w/app/a`), "file:///srv/app/a")
	testkit.Equal(t, m.ToRemote(`C:/w/here/a`), `D:\there\a`)
	testkit.Equal(t, m.ToLocal(`{"p":"/srv/app/a/b.go"}`), `{"p":"C:/w/app/a/b.go"}`)
	testkit.Equal(t, m.ToLocal(`{"p":"D:\\there\\a"}`), `{"p":"C:/w/here/a"}`)
	testkit.Equal(t, m.ToLocal("file:///srv/app/a"), "file:///C:/w/app/a")
}

// What goes there and back is as it was: any path of this machine whose names Windows can have, as a path, as a URI, in a sentence with quotes, and in
// JSON within JSON; and any path of the Windows machine.
func TestThereAndBack(t *testing.T) {
	m := windows(t)
	r := rand.New(rand.NewPCG(13, 8))
	letters := []rune("abcXYZ019._-+~@%$ ,;=()[]{}!&'`#äß日€\u0301")
	name := func() string {
		var b strings.Builder
		b.WriteRune('n')
		for range r.IntN(8) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		b.WriteRune('e')
		return b.String()
	}
	for range 5000 {
		var names []string
		for range 1 + r.IntN(4) {
			names = append(names, name())
		}
		for _, tree := range []struct{ local, remote string }{{"/home/me/x", `C:\src\x`}, {"/home/me/ä b", `D:\a b`}, {"/home/me/vendor", `c:\src\x\vendor`}} {
			local, remote := tree.local+"/"+strings.Join(names, "/"), tree.remote+`\`+strings.Join(names, `\`)
			if there := m.ToRemote(local); there != remote || m.ToLocal(there) != local || m.ToRemote(m.ToLocal(remote)) != remote {
				t.Fatalf("%q became %q, and that %q", local, there, m.ToLocal(there))
			}
			uri := "file://" + (&url.URL{Path: local}).EscapedPath()
			if there := m.ToRemote(uri); !strings.HasPrefix(strings.ToLower(there), "file:///"+strings.ToLower(tree.remote[:2])) || m.ToLocal(there) != uri {
				t.Fatalf("%q became %q, and that %q", uri, there, m.ToLocal(there))
			}
			within, err := json.Marshal(map[string]string{"p": remote})
			testkit.Must(t, err)
			var back map[string]string
			testkit.Must(t, json.Unmarshal([]byte(m.ToLocal(string(within))), &back))
			testkit.Equal(t, back["p"], local, string(within))
			testkit.Equal(t, m.ToLocal(`open "`+remote+`" failed`), `open "`+local+`" failed`)
			raw, err := json.Marshal(local)
			testkit.Must(t, err)
			var same string
			testkit.Must(t, json.Unmarshal(m.In(m.Out(raw)), &same))
			testkit.Equal(t, same, local, "JSON")
		}
		if t.Failed() {
			return
		}
	}
}

func TestWindowsRefused(t *testing.T) {
	for remote, local := range map[string]string{`C:\`: "/a", `C:`: "/a", `C:src`: "/a", `\\server\share\x`: "/a", `\src`: "/a", "/a": `D:/`, `C:\a\..`: "/b"} {
		if _, err := New(map[string]string{remote: local}); err == nil || !strings.Contains(err.Error(), `C:\src\app`) {
			t.Errorf("%s = %s: %v", remote, local, err)
		}
	}
}
