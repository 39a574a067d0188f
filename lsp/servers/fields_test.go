package servers

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// TestFieldsOfOneRow: a field of [spec.Spec], or of a struct that it refers to, which fewer than two rows set is a
// branch on a server's name in other words. It is a function in the server's hooks, or stands here with the reason
// why any server may need it.
func TestFieldsOfOneRow(t *testing.T) {
	rows := fieldRows{}
	for _, spec := range Servers() {
		rows.count(spec.ID, reflect.ValueOf(spec))
	}
	few := map[string]bool{}
	rows.few(few, map[reflect.Type]bool{}, reflect.TypeFor[spec.Spec]())
	reasons := maps.Clone(anyServer)
	maps.Copy(reasons, configured)
	testkit.Equal(t, len(reasons), len(anyServer)+len(configured), "a field stands in both tables")
	for _, field := range slices.Sorted(maps.Keys(few)) {
		if reasons[field] == "" {
			t.Errorf("%s is set by %v alone: make it a function in the server's hooks, or say in anyServer why any server may need it",
				field, slices.Sorted(maps.Keys(rows[field])))
		}
	}
	for _, field := range slices.Sorted(maps.Keys(reasons)) {
		if !few[field] {
			t.Errorf("%s needs no reason any more: it is gone, or several rows set it, or no row sets the field that it is a part of", field)
		}
	}
	for field := range configured {
		if len(rows[field]) > 0 {
			t.Errorf("%s is set by %v: it is not for the configuration alone", field, rows[field])
		}
	}
}

// configured are fields that no row sets: the configuration does, or the trust of a workspace.
var configured = map[string]string{
	"Command.File":      "where the configuration names the command",
	"Command.Line":      "where the configuration names the command",
	"Spec.Cwd":          "servers[].cwd",
	"Spec.Environ":      "of the session that the server runs for",
	"Spec.Env":          "servers[].env, and the environment of a workspace that is not trusted",
	"Spec.Folders":      "servers[].workspace_folders",
	"Spec.Notify":       "notifications of a workspace that is not trusted",
	"Spec.Pass":         "env_pass",
	"Spec.Elsewhere":    "servers[].paths",
	"Spec.RootDir":      "servers[].root_dir",
	"Spec.Untrusted":    "set in a workspace that is not trusted",
	"Timeouts.Idle":     "servers[].idle_shutdown_ms",
	"Timeouts.Requests": "servers[].request_timeout_overrides_ms",
	"Timeouts.Restart":  "servers[].restart_interval",
	"Timeouts.Warmup":   "servers[].warmup_timeout_ms",
}

