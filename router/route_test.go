package router

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
)

// brief is a route without its spec's details.
type brief struct {
	ID, Root, Language string
	NoMarker           bool
}

func briefs(routes []Route) []brief {
	var out []brief
	for _, r := range routes {
		out = append(out, brief{r.Spec.ID, r.Root, r.LanguageID, r.NoMarker})
	}
	return out
}

func TestRoute(t *testing.T) {
	monorepo := files("/w/.git/HEAD", "/w/go.mod", "/w/svc/go.mod", "/w/web/tsconfig.json", "/w/web/package.json",
		"/w/web/eslint.config.js", "/w/lib/build/compile_commands.json", "/w/ml/pyproject.toml", "/w/deno/deno.json",
	).with("/w/rs/Cargo.toml", cargoWorkspace).with("/w/rs/crates/a/Cargo.toml", cargoPackage)
	cases := []struct {
		path string
		want brief // the first candidate
	}{
		{"/w/main.go", brief{"gopls", "/w", "go", false}},
		{"/w/svc/x.go", brief{"gopls", "/w/svc", "go", false}},
		{"/w/svc/X.GO", brief{"gopls", "/w/svc", "go", false}},
		{"/w/svc/go.mod", brief{"gopls", "/w/svc", "go.mod", false}},
		{"/w/go.work", brief{"gopls", "/w", "go.work", false}},
		{"/w/rs/crates/a/src/lib.rs", brief{"rust-analyzer", "/w/rs", "rust", false}},
		{"/w/lib/src/a.cpp", brief{"clangd", "/w/lib", "cpp", false}},
		{"/w/lib/src/a.H", brief{"clangd", "/w/lib", "cpp", false}},
		{"/w/lib/src/a.c", brief{"clangd", "/w/lib", "c", false}},
		{"/w/lib/src/a.m", brief{"clangd", "/w/lib", "objective-c", false}},
		{"/w/lib/src/a.mm", brief{"clangd", "/w/lib", "objective-cpp", false}},
		{"/w/lib/src/a.cu", brief{"clangd", "/w/lib", "cuda-cpp", false}},
		{"/w/lib/CMakeLists.txt", brief{"neocmakelsp", "/w", "cmake", false}},
		{"/w/web/a.ts", brief{"typescript-language-server", "/w/web", "typescript", false}},
		{"/w/web/a.d.ts", brief{"typescript-language-server", "/w/web", "typescript", false}},
		{"/w/web/a.mts", brief{"typescript-language-server", "/w/web", "typescript", false}},
		{"/w/web/a.tsx", brief{"typescript-language-server", "/w/web", "typescriptreact", false}},
		{"/w/web/a.cjs", brief{"typescript-language-server", "/w/web", "javascript", false}},
		{"/w/web/a.jsx", brief{"typescript-language-server", "/w/web", "javascriptreact", false}},
		{"/w/deno/a.ts", brief{"deno", "/w/deno", "typescript", false}},
		{"/w/web/tsconfig.json", brief{"json", "/w", "jsonc", false}},
		{"/w/web/package.json", brief{"json", "/w", "json", false}},
		{"/w/ml/a.pyi", brief{"pyright", "/w/ml", "python", false}},
		{"/w/loose.py", brief{"pyright", "/w", "python", true}},
		{"/w/Dockerfile", brief{"dockerfile", "/w", "dockerfile", false}},
		{"/w/.bashrc", brief{"bash-language-server", "/w", "shellscript", false}},
		{"/w/infra/a.tftest.hcl", brief{"terraform-ls", "/w", "terraform-test", false}},
		{"/w/svc/../svc/x.go", brief{"gopls", "/w/svc", "go", false}},
		{"/w/a b#/50%/ü.rs", brief{"rust-analyzer", "/w", "rust", true}},
	}
	for _, c := range cases {
		routes, err := table(t).Route(monorepo, c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		testkit.Equal(t, briefs(routes)[0], c.want, c.path)
	}
}

func TestRouteCandidates(t *testing.T) {
	tree := files("/w/web/tsconfig.json", "/w/web/eslint.config.js", "/w/ml/pyproject.toml")
	ids := func(path string, role spec.Role) (ids []string) {
		routes, err := table(t).Route(tree, path)
		testkit.Must(t, err)
		for _, r := range For(routes, role) {
			ids = append(ids, r.Spec.ID)
		}
		return ids
	}
	cases := []struct {
		path string
		role spec.Role
		want []string
	}{
		{"/w/ml/a.py", spec.RoleNavigation, []string{"pyright", "basedpyright", "ty", "pylsp", "jedi-language-server",
			"zuban"}},
		{"/w/ml/a.py", spec.RoleDiagnostics, []string{"pyright", "basedpyright", "ty", "pylsp", "jedi-language-server",
			"zuban", "ruff"}},
		{"/w/web/a.ts", spec.RoleNavigation, []string{"typescript-language-server", "typescript-native"}},
		{"/w/web/a.ts", spec.RoleDiagnostics, []string{"typescript-language-server", "typescript-native", "eslint"}},
		{"/w/other/a.ts", spec.RoleDiagnostics, []string{"typescript-language-server", "typescript-native"}},
	}
	for _, c := range cases {
		testkit.Diff(t, ids(c.path, c.role), c.want, c.path)
	}
}

func TestRouteErrors(t *testing.T) {
	zz := Withheld{Spec: spec.Spec{ID: "zzls",
		Languages: []spec.Language{{ID: "zz", Extensions: []string{"zz", "rs"}}}}, File: "/w/lspi.toml"}
	one := &Table{Workspace: "/w", Roots: []string{"/w/sub", "/other"}, Withheld: []Withheld{zz},
		Specs: slices.DeleteFunc(servers.Servers(),
			func(s spec.Spec) bool { return s.ID != "rust-analyzer" && s.ID != "eslint" })}
	noExtension := func(ext string) contract.Facts { return contract.Facts{"extension": ext} }
	outside := func(path string) contract.Facts {
		return contract.Facts{"file_path": path, "roots": []string{"/w", "/w/sub", "/other"}}
	}
	cases := []struct {
		path, message string
		kind          contract.Kind
		facts         contract.Facts
	}{
		{"/w/README.md", "no configured LSP server matches file extension: md", contract.KindNoServerForExtension,
			noExtension("md")},
		{"/w/README.MD", "no configured LSP server matches file extension: md", contract.KindNoServerForExtension,
			noExtension("md")},
		{"/w/a.tar.gz", "no configured LSP server matches file extension: gz", contract.KindNoServerForExtension,
			noExtension("gz")},
		{"/w/LICENSE", "no configured LSP server matches file name: LICENSE", contract.KindNoServerForExtension,
			contract.Facts{"extension": "", "file_name": "LICENSE"}},
		{"/w/.gitignore", "no configured LSP server matches file name: .gitignore", contract.KindNoServerForExtension,
			contract.Facts{"extension": "", "file_name": ".gitignore"}},
		{"/w/.rs", "no configured LSP server matches file name: .rs", contract.KindNoServerForExtension,
			contract.Facts{"extension": "", "file_name": ".rs"}},
		// eslint lacks its marker
		{"/w/a.ts", "no configured LSP server matches file extension: ts", contract.KindNoServerForExtension,
			noExtension("ts")},
		{"/w/a.zz", "the language server zzls for a.zz is named in /w/lspi.toml, which the user does not trust",
			contract.KindConfigUntrusted,
			contract.Facts{"server_id": "zzls", "file": "/w/lspi.toml"}},
		{"/v/a.rs", "/v/a.rs is outside the workspace roots (/w, /w/sub, /other)", contract.KindOutsideWorkspace,
			outside("/v/a.rs")},
		{"/ww/a.rs", "/ww/a.rs is outside the workspace roots (/w, /w/sub, /other)", contract.KindOutsideWorkspace,
			outside("/ww/a.rs")},
		{"/w/../v/a.rs", "/v/a.rs is outside the workspace roots (/w, /w/sub, /other)", contract.KindOutsideWorkspace,
			outside("/v/a.rs")},
		{"w/a.rs", "w/a.rs is outside the workspace roots (/w, /w/sub, /other)", contract.KindOutsideWorkspace,
			outside("w/a.rs")},
	}
	for _, c := range cases {
		_, err := one.Route(files("/w/Cargo.toml"), c.path)
		var got *contract.Error
		if !errors.As(err, &got) {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if got.Message != c.message || got.Kind != c.kind {
			t.Errorf("%s: %s %q, want %s %q", c.path, got.Kind, got.Message, c.kind, c.message)
		}
		testkit.Diff(t, got.Facts, c.facts, c.path, "facts")
		code := contract.CodeInvalidParams
		if c.kind == contract.KindConfigUntrusted { // the call is right; who may allow the server is the user
			code = 0
		}
		testkit.Equal(t, got.Code, int64(code), c.path, "code")
	}
}

func TestRouteLongestAllowedRoot(t *testing.T) {
	tree := files("/w/go.mod", "/x/go.mod")
	table := &Table{Workspace: "/w", Roots: []string{"/w/sub", "/x"}, Specs: servers.Servers()}
	for path, want := range map[string]brief{
		"/w/a/x.go":   {"gopls", "/w", "go", false},
		"/w/sub/x.go": {"gopls", "/w/sub", "go", false}, // a configured root is not left upwards; gopls finds its go.mod
		"/x/x.go":     {"gopls", "/x", "go", false},
	} {
		routes, err := table.Route(tree, path)
		testkit.Must(t, err)
		testkit.Equal(t, briefs(routes)[0], want, path)
	}
}

func TestRouteConfiguredRoots(t *testing.T) {
	rust := []spec.Language{{ID: "rust", Extensions: []string{"rs"}}}
	table := &Table{Workspace: "/w", Specs: []spec.Spec{
		{ID: "outer", Languages: rust, RootDir: "/w/a"},
		{ID: "lint", Languages: rust, Roles: spec.RoleDiagnostics},
		{ID: "inner", Languages: rust, RootDir: "/w/a/b"},
		{ID: "folders", Languages: rust, RootDir: "/w/c", Folders: []string{"/w/d"}},
	}}
	for path, want := range map[string][]brief{
		"/w/a/x.rs": {{"outer", "/w/a", "rust", false}, {"lint", "/w", "rust", true}},
		"/w/a/b/x.rs": {{"inner", "/w/a/b", "rust", false}, {"lint", "/w", "rust", true},
			{"outer", "/w/a", "rust", false}},
		"/w/d/x.rs": {{"lint", "/w", "rust", true}, {"folders", "/w/d", "rust", false}},
	} {
		routes, err := table.Route(tree{}, path)
		testkit.Must(t, err)
		testkit.Diff(t, briefs(routes), want, path)
	}
	confined := &Table{Workspace: "/w", Specs: table.Specs[:1]}
	_, err := confined.Route(tree{}, "/w/e/x.rs")
	var got *contract.Error
	if !errors.As(err, &got) || got.Kind != contract.KindOutsideWorkspace {
		t.Errorf("a server confined to /w/a for /w/e/x.rs: %v", err)
	}
}

func TestKey(t *testing.T) {
	alone, shared := &spec.Spec{ID: "clangd"}, &spec.Spec{ID: "gopls", SharedFolders: true}
	if a, b := (Route{Spec: alone, Root: "/a"}).Key(), (Route{Spec: alone, Root: "/b"}).Key(); a == b {
		t.Error("two roots of a server without shared folders have one key")
	}
	testkit.Equal(t, (Route{Spec: shared, Root: "/a"}).Key(), (Route{Spec: shared, Root: "/b"}).Key(),
		"two roots of a server with shared folders have two keys")
}

func TestServer(t *testing.T) {
	spec, err := table(t).Server("clangd")
	if err != nil || spec.ID != "clangd" {
		t.Fatalf("Server(clangd) = %v, %v", spec, err)
	}
	for id, want := range map[string]any{"rust-analyser": "rust-analyzer", "Clangd": "clangd", "go-pls": "gopls",
		"qqqqqqqq": nil, "": nil} {
		_, err := table(t).Server(id)
		var got *contract.Error
		if !errors.As(err, &got) || got.Kind != contract.KindUnknownServer {
			t.Errorf("Server(%q): %v", id, err)
			continue
		}
		testkit.Equal(t, got.Facts["closest"], want, id)
		if known, _ := got.Facts["known"].([]string); len(known) != len(servers.Servers()) {
			t.Errorf("Server(%q): known has %d ids", id, len(known))
		}
	}
}

// BenchmarkRoute is what every call pays: the whole catalogue, the real file system, six folders deep.
func BenchmarkRoute(b *testing.B) {
	dir := b.TempDir()
	deep := filepath.Join(dir, "a", "b", "c", "d", "e")
	testkit.Must(b, os.MkdirAll(deep, 0o755))
	for name, text := range map[string]string{
		"go.mod": "module x", "Cargo.toml": cargoWorkspace, "compile_commands.json": "[]", "tsconfig.json": "{}",
		"pyproject.toml": "",
	} {
		testkit.Write(b, filepath.Join(dir, name), text)
	}
	testkit.Age(b, dir, deep)
	table := &Table{Workspace: dir, Specs: servers.Servers()}
	for name, files := range map[string]source.Files{"OS": source.OS{}, "Cache": source.NewDiskCache()} {
		for _, ext := range []string{".go", ".rs", ".cc", ".ts", ".py", ".md", ".nothing"} {
			b.Run(name+"/"+ext[1:], func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = table.Route(files, filepath.Join(deep, "x"+ext))
				}
			})
		}
	}
}

