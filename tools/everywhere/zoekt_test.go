package everywhere

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// engine is a scripted zoekt-webserver -rpc, whose answers have the members of zoekt's api.go.
func engine(t *testing.T, status int, answer string) (e Engine, asked *string) {
	t.Helper()
	asked = new(string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		*asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + string(raw)
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(s.Close)
	return Engine{URL: s.URL + "/", Token: "secret"}, asked
}

// line is a LineMatch.
func line(n, offset int, text, symbol string) string {
	if symbol != "" {
		symbol = `,"SymbolInfo":` + symbol
	}
	return fmt.Sprintf(`{"Line":%q,"LineNumber":%d,"LineFragments":[{"LineOffset":%d,"MatchLength":3%s}]}`,
		base64.StdEncoding.EncodeToString([]byte(text)), n, offset, symbol)
}

func TestSearch(t *testing.T) {
	e, asked := engine(t, 200, `{"Result":{"FileCount":3,"Files":[
		{"FileName":"a.go","Repository":"github.com/me/here","Version":"aaa","LineMatches":[`+line(1, 0, "Run()", "")+`]},
		{"FileName":"b.go","Repository":"github.com/me/b","Version":"bbb","LineMatches":[`+line(7, 3, "é Run()\n", "")+`]},
		{"FileName":"c/d.go","Repository":"github.com/me/c","Version":"ccc","LineMatches":[`+
		line(3, 5, "func Run() {", `{"Kind":"function","Parent":"Server"}`)+`,`+line(9, 1, "\tRun()", "")+`,
			{"FileName":true,"LineNumber":0,"LineFragments":[{}]}]}]}}`)
	got, err := e.Search(t.Context(), UsesOf("Run"), "github.com/me/here")
	testkit.Must(t, err)
	testkit.Diff(t, &Found{Matches: 3, Files: 2, Returned: 3, Repositories: []Repository{
		{"github.com/me/c", "ccc", 2, []File{{"c/d.go", []string{"3:6 [function in Server] func Run() {", "9:2 Run()"}}}},
		{"github.com/me/b", "bbb", 1, []File{{"b.go", []string{"7:3 é Run()"}}}},
	}}, got)
	method, rest, _ := strings.Cut(*asked, " {")
	testkit.Equal(t, method, "POST /api/search Bearer secret")
	var sent struct{ Q string }
	testkit.Must(t, json.Unmarshal([]byte("{"+rest), &sent))
	testkit.Equal(t, sent.Q, `case:yes content:\bRun\b`)
}

// What the engine has not looked at, and what is not shown, is told.
func TestCutSearch(t *testing.T) {
	var lines, files []string
	for n := range 8 {
		lines = append(lines, line(n+1, 0, "Run()", ""))
	}
	for n := range 20 {
		files = append(files, fmt.Sprintf(`{"FileName":"%d.go","Repository":"r%d","LineMatches":[%s]}`, n, n%2,
			strings.Join(lines, ",")))
	}
	all := strings.Join(files, ",")
	for _, c := range []struct{ rest, want string }{
		{`"FileCount":20`, "60 of 160 matches are shown"},
		{`"FileCount":90`, "more files than the 20"},
		{`"FileCount":20,"FilesSkipped":4`, "more files than the 20"},
		{`"FileCount":20,"ShardsSkipped":2`, "not looked into all of its repositories"},
		{`"FileCount":20,"Crashes":1`, "not looked into all of its repositories"},
	} {
		e, _ := engine(t, 200, `{"Result":{`+c.rest+`,"Files":[`+all+`]}}`)
		got, err := e.Search(t.Context(), UsesOf("Run"), "")
		testkit.Must(t, err)
		if !strings.Contains(got.Cut, c.want) || got.Returned != maxShown || got.Matches != 160 {
			t.Errorf("%s: %q, %d of %d; want %q", c.rest, got.Cut, got.Returned, got.Matches, c.want)
		}
	}
}

// An engine that is none, or refuses, is an error with its address.
func TestFailedSearch(t *testing.T) {
	for _, c := range []struct {
		status       int
		answer, want string
	}{
		{404, "404 page not found", "is no JSON API of Zoekt"},
		{200, "<html>", "is no JSON API of Zoekt"},
		{200, `{}`, "is no JSON API of Zoekt"},
		{400, `{"Error":"parse error at 3"}`, "refused the search: parse error at 3"},
	} {
		e, _ := engine(t, c.status, c.answer)
		if _, err := e.Search(t.Context(), "x", ""); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), e.URL) {
			t.Errorf("%d %s: %v; want %q", c.status, c.answer, err, c.want)
		}
	}
	gone := Engine{URL: "http://127.0.0.1:1"}
	if _, err := gone.Search(t.Context(), "x", ""); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:1") {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestNames(t *testing.T) {
	for address, want := range map[string]string{
		"git@github.com:me/app.git": "github.com/me/app", "https://user:pw@git.example.com:8443/a/b/c.git/": "git.example.com/a/b/c",
		"ssh://git@host/a/b": "host/a/b", "https://github.com/me/app": "github.com/me/app", "/srv/git/app.git": "", "../app": "",
	} {
		testkit.Equal(t, named(address), want, address)
	}
	for name, want := range map[string]string{"(*Server).Run": "Run", "ns::Type::f": "f", "run": "run", "": ""} {
		testkit.Equal(t, Name(name), want, name)
	}
	testkit.Equal(t, UsesOf("operator new"), `case:yes content:\boperator\snew\b`)
}
