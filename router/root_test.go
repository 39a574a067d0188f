package router

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

const (
	cargoWorkspace = "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"vendor\", \"tools/x\"]\n"
	cargoPackage   = "[package]\nname = \"a\"\nversion.workspace = true\n"
)

func TestRoot(t *testing.T) {
	cases := []struct {
		name, server string
		tree         tree
		path, want   string // want "" is: no marker, the workspace
	}{
		{"nearest go.mod", "gopls", files("/w/go.mod", "/w/a/b/go.mod"), "/w/a/b/c/x.go", "/w/a/b"},
		{"outer go.mod beside a nested one", "gopls", files("/w/go.mod", "/w/a/b/go.mod"), "/w/a/x.go", "/w"},
		{"go.work over go.mod", "gopls", files("/w/a/go.mod").with("/w/go.work", "go 1.26\nuse ./a\n"), "/w/a/x.go",
			"/w"},
		{"go.work in a block", "gopls",
			files("/w/a/go.mod").with("/w/go.work", "use (\n\t./b // not this\n\t./a\n)\n"), "/w/a/x.go", "/w"},
		{"go.work in a block on one line", "gopls", files("/w/a/go.mod").with("/w/go.work", "use ( ./a )"),
			"/w/a/x.go", "/w"},
		{"go.work, quoted with a space", "gopls", files("/w/a b/go.mod").with("/w/go.work", "use \"./a b\"\n"),
			"/w/a b/x.go", "/w"},
		{"go.work uses its own folder", "gopls", files("/w/go.mod").with("/w/go.work", "use .\n"), "/w/x.go", "/w"},
		{"go.work that does not use the module", "gopls", files("/w/a/go.mod").with("/w/go.work", "use ./b\n"),
			"/w/a/x.go", "/w/a"},
		{"go.work in a comment", "gopls", files("/w/a/go.mod").with("/w/go.work", "// use ./a\n"), "/w/a/x.go", "/w/a"},
		{"go.work, a module within a used one", "gopls",
			files("/w/a/go.mod", "/w/a/testdata/m/go.mod").with("/w/go.work", "use ./a"), "/w/a/testdata/m/x.go",
			"/w/a/testdata/m"},
		{"a vendored module", "gopls", files("/w/go.mod", "/w/vendor/modules.txt", "/w/vendor/a/go.mod"),
			"/w/vendor/a/x.go", "/w"},
		{"a vendored module below a go.work", "gopls", files("/w/go.mod", "/w/vendor/modules.txt",
			"/w/vendor/a/go.mod").with("/w/go.work", "use .\n"), "/w/vendor/a/x.go", "/w"},
		{"a module in a folder vendor of no copy", "gopls", files("/w/go.mod", "/w/vendor/a/go.mod"), "/w/vendor/a/x.go",
			"/w/vendor/a"},
		{"nearest go.work", "gopls", files("/w/s/a/go.mod").with("/w/go.work", "use ./s/a").with("/w/s/go.work",
			"use ./a"), "/w/s/a/x.go", "/w/s"},
		{"go.work above a loose file", "gopls", files().with("/w/go.work", "use ./a"), "/w/scripts/x.go", "/w"},
		{"go.mod itself", "gopls", files("/w/a/go.mod"), "/w/a/go.mod", "/w/a"},
		{"no go.mod", "gopls", files("/w/x.go"), "/w/x.go", ""},
		{"go.mod above the workspace", "gopls", files("/go.mod", "/w/x.go"), "/w/x.go", "/w"},
		{"Cargo.toml above the workspace", "rust-analyzer", files("/Cargo.toml", "/w/x.rs"), "/w/x.rs", ""},

		{"linked working tree below go.work", "gopls", files("/w/.git/config", "/w/t/fix/a/go.mod").with("/w/go.work",
			"use ./t/fix/a\n").with("/w/t/fix/.git", "gitdir: /w/.git/worktrees/fix\n"), "/w/t/fix/a/x.go",
			"/w/t/fix/a"},
		{"submodule in a module", "gopls", files("/w/go.mod", "/w/.git/config").with("/w/sub/.git",
			"gitdir: ../.git/modules/sub\n"), "/w/sub/x.go", "/w"},

		{"Cargo workspace", "rust-analyzer",
			files().with("/w/Cargo.toml", cargoWorkspace).with("/w/crates/a/Cargo.toml", cargoPackage),
			"/w/crates/a/src/lib.rs", "/w"},
		{"package and workspace in one", "rust-analyzer",
			files().with("/w/Cargo.toml", cargoPackage+"[workspace]\n").with("/w/sub/Cargo.toml", cargoPackage),
			"/w/sub/src/lib.rs", "/w"},
		{"workspace without its table's header", "rust-analyzer",
			files().with("/w/Cargo.toml", "[workspace.dependencies]\nserde = \"1\"\n").with("/w/a/Cargo.toml",
				cargoPackage), "/w/a/src/lib.rs", "/w"},
		{"excluded crate", "rust-analyzer", files().with("/w/Cargo.toml", cargoWorkspace).with("/w/tools/x/Cargo.toml",
			cargoPackage), "/w/tools/x/src/main.rs", "/w/tools/x"},
		{"excluded by prefix", "rust-analyzer",
			files().with("/w/Cargo.toml", cargoWorkspace).with("/w/vendor/serde/Cargo.toml", cargoPackage),
			"/w/vendor/serde/src/lib.rs", "/w/vendor/serde"},
		{"a name that only begins like the excluded", "rust-analyzer",
			files().with("/w/Cargo.toml", cargoWorkspace).with("/w/vendored/Cargo.toml", cargoPackage),
			"/w/vendored/src/lib.rs", "/w"},
		{"a member below an excluded folder", "rust-analyzer",
			files().with("/w/Cargo.toml", "[workspace]\nmembers = [\"v/a\"]\nexclude = [\"v\"]").with(
				"/w/v/a/Cargo.toml", cargoPackage), "/w/v/a/src/lib.rs", "/w"},
		{"a nested workspace of its own", "rust-analyzer",
			files().with("/w/Cargo.toml", cargoWorkspace).with("/w/fuzz/Cargo.toml", "[workspace]\n"),
			"/w/fuzz/fuzz_targets/a.rs", "/w/fuzz"},
		{"single crates side by side", "rust-analyzer",
			files().with("/w/a/Cargo.toml", cargoPackage).with("/w/b/Cargo.toml", cargoPackage), "/w/b/src/main.rs",
			"/w/b"},
		{"a half-written workspace", "rust-analyzer",
			files().with("/w/Cargo.toml", "[workspace]\nmembers = [").with("/w/a/Cargo.toml", cargoPackage),
			"/w/a/src/lib.rs", "/w"},
		{"rust-project.json", "rust-analyzer", files("/w/a/rust-project.json"), "/w/a/b/x.rs", "/w/a"},

		{"compile_commands.json beside the sources", "clangd", files("/w/p/compile_commands.json", "/w/.git/HEAD"),
			"/w/p/src/a.cc", "/w/p"},
		{"in build/", "clangd", files("/w/p/build/compile_commands.json", "/w/p/.clangd"), "/w/p/src/a.cc", "/w/p"},
		{"in out/Debug/", "clangd", files("/w/p/out/Debug/compile_commands.json"), "/w/p/src/a.cc", "/w/p"},
		{"in cmake-build-debug/", "clangd", files("/w/p/cmake-build-debug/compile_commands.json"), "/w/p/src/a.cc",
			"/w/p"},
		{"a generated file in build/", "clangd", files("/w/p/build/compile_commands.json"), "/w/p/build/gen/a.cc",
			"/w/p"},
		{"a generated file in out/Debug/", "clangd", files("/w/out/Debug/compile_commands.json"),
			"/w/out/Debug/gen/a.cc", "/w"},
		{"two projects", "clangd", files("/w/a/build/compile_commands.json", "/w/b/compile_commands.json"),
			"/w/b/x.cc", "/w/b"},
		{"a database wins over nearer flags", "clangd", files("/w/compile_commands.json", "/w/a/compile_flags.txt"),
			"/w/a/x.c", "/w"},
		{"compile_flags.txt", "clangd", files("/w/a/compile_flags.txt", "/w/a/b/.clangd"), "/w/a/b/x.c", "/w/a"},
		{"only a repository", "clangd", files("/w/a/.git/HEAD"), "/w/a/b/x.c", "/w/a"},
		{"a database above the workspace", "clangd", files("/build/compile_commands.json"), "/w/x.c", "/w"},

		{"nearest tsconfig.json", "typescript-language-server",
			files("/w/tsconfig.json", "/w/packages/a/tsconfig.json"), "/w/packages/a/src/x.ts", "/w/packages/a"},
		{"tsconfig.json over a nearer package.json", "typescript-language-server",
			files("/w/tsconfig.json", "/w/packages/a/package.json"), "/w/packages/a/x.ts", "/w"},
		{"package.json", "typescript-language-server", files("/w/a/package.json"), "/w/a/x.js", "/w/a"},

		{"pyproject.toml", "pyright", files("/w/a/pyproject.toml", "/w/.git/HEAD"), "/w/a/pkg/x.py", "/w/a"},
		{"a project in another one", "pyright", files("/w/a/pyproject.toml", "/w/setup.py"), "/w/a/pkg/x.py", "/w"},
		{"at a checker of single files", "ruff", files("/w/a/pyproject.toml", "/w/setup.py"), "/w/a/pkg/x.py", "/w/a"},
		{"projects beside each other", "pyright", files("/w/.git/HEAD", "/w/libs/a/pyproject.toml", "/w/libs/b/setup.py"),
			"/w/libs/a/x.py", "/w"},
		{"a folder beside a project", "pyright", files("/w/.git/HEAD", "/w/libs/a/pyproject.toml", "/w/libs/b/x.py"),
			"/w/libs/a/x.py", "/w/libs/a"},
		{"beside each other, no repository", "pyright", files("/w/a/pyproject.toml", "/w/b/setup.py"), "/w/a/x.py",
			"/w/a"},
		{"requirements of a part of a project", "pyright", files("/w/pyproject.toml", "/w/checks/requirements.txt"),
			"/w/checks/x.py", "/w"},
		{"requirements of a part", "pyright", files("/w/requirements.txt", "/w/checks/requirements.txt"),
			"/w/checks/x.py", "/w"},
		{"pyrightconfig.json over a nearer project", "pyright", files("/w/pyrightconfig.json", "/w/a/pyproject.toml"),
			"/w/a/x.py", "/w"},
		{"other tool's section", "pyright", files("/w/pyproject.toml").with("/w/a/pyproject.toml",
			"[tool.basedpyright]\n"), "/w/a/x.py", "/w"},
		{"own section over a nearer project", "pyright", files("/w/a/setup.py").with("/w/pyproject.toml",
			"[tool.pyright]\n"), "/w/a/x.py", "/w"},
		{"an environment over a nearer project", "pyright", files("/w/pyproject.toml", "/w/.venv/pyvenv.cfg",
			"/w/libs/a/pyproject.toml"), "/w/libs/a/src/x.py", "/w"},
		{"an environment beside no project", "pyright", files("/w/env/conda-meta/history", "/w/a/pyproject.toml"),
			"/w/a/x.py", "/w"},
		{"an environment of its own", "pyright", files("/w/.venv/pyvenv.cfg", "/w/a/pyproject.toml",
			"/w/a/.venv/pyvenv.cfg"), "/w/a/x.py", "/w/a"},
		{"own section over an environment", "pyright", files("/w/.venv/pyvenv.cfg").with("/w/a/pyproject.toml",
			"[tool.pyright]\n"), "/w/a/x.py", "/w/a"},
		{"twins that share an environment", "pyright", files("/w/.venv/pyvenv.cfg", "/w/s/a/pyproject.toml",
			"/w/s/a/src/app/__init__.py", "/w/s/b/pyproject.toml", "/w/s/b/src/app/__init__.py"), "/w/s/a/tests/x.py",
			"/w/s/a"},
		{"parts of one namespace that share it", "pyright", files("/w/.venv/pyvenv.cfg", "/w/a/pyproject.toml",
			"/w/a/src/acme/a/__init__.py", "/w/b/pyproject.toml", "/w/b/src/acme/b/__init__.py"), "/w/a/tests/x.py", "/w"},
		{"twins below a project", "pyright", files("/w/.git/HEAD", "/w/pyproject.toml", "/w/s/a/pyproject.toml",
			"/w/s/a/src/main.py", "/w/s/b/pyproject.toml", "/w/s/b/src/main.py"), "/w/s/a/x.py", "/w/s/a"},
		{"a folder of the name that is no environment", "pyright", files("/w/env/x.py", "/w/a/pyproject.toml"),
			"/w/a/x.py", "/w/a"},
		{"what is installed for a part", "pyright", files("/w/a/setup.py", "/w/environment.yml"), "/w/a/x.py", "/w"},
		{"either section", "basedpyright", files("/w/pyproject.toml").with("/w/a/pyproject.toml", "[tool.pyright]\n"),
			"/w/a/x.py", "/w/a"},

		{"Gradle: the build that includes the module", "jdtls", files("/w/settings.gradle", "/w/app/build.gradle"),
			"/w/app/src/A.java", "/w"},
		{"Maven: the topmost pom", "jdtls", files("/w/pom.xml", "/w/core/pom.xml"), "/w/core/src/A.java", "/w"},
		{"C#: the solution over the project", "csharp-ls", files("/w/All.sln", "/w/src/a/a.csproj"), "/w/src/a/A.cs",
			"/w"},
		{"C#: a glob", "csharp-ls", files("/w/src/a/a.csproj"), "/w/src/a/b/A.cs", "/w/src/a"},
		{"Elixir umbrella", "elixir-ls", files("/w/mix.exs", "/w/apps/a/mix.exs"), "/w/apps/a/lib/a.ex", "/w"},
		{"spaces, #, % and letters beyond ASCII", "gopls", files("/w/a b#1/100%/ü日/go.mod"), "/w/a b#1/100%/ü日/x y.go",
			"/w/a b#1/100%/ü日"},
	}
	for _, c := range cases {
		t.Run(c.server+"/"+c.name, func(t *testing.T) {
			spec, err := table(t).Server(c.server)
			testkit.Must(t, err)
			root, found := Root(c.tree, spec, c.path, "/w")
			want := c.want
			if want == "" {
				want = "/w"
			}
			if root != want || found != (c.want != "") {
				t.Errorf("Root(%s) = %s, %v; want %s, %v", c.path, root, found, want, c.want != "")
			}
		})
	}
}

