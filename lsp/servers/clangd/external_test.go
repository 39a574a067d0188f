package clangd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// Which indexes the configuration has clangd ask in place of its own. In the texts @ is the folder of the project; what
// clangd 22.1.8 does with each was tried.
func TestExternalIndexes(t *testing.T) {
	const server = "Index:\n  External:\n    Server: h:1\n    MountPoint: @\n"
	for _, c := range []struct {
		name                 string
		above, project, user string
		want                 string
	}{
		{name: "none", project: "CompileFlags:\n  Add: [-Wall]\n", want: ""},
		{name: "a server, by the user", user: server, want: "@ h:1"},
		{name: "a mount point with a slash", user: strings.Replace(server, "@", "@/", 1), want: "@ h:1"},
		{name: "a server, by the project", project: server, want: ""},
		{name: "a file of the project", project: "Index:\n  External: {File: i/x.idx}\n", want: "@ @/i/x.idx"},
		{name: "a mount point that is no path of a file", project: "Index: {External: {File: x.idx, MountPoint: ./}}",
			want: ""},
		{name: "a part of the project", project: "Index: {External: {File: x.idx, MountPoint: lib}}", want: "@/lib @/x.idx"},
		{name: "above it", above: "Index: {External: {File: x.idx}}", want: ". ./x.idx"},
		{name: "of another project", user: strings.Replace(server, "@", "/elsewhere", 1), want: ""},
		{name: "relative, by the user", user: "Index: {External: {File: x.idx, MountPoint: @}}", want: ""},
		{name: "both", user: server + "    File: /x.idx\n", want: ""},
		{name: "the user's comes last", project: "Index: {External: {File: x.idx}}", user: server, want: "@ h:1"},
		{name: "a second fragment", user: "CompileFlags:\n  Add: [-Wall]\n---\n" + server, want: "@ h:1"},
		{name: "behind a wrong one", user: "Index: 3\n---\n" + server, want: "@ h:1"},
		{name: "under a condition", project: "Index: {External: {File: x.idx}}",
			user: "If: {PathMatch: .*}\n" + server, want: "@ @/x.idx, @ h:1"},
		{name: "skipped", project: "Index: {Background: Skip}", want: "@ "},
		{name: "built after all", project: "Index: {Background: Skip}", user: "Index: {Background: Build}", want: ""},
		{name: "no index any more", project: "Index: {External: {File: x.idx}}", user: "Index: {External: None}", want: "@ "},
		{name: "not YAML", project: "Index: [", want: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			root := filepath.Join(top, "project")
			files := []string{filepath.Join(top, ".clangd"), filepath.Join(root, ".clangd"), filepath.Join(top, "user.yaml")}
			for i, text := range []string{c.above, c.project, c.user} {
				testkit.Write(t, files[i], strings.ReplaceAll(text, "@", root))
			}
			var got []string
			for _, x := range externalIndexes(root, files[:2], files[2:]) {
				if !slices.Contains(files, x.Named) {
					t.Errorf("named by %s", x.Named)
				}
				got = append(got, strings.NewReplacer(root, "@", top, ".").Replace(x.Mount+" "+x.Where()))
			}
			testkit.Equal(t, strings.Join(got, ", "), c.want)
		})
	}
}

// An index server is one that answers by gRPC, whatever it answers; clangd speaks to it without TLS.
func TestAskIndexServer(t *testing.T) {
	asked := ""
	serve := func(kind string) string {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = fmt.Sprint(r.Proto, " ", r.Method, " ", r.URL.Path, " ", r.ContentLength)
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Grpc-Status", "12") // not implemented
		}))
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	address := serve("application/grpc")
	for _, name := range []string{address, "dns:///" + address} {
		testkit.Must(t, askIndexServer(name))
	}
	testkit.Equal(t, asked, "HTTP/2.0 POST /clang.clangd.remote.v1.Monitor/MonitoringInfo 5")
	if err := askIndexServer(serve("text/html")); err == nil || !strings.Contains(err.Error(), "gRPC") {
		t.Errorf("%v", err)
	}
}