// TestRouteByCache: both forms of the file system give the same routes.
func TestRouteByCache(t *testing.T) {
	dir := testkit.Folder(t, "go.mod", "p/build/compile_commands.json", "web/tsconfig.json", "all.sln", "cs/a.csproj")
	table, cache := &Table{Workspace: dir, Specs: servers.Servers()}, source.NewDiskCache()
	for range 2 {
		for _, name := range []string{"x.go", "p/src/x.c", "web/a/x.ts", "cs/X.cs", "p/build/x.c", "none.py"} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			want, err1 := table.Route(source.OS{}, path)
			got, err2 := table.Route(cache, path)
			testkit.Equal(t, fmt.Sprint(briefs(want), err1), fmt.Sprint(briefs(got), err2), name, briefs(got), "want",
				briefs(want))
		}
		testkit.Age(t, dir, filepath.Join(dir, "p", "build"))
		testkit.Age(t, dir, filepath.Join(dir, "web"))
		testkit.Age(t, dir, filepath.Join(dir, "cs"))
	}
}

func TestRouteByCacheConcurrently(t *testing.T) {
	dir, cache := t.TempDir(), source.NewDiskCache()
	testkit.Age(t, dir, dir)
	table := &Table{Workspace: dir, Specs: servers.Servers()}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				_, _ = table.Route(cache, filepath.Join(dir, fmt.Sprintf("x%d.py", i)))
			}
		})
	}
	wg.Wait()
}