func TestRootConfigured(t *testing.T) {
	markers := spec.RootRule{Groups: []spec.MarkerGroup{{Files: []string{"go.mod"}}}}
	tree := files("/w/a/go.mod")
	cases := []struct {
		name string
		spec spec.Spec
		want string
	}{
		{"root_dir over markers", spec.Spec{Roots: markers, RootDir: "/w"}, "/w"},
		{"folder over root_dir", spec.Spec{Roots: markers, RootDir: "/w", Folders: []string{"/w/a/b"}}, "/w/a/b"},
		{"the longest folder", spec.Spec{Roots: markers, Folders: []string{"/w", "/w/a/b", "/w/a"}}, "/w/a/b"},
		{"a folder elsewhere", spec.Spec{Roots: markers, Folders: []string{"/w/ab", "/v"}}, "/w/a"},
		{"a folder with a final slash", spec.Spec{Folders: []string{"/w/a/"}}, "/w/a"},
	}
	for _, c := range cases {
		if got, found := Root(tree, &c.spec, "/w/a/b/x.go", "/w"); got != c.want || !found {
			t.Errorf("%s: %s, %v; want %s", c.name, got, found, c.want)
		}
	}
}

func TestRootAtTheTop(t *testing.T) {
	spec := spec.Spec{Roots: spec.RootRule{Groups: []spec.MarkerGroup{{Files: []string{"go.mod"}}}}}
	if got, found := Root(files("/go.mod"), &spec, "/x.go", "/"); got != "/" || !found {
		t.Errorf("Root = %s, %v; want /, true", got, found)
	}
}
