package servers

import (
	"maps"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

type choice struct {
	names   string // extensions and file names
	servers string
}

// preference is the order of servers that serve one extension or file name at the same role: navigation goes to the
// first of them that is installed. The order of the catalogue must agree, and every choice must stand here.
var preference = []choice{
	{"ts mts cts tsx js mjs cjs jsx", "deno vue typescript-language-server typescript-native"},
	{"py pyi pyw", "pyright basedpyright ty pylsp jedi-language-server zuban"},
	{"kt kts", "kotlin-lsp kotlin-language-server"},
	{"cs csx", "csharp-ls roslyn omnisharp"},
	{"rb rake gemspec ru rbi rbw Gemfile Rakefile Guardfile Capfile Vagrantfile Brewfile Podfile Fastfile",
		"ruby-lsp solargraph"},
	{"php phtml", "intelephense phpactor"},
	{"ex exs eex leex heex", "elixir-ls expert"},
	{"erl hrl escript rebar.config", "elp erlang-ls"},
	{"nix", "nixd nil"},
	{"proto", "buf protols"},
	{"cmake CMakeLists.txt", "neocmakelsp cmake"},
}

// checkersBeside is the same for servers that only check, which stand beside the others.
var checkersBeside = []choice{
	{"ts mts cts tsx js mjs cjs jsx", "eslint biome tailwindcss"},
	{"vue svelte astro", "eslint tailwindcss"},
	{"css", "biome tailwindcss"},
}

// unstarted are the rows without commands, each with its reason.
var unstarted = map[string]string{
	"powershell": "starts from the folder that its archive was unpacked into, which only the configuration knows",
}

func TestRows(t *testing.T) {
	specs := Servers()
	if len(specs) < 45 {
		t.Errorf("%d rows", len(specs))
	}
	seen := map[string]bool{}
	for _, s := range specs {
		t.Run(s.ID, func(t *testing.T) {
			if !regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*$`).MatchString(s.ID) || seen[s.ID] {
				t.Error("the id is malformed or taken")
			}
			seen[s.ID] = true
			if s.Title == "" || s.Kind != s.ID {
				t.Errorf("title %q, kind %q", s.Title, s.Kind)
			}
			testkit.Equal(t, len(s.Commands) == 0, unstarted[s.ID] != "", "no commands and no reason, or both")
			for _, c := range s.Commands {
				if c.Name == "" || strings.ContainsAny(c.Name, " /\\") {
					t.Errorf("command %q", c.Name)
				}
			}
			if len(s.Languages) == 0 {
				t.Error("no languages")
			}
			if !s.Freshness.Watched && !s.Freshness.Open {
				t.Error("no freshness means")
			}
			if len(s.SkipDirs) == 0 {
				t.Error("no folders to skip")
			}
			checkReadiness(t, s)
			checkInstalls(t, s)
			checkNames(t, s)
			checkProject(t, s)
		})
	}
}

func checkReadiness(t *testing.T, s spec.Spec) {
	t.Helper()
	r := s.Readiness
	switch {
	case r.Sign == spec.SignMessage && len(r.Tokens) != 1 && len(r.Tokens) != 2:
		t.Error("a message needs its method, and at most one text")
	case r.Sign != spec.SignMessage && r.Sign != spec.SignProgress && len(r.Tokens) > 0:
		t.Error("tokens without a sign that uses them")
	case r.Waits && r.Sign == spec.SignWaits:
		t.Error("waits twice")
	}
}

func checkInstalls(t *testing.T, s spec.Spec) {
	t.Helper()
	if len(s.Install) == 0 {
		t.Error("no way to install it")
	}
	if words := s.InstallWords(); !strings.Contains(words, "It comes as ") || len(words) > 400 {
		t.Errorf("in words: %s", words)
	}
	for _, in := range s.Install {
		if in.Command == "" && in.Package != "" {
			continue // only to be read
		}
		words := strings.Fields(in.Command)
		if len(words) > 0 && words[0] == "sudo" {
			words = words[1:]
		}
		if len(words) < 2 || words[0] != in.Needs && words[0] != "lspi" {
			t.Errorf("%q needs %q", in.Command, in.Needs)
		}
	}
}

func checkNames(t *testing.T, s spec.Spec) {
	t.Helper()
	seen := map[string]bool{}
	for _, l := range s.Languages {
		if l.ID == "" || len(l.Extensions)+len(l.FileNames) == 0 {
			t.Errorf("language %q has no files", l.ID)
		}
		for _, ext := range l.Extensions {
			if ext != strings.ToLower(ext) || strings.HasPrefix(ext, ".") || strings.ContainsAny(ext, "*/\\ ") ||
				seen[ext] {
				t.Errorf("extension %q is malformed or there twice", ext)
			}
			seen[ext] = true
			if want, ok := standardIDs[ext]; ok && l.ID != want {
				t.Errorf("extension %q has language id %q, LSP says %q", ext, l.ID, want)
			}
		}
		for _, name := range l.FileNames {
			if strings.ContainsAny(name, "*/\\") || seen[name] || s.LanguageID(name) != l.ID {
				t.Errorf("file name %q is malformed, there twice or has another language", name)
			}
			seen[name] = true
		}
	}
}

func checkProject(t *testing.T, s spec.Spec) {
	t.Helper()
	if p := s.Project; p != nil {
		kind := contract.WarningKind(p.Warning)
		if kind != contract.WarnNoCompilationDatabase && kind != contract.WarnNoProjectFile || p.Hint == "" ||
			len(p.Files) == 0 {
			t.Errorf("project file %+v", p)
		}
	}
	for _, dir := range s.SkipDirs {
		if dir == "" || strings.ContainsAny(dir, "/*") {
			t.Errorf("folder to skip %q", dir)
		}
	}
	for method, limit := range s.SilentCaps {
		if !strings.Contains(method, "/") || limit <= 0 {
			t.Errorf("silent cap %s %d", method, limit)
		}
	}
	for _, g := range s.Roots.Groups {
		if len(g.Files) == 0 {
			t.Error("a group without markers")
		}
	}
	if s.Roots.Required && len(s.Roots.Groups) == 0 {
		t.Error("a marker is required and none is known")
	}
}

// standardIDs are the identifiers that LSP 3.17 recommends (TextDocumentItem), by the extensions of the languages.
var standardIDs = map[string]string{
	"bat": "bat", "bib": "bibtex", "clj": "clojure", "coffee": "coffeescript", "c": "c", "cpp": "cpp", "cc": "cpp",
	"cs": "csharp", "css": "css", "d": "d", "dart": "dart", "diff": "diff", "ex": "elixir", "exs": "elixir",
	"erl": "erlang", "hrl": "erlang", "fs": "fsharp", "go": "go", "groovy": "groovy", "hbs": "handlebars",
	"hs": "haskell", "html": "html", "ini": "ini", "java": "java", "js": "javascript", "mjs": "javascript",
	"cjs": "javascript", "jsx": "javascriptreact", "json": "json", "tex": "latex", "less": "less", "lua": "lua",
	"md": "markdown", "m": "objective-c", "mm": "objective-cpp", "pas": "pascal", "pl": "perl", "pm": "perl",
	"php": "php", "ps1": "powershell", "psm1": "powershell", "pug": "jade", "py": "python", "pyi": "python",
	"r": "r", "cshtml": "razor", "rb": "ruby", "rs": "rust", "scss": "scss", "sass": "sass", "scala": "scala",
	"sh": "shellscript", "bash": "shellscript", "sql": "sql", "swift": "swift", "ts": "typescript",
	"mts": "typescript", "cts": "typescript", "tsx": "typescriptreact", "vb": "vb", "xml": "xml", "xsl": "xsl",
	"yaml": "yaml", "yml": "yaml", "dockerfile": "dockerfile",
}

func TestPreference(t *testing.T) {
	for _, c := range []struct {
		name  string
		role  spec.Role
		table []choice
	}{{"navigation", spec.RoleNavigation, preference}, {"checks alone", 0, checkersBeside}} {
		want, got := map[string][]string{}, map[string][]string{}
		for _, p := range c.table {
			for _, name := range strings.Fields(p.names) {
				want[name] = append(want[name], strings.Fields(p.servers)...)
			}
		}
		for _, s := range Servers() {
			if s.Roles.Has(spec.RoleNavigation) != (c.role == spec.RoleNavigation) {
				continue
			}
			for _, l := range s.Languages {
				for _, name := range slices.Concat(l.Extensions, l.FileNames) {
					got[name] = append(got[name], s.ID)
				}
			}
		}
		maps.DeleteFunc(got, func(_ string, ids []string) bool { return len(ids) < 2 })
		testkit.Diff(t, got, want, c.name)
	}
}

// A configuration is laid over rows in place: nothing that can be written is shared by two rows, or by two copies
// of one.
func TestRowsShareNothing(t *testing.T) {
	owner := map[uintptr]string{}
	copies := map[string][]spec.Spec{"first": Servers(), "second": Servers()}
	defer runtime.KeepAlive(copies) // memory that is freed may be given out again
	for _, copy := range []string{"first", "second"} {
		for _, s := range copies[copy] {
			eachReference(reflect.ValueOf(s), s.ID, func(at uintptr, field string) {
				if other, taken := owner[at]; taken {
					t.Errorf("%s shares memory with %s", field, other)
				}
				owner[at] = field + " of the " + copy + " copy"
			})
		}
	}
}

// eachReference visits every list, map and pointer that can be reached from a value, but for compiled patterns and
// functions.
func eachReference(v reflect.Value, name string, visit func(at uintptr, name string)) {
	if v.IsZero() || v.Type() == reflect.TypeFor[*regexp.Regexp]() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		visit(v.Pointer(), name)
		eachReference(v.Elem(), name, visit)
	case reflect.Interface:
		eachReference(v.Elem(), name, visit)
	case reflect.Slice:
		if v.Cap() > 0 {
			visit(v.Pointer(), name)
		}
		for i := range v.Len() {
			eachReference(v.Index(i), name, visit)
		}
	case reflect.Map:
		visit(v.Pointer(), name)
		for key, value := range v.Seq2() {
			eachReference(value, name+"."+key.String(), visit)
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			eachReference(value, name+"."+field.Name, visit)
		}
	}
}

// What is said of a server beside its row names a row.
func TestTablesNameRows(t *testing.T) {
	known := map[string]bool{}
	for _, s := range Servers() {
		known[s.ID] = true
	}
	for table, ids := range map[string][]string{
		"proven": proven, "variables": slices.Collect(maps.Keys(variables)),
		"sources":     slices.Collect(maps.Keys(sources)),
		"projectCode": slices.Collect(maps.Keys(projectCode)), "notStarted": slices.Collect(maps.Keys(notStarted)),
		"tried": slices.Collect(maps.Keys(tried)),
	} {
		for _, id := range ids {
			if !known[id] {
				t.Errorf("%s: no row has the id %q", table, id)
			}
		}
	}
	for id := range projectCode {
		testkit.Equal(t, notStarted[id], "", id, "is in projectCode and in notStarted")
	}
}