// anyServer are fields that one row sets today and that the row of any server may need.
var anyServer = map[string]string{
	"Formatting.Styles":               "every formatter that has styles has files that choose one",
	"Diagnostics.Patience":            "how long a server computes before it pushes differs by server and project",
	"Diagnostics.First":               "a server may answer for the errors of one file before it has looked at all others",
	"Diagnostics.Needs":               "a checker that the server calls may be a program of its own to install (bash: shellcheck)",
	"Loads.Empty":                     "a log line that tells that a load found nothing; a pattern like those of Loads.Failed",
	"Loads.Loaded":                    "a log line that tells that a load succeeded; a pattern like those of Loads.Failed",
	"ProjectFile.Empty":               "a project file may be there and say nothing",
	"ProjectFile.Named":               "settings of a build may name the folder of the project file",
	"Generator.Note":                  "a generator of a project file may need a step before its command",
	"Generator.Program":               "a generator of a project file may be a program to install",
	"Sparing.Options":                 "a server reads its settings where it reads them",
	"Sparing.Sets":                    "a runtime may read how it collects from its environment",
	"Sparing.Settings":                "a server reads its settings where it reads them",
	"Omits.Calls":                     "calls may come from what is no function of the language, such as a template",
	"Spec.OpensOwn":                   "a server may take every document for one of its own language",
	"Freshness.OpenAll":               "a server may know a file for certain when it was opened",
	"Freshness.PushTells":             "a server may push something about each text without a version",
	"Readiness.Opens":                 "a server may tell by its log that it has read a document",
	"Readiness.Unsure":                "a server may load what it kept from an earlier time",
	"Readiness.Watches":               "a server may tell by its log that it has read which files changed",
	"Readiness.Parses":                "a server may show by progress that it parses a document",
	"ProjectFetch.Beside":             "a server may fetch what a file of the project's root names",
	"ProjectFetch.Extensions":         "a server may fetch for some of its files alone",
	"ProjectFetch.Unless":             "a file of the project may keep a server from fetching",
	"ProjectFile.Dirs":                "a build may write the project file into folders of its own",
	"ProjectFile.Enough":              "a smaller file may do for questions about one source",
	"ProjectFile.Flags":               "further files may say how sources are compiled",
	"ProjectFile.Generators":          "a project file may be made by other programs, one per build system",
	"ProjectFile.Option":              "a server may be told of the folder of the project file by an option of its own",
	"ProjectFile.Single":              "a smaller file may do for questions about one source",
	"ProjectRun.Absent":               "the code that a server runs may lie outside of the workspace, so that only a lock file tells of it",
	"RawRequest.Names":                "the answer to a request of the server's own may be a bare path",
	"Restriction.Bars":                "a file of the project may name programs that the server runs",
	"Restriction.NoCheck":             "a checker that the server calls may run code of the project",
	"Restriction.Notify":              "a server may be told by a notification not to fetch by itself",
	"Restriction.Own":                 "a server may run a library of the project unless it is told of another",
	"Restriction.User":                "a server may be restricted by the user's configuration file only",
	"RootRule.Aside":                  "tests have data in every language",
	"RootRule.Copied":                 "the sources of dependencies may lie in the workspace (vendor)",
	"RootRule.OutermostOnly":          "a root below another one may be a project of its own",
	"Sources.AnyName":                 "sources of a language may have no extension (headers of C++)",
	"Spec.DirectImplementations":      "LSP leaves open whether implementations are those of all levels",
	"Loads.Broken":                    "a status may tell that a build has errors; a pattern like those of Loads.Failed",
	"Loads.Whole":                     "a status may tell that no build has errors; a pattern like those of Loads.Failed",
	"Loads.Outlines":                  "a server may know no document of a project that it could not load",
	"Output.Alone":                    "a folder of a server may be for one process at a time",
	"Output.Arg":                      "a server may be told of the folder by an argument",
	"Output.Option":                   "a server may be told of the folder by an option",
	"Output.Setting":                  "a server may be told of the folder by a setting",
	"Spec.Version":                    "programs take different arguments to print their version",
	"Stops.Sources":                   "what stops a checker is told by the source of a diagnostic or by its code",
	"Spec.Instead":                    "a refusal is a text for people, in which any server may name another place",
	"Spec.OneProject":                 "a server may keep projects apart in one process",
	"Spec.SubtypesOf":                 "in which languages only some types can have others below them",
	"SymbolQuery.Ending":              "servers have signs of their own in queries for symbols",
	"SymbolQuery.MethodsAreFunctions": "servers give symbols of one sort different kinds",
	"SymbolQuery.Qualified":           "some servers take qualified names in queries for symbols",
	"Freshness.OpenAsked":             "a server may keep what it worked out for open documents only",
	"Readiness.Outlines":              "a server may answer what needs one file before it has indexed the others",
	"Readiness.Hover":                 "a server may answer what needs one file before it has indexed the others",
	"Readiness.Reloads":               "a change of a project file may make a server load anew",
	"Diagnostics.OpenFolders":         "a server may analyse only the folders of open documents",
	"Diagnostics.Check":               "a server may run an external checker of the whole workspace when it is told to",
	"Diagnostics.Overlay":             "a process may count texts that are only open for other files only with other arguments",
	"Diagnostics.Rebuild":             "a server that compiles each document may push nothing about a text that it has compiled before",
	"Loads.Health":                    "several servers send experimental/serverStatus, each with words of its own",
	"Loads.Unwritten":                 "a line of stderr that tells that a server could not write; a pattern like those of Loads.Failed",
}

// fieldRows are the ids of the rows that set a field, by "Type.Field".
type fieldRows map[string]map[string]bool

// count notes for each field of a value, and of all structs of package lsp that it refers to, the row that sets it.
func (r fieldRows) count(row string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r.count(row, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			r.count(row, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := fieldName(v.Type(), i)
			if r[name] == nil {
				r[name] = map[string]bool{}
			}
			if !v.Field(i).IsZero() {
				r[name][row] = true
			}
			if v.Type().Field(i).IsExported() {
				r.count(row, v.Field(i))
			}
		}
	}
}

// few collects the fields of a type, and of the types of package lsp that it refers to, which fewer than two rows
// set. What is below such a field goes with it.
func (r fieldRows) few(out map[string]bool, seen map[reflect.Type]bool, t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[spec.Spec]().PkgPath() || seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		if name := fieldName(t, i); len(r[name]) < 2 {
			out[name] = true
		} else {
			r.few(out, seen, t.Field(i).Type)
		}
	}
}

func fieldName(t reflect.Type, i int) string { return t.Name() + "." + t.Field(i).Name }
