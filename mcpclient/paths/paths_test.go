package paths

import (
	"encoding/json"
	"testing"

	"lspi/internal/testkit"
)

// Two trees, roots within roots on both sides, and roots whose URIs are escaped.
func roots(t testing.TB) Map {
	t.Helper()
	m, err := New(map[string]string{
		"/srv/app":        "/home/me/app",
		"/srv/app/vendor": "/home/me/vendor",
		"/big":            "/big/local", // the local root lies below the remote one
		"/data/a b":       "/home/me/ä",
		"/w/":             "/home/me/app/sub/",
	})
	testkit.Must(t, err)
	return m
}

func TestToRemote(t *testing.T) {
	m := roots(t)
	for local, remote := range map[string]string{
		"/home/me/app":                "/srv/app",
		"/home/me/app/":               "/srv/app/",
		"/home/me/app/x.go":           "/srv/app/x.go",
		"/home/me/app/sub/x.go":       "/w/x.go",
		"/home/me/vendor/x":           "/srv/app/vendor/x",
		"/home/me/apple":              "/home/me/apple",
		"/home/me":                    "/home/me",
		"x /home/me/app":              "x /home/me/app",
		"file:///home/me/app/x.go":    "file:///srv/app/x.go",
		"file:///home/me/app":         "file:///srv/app",
		"file:///home/me/apple":       "file:///home/me/apple",
		"file:///home/me/%C3%A4/x":    "file:///data/a%20b/x",
		"/home/me/ä/x":                "/data/a b/x",
		"/big/local/x":                "/big/x",
		"/big/x":                      "/big/x",
		"https://home/me/app":         "https://home/me/app",
		"file://localhost/home/me/ap": "file://localhost/home/me/ap",
		"":                            "",
	} {
		testkit.Equal(t, m.ToRemote(local), remote, local)
	}
}

func TestToLocal(t *testing.T) {
	m := roots(t)
	for remote, local := range map[string]string{
		"/srv/app":                       "/home/me/app",
		"/srv/app/vendor/x":              "/home/me/vendor/x",
		"/srv/app/vendors":               "/home/me/app/vendors",
		"/srv/apple":                     "/srv/apple",
		"/x/srv/app":                     "/x/srv/app",
		"see /srv/app/a.go:3, /w/b.":     "see /home/me/app/a.go:3, /home/me/app/sub/b.",
		"in /srv/app. Then":              "in /home/me/app. Then",
		"/srv/app.old /srv/app-2":        "/srv/app.old /srv/app-2",
		"(/srv/app) [\"/srv/app\"]":      "(/home/me/app) [\"/home/me/app\"]",
		"A=/srv/app:/big/bin":            "A=/home/me/app:/big/local/bin",
		"file:///srv/app/a.go":           "file:///home/me/app/a.go",
		"file:///data/a%20b/x, /w":       "file:///home/me/%C3%A4/x, /home/me/app/sub",
		"/data/a b/x":                    "/home/me/ä/x",
		"https://h/srv/app https://srv/": "https://h/srv/app https://srv/",
		"../srv/app ./srv/app ~/srv/app": "../srv/app ./srv/app ~/srv/app",
		"/big/local/x":                   "/big/local/local/x",
		"é/srv/app":                      "é/srv/app",
		"“/srv/app”":                     "“/home/me/app”",
	} {
		testkit.Equal(t, m.ToLocal(remote), local, remote)
	}
}

func TestJSON(t *testing.T) {
	m := roots(t)
	sent := `{ "z":12345678901234567890, "files" : {"/srv/app/a":["/w", "\u002fw\/x"]}, "text":"at /srv/app\n", "data":"AAAA/w", "e":1e400,"d":{"data":"/w/x"}, "u":"\ud800" }`
	want := `{ "z":12345678901234567890, "files" : {"/home/me/app/a":["/home/me/app/sub", "/home/me/app/sub/x"]}, "text":"at /home/me/app\n", "data":"AAAA/w", "e":1e400,"d":{"data":"/home/me/app/sub/x"}, "u":"\ud800" }`
	testkit.Equal(t, string(m.In([]byte(sent))), want, "in")
	testkit.Equal(t, string(m.Out(json.RawMessage(`{"path":"/home/me/app/x","n":1.0,"q":"in /home/me/app"}`))), `{"path":"/srv/app/x","n":1.0,"q":"in /home/me/app"}`, "out")
	for _, same := range []string{``, `{`, `null`, `"a"`, `{"a":1}`} {
		testkit.Equal(t, string(m.In([]byte(same))), same, "unchanged")
	}
	var none Map
	testkit.Equal(t, string(none.Out([]byte(`"/srv/app"`))), `"/srv/app"`, "no roots")
}

// What a map takes to the remote side comes back as it was.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"/home/me/app/x", "/home/me/vendor", "/home/me/ä b", "/big/local/x y"} {
		f.Add(s)
	}
	m := roots(f)
	f.Fuzz(func(t *testing.T, s string) {
		remote := m.ToRemote(s)
		if remote == s {
			return
		}
		// Another path within the same string is mapped as well, and it was remote before.
		if back := m.ToLocal(remote); back != s && m.ToLocal(s[1:]) == s[1:] {
			t.Errorf("%q became %q and then %q", s, remote, back)
		}
	})
}

func TestRefused(t *testing.T) {
	for _, bad := range []map[string]string{{"/": "/a"}, {"/a": "/"}, {"a": "/b"}, {"/a": "b"}, {"": "/b"}} {
		if _, err := New(bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}
